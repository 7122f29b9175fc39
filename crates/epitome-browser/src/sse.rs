//! Parses server-sent events from bytes that arrive in chunks of any size.

use thiserror::Error;

/// The longest line, and the longest event, that is accepted: one megabyte.
pub const MAX_BYTES: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// The value of its `event` field, if it has one.
    pub name: Option<String>,
    /// The values of its `data` fields, joined by line feeds.
    pub data: String,
}

/// Parses a stream of events: [`push`](Self::push) each chunk, then call [`finish`](Self::finish).
///
/// The borders of the chunks make no difference to the events, even inside a character or between a carriage return
/// and its line feed. Bytes that are not UTF-8 become U+FFFD. Unlike in the standard, an event counts even if the
/// stream ends before its blank line, because some servers forget the last one.
///
/// ```
/// use epitome_browser::sse::SseParser;
///
/// let mut parser = SseParser::default();
/// assert!(parser.push(b"data: hel").unwrap().is_empty());
/// let events = parser.push(b"lo\n\n").unwrap();
/// assert_eq!(events.first().map(|event| event.data.as_str()), Some("hello"));
/// assert_eq!(parser.finish(), None);
/// ```
#[derive(Debug, Default)]
pub struct SseParser {
    /// The line so far. Bytes, because a chunk may end inside a character.
    line: Vec<u8>,
    /// Whether the first line has ended: only that one may begin with a byte order mark.
    after_first_line: bool,
    /// Whether the last byte was a carriage return, so that a line feed belongs to it.
    after_carriage_return: bool,
    name: Option<String>,
    /// `None` until the event has a `data` field: an event without one is not dispatched.
    data: Option<String>,
}

/// A line or an event is longer than [`MAX_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an event of the stream is longer than one megabyte")]
pub struct EventTooLong;

impl SseParser {
    /// Adds a chunk and returns the events that it completes, in order. Linear in the length of the chunk.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Vec<SseEvent>, EventTooLong> {
        let mut events = Vec::new();
        let mut rest = chunk;
        while let Some((&first, after_first)) = rest.split_first() {
            // The carriage return has ended the line already. If its line feed ended another one, that blank line
            // would dispatch the event too early. A flag remembers it, because the two may be in different chunks.
            if std::mem::take(&mut self.after_carriage_return) && first == b'\n' {
                rest = after_first;
                continue;
            }
            let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (text, tail) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + text.len() > MAX_BYTES {
                return Err(EventTooLong);
            }
            self.line.extend_from_slice(text);
            let Some((&ending, after_ending)) = tail.split_first() else { break };
            self.after_carriage_return = ending == b'\r';
            events.extend(self.end_line()?);
            rest = after_ending;
        }
        Ok(events)
    }

    /// Ends the stream, and returns the event that lacks only its blank line.
    pub fn finish(mut self) -> Option<SseEvent> {
        if self.line.is_empty() {
            return self.dispatch();
        }
        match self.end_line() {
            Ok(None) => self.dispatch(),
            Ok(event) => event,
            Err(EventTooLong) => None,
        }
    }

    fn end_line(&mut self) -> Result<Option<SseEvent>, EventTooLong> {
        let line = std::mem::take(&mut self.line);
        let first = !std::mem::replace(&mut self.after_first_line, true);
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if first => rest,
            _ => &line,
        };
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value)?,
            "event" => self.name = Some(value.to_owned()),
            // A comment, which has an empty name, or a field that is not used: `id`, `retry`, an unknown one.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) -> Result<(), EventTooLong> {
        let Some(data) = &mut self.data else {
            self.data = Some(value.to_owned());
            return Ok(());
        };
        if data.len() + value.len() >= MAX_BYTES {
            return Err(EventTooLong);
        }
        data.push('\n');
        data.push_str(value);
        Ok(())
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let name = self.name.take();
        self.data.take().map(|data| SseEvent { name, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut parser = SseParser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(parser.push(chunk).unwrap());
        }
        events.extend(parser.finish());
        events
    }

    fn check(stream: &str, expected: &[&str]) {
        let data: Vec<String> =
            parse(&[stream.as_bytes()]).into_iter().map(|event| event.data).collect();
        assert_eq!(data, expected, "{stream:?}");
    }

    #[test]
    fn all_three_line_endings_are_accepted() {
        for end in ["\n", "\r\n", "\r"] {
            check(&format!("data: a{end}{end}data: b{end}{end}"), &["a", "b"]);
        }
        check("data: a\r\n\ndata: b\r\r\n", &["a", "b"]);
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        check("data: a\ndata: b\n\n", &["a\nb"]);
        check("data:a\n\n", &["a"]);
        check("data:  a\n\n", &[" a"]);
        check("data\n\n", &[""]);
        check("data:\ndata:\n\n", &["\n"]);
        check("data: a:b\n\n", &["a:b"]);
        check(": keep-alive\n\n:\n\ndata: a\n\n", &["a"]);
        check("id: 1\nretry: 5\nunknown: x\ndata: a\n\n", &["a"]);
        check("event: ping\n\n", &[]);
        check("\n\n\n", &[]);
        check("", &[]);
    }

    #[test]
    fn only_a_byte_order_mark_at_the_very_start_is_dropped() {
        check("\u{feff}data: a\n\n", &["a"]);
        check("\u{feff}\u{feff}data: a\n\n", &[]);
        check("data: \u{feff}a\n\n\u{feff}data: b\n\n", &["\u{feff}a"]);
    }

    #[test]
    fn the_last_event_needs_no_blank_line() {
        check("data: a\n\ndata: b\n", &["a", "b"]);
        check("data: a\n\ndata: b", &["a", "b"]);
    }

    #[test]
    fn a_name_applies_to_one_event_only() {
        let events = parse(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
        let names: Vec<Option<&str>> = events.iter().map(|event| event.name.as_deref()).collect();
        assert_eq!(names, [Some("error"), None]);
    }

    #[test]
    fn bytes_that_are_not_utf_8_become_replacement_characters() {
        let events = parse(&[b"data: a\xFF\xC3b\n\n"]);
        assert_eq!(events[0].data, "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn a_line_or_an_event_that_is_too_long_is_refused() {
        let mut parser = SseParser::default();
        assert_eq!(parser.push(&vec![b'a'; MAX_BYTES]), Ok(vec![]));
        assert_eq!(parser.push(b"a"), Err(EventTooLong));

        let mut parser = SseParser::default();
        let line = format!("data: {}\n", "a".repeat(MAX_BYTES / 4));
        let results: Vec<bool> = (0..4).map(|_| parser.push(line.as_bytes()).is_ok()).collect();
        assert_eq!(results, [true, true, true, false]);
    }

    #[test]
    fn events_do_not_depend_on_where_chunks_end() {
        let stream = "\u{feff}: hi\r\ndata: é€😀\rdata: b\r\n\r\nevent: x\ndata: [DONE]\n\ndata: z";
        let bytes = stream.as_bytes();
        let whole = parse(&[bytes]);
        assert_eq!(whole.len(), 3);
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(parse(&chunks), whole, "cut at {first} and {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(parse(&single), whole);
    }
}
