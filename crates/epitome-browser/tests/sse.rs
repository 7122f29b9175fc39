//! Events do not depend on the chunks that a stream arrives in.
#![cfg(not(target_arch = "wasm32"))]

use epitome_browser::sse::{EventTooLong, SseEvent, SseParser};
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;
use proptest::{collection, option};

/// Bytes that a parser treats specially.
const SPECIAL: &[u8] = b"\r\n: data\xEF\xBB\xBF\xE2\x82\xAC";

fn parse(bytes: &[u8], cuts: &[usize]) -> Result<Vec<SseEvent>, EventTooLong> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.sort_unstable();
    let mut parser = SseParser::default();
    let mut events = Vec::new();
    let (mut rest, mut start) = (bytes, 0);
    for end in cuts {
        let (chunk, tail) = rest.split_at(end - start);
        events.extend(parser.push(chunk)?);
        (rest, start) = (tail, end);
    }
    events.extend(parser.push(rest)?);
    events.extend(parser.finish());
    Ok(events)
}

fn line_end() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("\n"), Just("\r\n"), Just("\r")]
}

fn event() -> impl Strategy<Value = SseEvent> {
    let line = "[^\r\n]{0,12}";
    let data = collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"));
    (option::of("[a-z]{1,6}"), data).prop_map(|(name, data)| SseEvent { name, data })
}

/// Writes events as a server would, with a comment before each.
fn write(events: &[SseEvent], end: &str) -> String {
    let mut stream = String::new();
    for SseEvent { name, data } in events {
        stream += &format!(": comment{end}");
        if let Some(name) = name {
            stream += &format!("event: {name}{end}");
        }
        for line in data.split('\n') {
            stream += &format!("data: {line}{end}");
        }
        stream += end;
    }
    stream
}

proptest! {
    #[test]
    fn parsed_events_are_the_sent_events(
        events in collection::vec(event(), 0..6),
        end in line_end(),
        cuts in collection::vec(any::<usize>(), 0..12),
    ) {
        let stream = write(&events, end);
        assert_eq!(parse(stream.as_bytes(), &cuts), Ok(events));
    }

    #[test]
    fn chunks_make_no_difference_even_for_random_bytes(
        bytes in collection::vec(prop_oneof![4 => select(SPECIAL), 1 => any::<u8>()], 0..80),
        cuts in collection::vec(any::<usize>(), 0..20),
    ) {
        assert_eq!(parse(&bytes, &cuts), parse(&bytes, &[]));
    }
}
