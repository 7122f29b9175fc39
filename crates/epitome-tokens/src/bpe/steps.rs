//! Counting a text in steps, also one that is a single piece of megabytes.

use super::long_piece::{LongPiece, WINDOW};
use super::vocabulary::{Vocabulary, Workspace};
use crate::division::between_pieces;

/// Bytes of a step: some milliseconds.
const STEP: usize = 4 * WINDOW;

/// How far a text is counted.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// So many bytes are counted, but for the long pieces among them.
    at: usize,
    /// Where the part ends that begins there; the same as `at` before that is known.
    end: usize,
    /// The tokens so far.
    tokens: usize,
    /// The starts and ends of the long pieces that are not counted.
    long: Vec<(usize, usize)>,
    /// What is known of the last one of them.
    begun: Option<LongPiece>,
}

impl Steps {
    /// Counts some more of a text, which is the same in each call. The tokens, once all is counted. `count` counts the pieces of a part
    /// of it, and appends the starts and ends of those that are longer than a limit instead.
    pub(super) fn advance(
        &mut self,
        vocabulary: &Vocabulary,
        workspace: &mut Workspace,
        text: &str,
        count: impl Fn(&mut Workspace, &str, usize, &mut Vec<(usize, usize)>) -> usize,
    ) -> Option<usize> {
        let mut done = 0;
        while done < STEP {
            if let Some(&(start, end)) = self.long.last() {
                let piece = text.as_bytes().get(start..end).unwrap_or_default();
                let long = self.begun.get_or_insert_default();
                if vocabulary.advance(workspace, long, piece) {
                    self.tokens += long.tokens();
                    self.begun = None;
                    self.long.pop();
                }
                done += WINDOW;
                continue;
            }
            if self.end == self.at {
                let rest = text.get(self.at..).unwrap_or_default();
                if rest.is_empty() {
                    return Some(self.tokens);
                }
                self.end += between_pieces(rest, STEP).unwrap_or(rest.len());
                // To look far for a place takes time as well.
                done += (self.end - self.at) / 2;
                continue;
            }
            let part = text.get(self.at..self.end).unwrap_or_default();
            self.tokens += count(workspace, part, LongPiece::LEAST, &mut self.long);
            for (start, end) in &mut self.long {
                (*start, *end) = (*start + self.at, *end + self.at);
            }
            self.at = self.end;
            done += part.len();
        }
        None
    }
}
