//! Events of a stream are the same in chunks of any size.

use epitome_browser::sse::{EventTooLong, SseEvent, SseParser};

use crate::choices::Choices;

/// The first byte says how long the chunks are.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let length = usize::from(choices.byte()) + 1;
    let stream = choices.rest();
    let whole = parse([stream].into_iter());
    assert_eq!(parse(stream.chunks(length)), whole, "in chunks of {length} bytes");
    assert_eq!(parse(stream.chunks(1)), whole, "byte by byte");
    for event in whole.iter().flatten() {
        let lines = event.data.bytes().filter(|byte| *byte == b'\r').count();
        assert_eq!(lines, 0, "a line ends with a carriage return, and data has none");
    }
}

fn parse<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Result<Vec<SseEvent>, EventTooLong> {
    let mut parser = SseParser::default();
    let mut events = Vec::new();
    for chunk in chunks {
        events.extend(parser.push(chunk)?);
    }
    events.extend(parser.finish());
    Ok(events)
}
