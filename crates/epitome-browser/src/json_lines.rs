//! Divides a stream of bytes, which arrives in chunks of any size, into its lines.

use crate::sse::{EventTooLong, MAX_BYTES};

/// The line so far. Bytes, because a chunk may end inside a character.
#[derive(Debug, Default)]
pub(crate) struct JsonLines(Vec<u8>);

impl JsonLines {
    /// Adds a chunk and returns the lines that it completes, without blank ones. Linear in the length of the chunk.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> Result<Vec<String>, EventTooLong> {
        let mut lines = Vec::new();
        let mut pieces = chunk.split(|byte| *byte == b'\n');
        self.add(pieces.next().unwrap_or_default())?;
        for piece in pieces {
            lines.extend(self.finish());
            self.add(piece)?;
        }
        Ok(lines)
    }

    /// Ends the line: at the end of the stream the last one needs no line feed.
    pub(crate) fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.0);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        Some(line.to_owned()).filter(|line| !line.is_empty())
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), EventTooLong> {
        if self.0.len() + piece.len() > MAX_BYTES {
            return Err(EventTooLong);
        }
        self.0.extend_from_slice(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = JsonLines::default();
        let mut found: Vec<String> =
            chunks.iter().flat_map(|chunk| lines.push(chunk).unwrap()).collect();
        found.extend(lines.finish());
        found
    }

    #[test]
    fn lines_do_not_depend_on_where_chunks_end() {
        let stream = "\u{feff}{\"a\":\"é😀\"}\r\n\n  \n{\"b\":1}\n{\"c\":2}";
        let bytes = stream.as_bytes();
        let whole = split(&[bytes]);
        assert_eq!(whole, ["{\"a\":\"é😀\"}", "{\"b\":1}", "{\"c\":2}"]);
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(split(&[first, second]), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_refused() {
        let mut lines = JsonLines::default();
        assert_eq!(lines.push(&vec![b'a'; MAX_BYTES]), Ok(vec![]));
        assert_eq!(lines.push(b"a"), Err(EventTooLong));
    }
}
