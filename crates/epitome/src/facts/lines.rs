//! The lines of an extract without what the extract has put before them: who says it, and the numbers of messages.

use crate::message::Entry;
use epitome_text::speaker::{Labels, UNKNOWN, named};

/// What a line says, and who says it; the line itself if nothing stands before that.
pub(super) struct Line<'a> {
    pub(super) speaker: String,
    pub(super) text: &'a str,
}

/// The lines of a summary in order. Linear.
pub(super) fn of(summary: &str) -> impl Iterator<Item = Line<'_>> {
    let mut labels = Labels::default();
    let mut before = UNKNOWN.to_owned();
    summary.lines().filter_map(move |line| {
        if let Some(read) = Labels::parse(line) {
            labels = read;
            return None;
        }
        if let Some(text) = numbered(line) {
            let (speaker, text) = named(text);
            return Some(Line { speaker: speaker.unwrap_or_else(|| UNKNOWN.to_owned()), text });
        }
        let (speaker, text) = labels.split(line, &before);
        before.clone_from(&speaker);
        Some(Line { speaker, text })
    })
}

/// What stands behind the numbers of messages, as in `- [12] Never call before noon.`
fn numbered(line: &str) -> Option<&str> {
    Some(split_numbers(line)?.1)
}

/// The numbers of the messages that a line of a summary names, as in `- [4, 9] order: KX-4711`, and what stands behind them.
/// `None` for any other line.
pub fn split_numbers(line: &str) -> Option<(Vec<u32>, &str)> {
    let (numbers, text) = line.strip_prefix("- [")?.split_once("] ")?;
    let is_number = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    let numbers =
        numbers.split(", ").map(|number| number.parse().ok().filter(|_| is_number(number)));
    Some((numbers.collect::<Option<_>>()?, text))
}

/// The lines as entries of a transcript, one for each speaker in a row. No message has the number 0, so that facts in them
/// get no source.
pub(super) fn entries(summary: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for Line { speaker, text } in of(summary) {
        match entries.last_mut().filter(|last| last.speaker == speaker) {
            Some(last) => {
                last.text.push('\n');
                last.text.push_str(text);
            }
            None => entries.push(Entry { number: 0, speaker, time: None, text: text.to_owned() }),
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_line_of_an_extract_is_what_somebody_said() {
        let summary = "Requests:\n- [3] Never call me.\n- [3, 12] order: KX-4711\nSaid:\nSpeakers: A = alice\nuser: Hello.\n  Good day.\n\
                       A: Go: now.\nThat is: all.\n- [ ] ship";
        let read: Vec<String> =
            of(summary).map(|line| format!("{}|{}", line.speaker, line.text)).collect();
        let expected = [
            "earlier|Requests:",
            "earlier|Never call me.",
            "earlier|order: KX-4711",
            "earlier|Said:",
            "user|Hello.",
            "user|Good day.",
            "user alice|Go: now.",
            "earlier|That is: all.",
            "earlier|- [ ] ship",
        ];
        assert_eq!(read, expected);
        assert_eq!(entries(summary).len(), 4);
    }
}
