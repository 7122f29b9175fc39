//! Writes the selected pieces: a line for each message, with who said it.

use epitome_columns::SortedSet;

use super::pieces::{Piece, Pieces};
use epitome::tokens::Tokenizer;
use epitome_text::sentence::{SEPARATOR, ends_itself};
use epitome_text::speaker::{CONTINUED, Labels};

/// How many pieces are tried to fill what is left.
const MAX_FILLING: usize = 32;

impl Pieces {
    /// The ranked pieces without the last ones if they are too long; and the tokens with all of them.
    pub(super) fn fit(
        &self,
        ranked: &[usize],
        target: u32,
        tokenizer: &dyn Tokenizer,
    ) -> (Vec<usize>, u32) {
        let mut selected = ranked.to_vec();
        let mut first = None;
        loop {
            let tokens = tokenizer.count(&self.render(&selected));
            let full = *first.get_or_insert(tokens);
            if tokens <= target || selected.is_empty() {
                return (selected, full);
            }
            let over = (tokens - target) as usize;
            let each = (tokens as usize / selected.len()).max(1);
            // The pieces are in the order of their value, so that the last ones are the smallest loss. Several
            // at once: the tokenizer reads the whole text for each attempt.
            selected.truncate(selected.len().saturating_sub((over / each).max(1)));
        }
    }

    /// Adds the first of the ranked pieces that still fit. Writes the text a few times.
    pub(super) fn fill(
        &self,
        selected: &mut Vec<usize>,
        ranked: &[usize],
        target: u32,
        tokenizer: &dyn Tokenizer,
    ) {
        let known = SortedSet::from_iter(selected.iter().copied());
        let mut left = target.saturating_sub(tokenizer.count(&self.render(selected)));
        let others = ranked.iter().filter(|index| !known.contains(index));
        for index in others.take(MAX_FILLING) {
            let piece = self.pieces.get(*index);
            if left == 0 || piece.is_none_or(|piece| tokenizer.count(&piece.text) > left) {
                continue;
            }
            selected.push(*index);
            match target.checked_sub(tokenizer.count(&self.render(selected))) {
                Some(rest) => left = rest,
                None => drop(selected.pop()),
            }
        }
    }

    pub(super) fn render(&self, selected: &[usize]) -> String {
        let selected = SortedSet::from_iter(selected.iter().copied());
        let pieces = || selected.iter().filter_map(|index| self.pieces.get(*index));
        let mut messages: Vec<usize> = pieces().map(|piece| piece.message).collect();
        messages.dedup();
        let speakers = messages.iter().filter_map(|message| self.speakers.get(*message));
        let labels = Labels::of(speakers.map(String::as_str));
        let mut out = labels.legend();
        let mut before: Option<&Piece> = None;
        for piece in pieces() {
            match before.filter(|before| before.message == piece.message) {
                Some(before) if piece.continues(before) => out.push_str(&piece.text),
                Some(before) => join(&mut out, &before.text, &piece.text),
                None => {
                    let speaker = self.speaker(piece);
                    let same = before.is_some_and(|before| self.speaker(before) == speaker);
                    match same {
                        true => {
                            out.push('\n');
                            out.push_str(CONTINUED);
                            out.push_str(&piece.text);
                        }
                        false => open(&mut out, labels.head(speaker), &piece.text),
                    }
                }
            }
            before = Some(piece);
        }
        out
    }

    /// As much of the first piece as fits, for a target that is too small for every piece.
    pub(super) fn shortest(&self, target: u32, tokenizer: &dyn Tokenizer) -> String {
        let Some(piece) = self.pieces.first() else { return String::new() };
        let name = self.speaker(piece);
        // With the full name there may be no token left for the text; the role alone is shorter.
        for speaker in [name, name.split(' ').next().unwrap_or_default()] {
            let mut length = piece.text.chars().count();
            while length > 0 {
                let end =
                    piece.text.char_indices().nth(length).map_or(piece.text.len(), |(at, _)| at);
                let mut out = String::new();
                open(&mut out, speaker, piece.text.get(..end).unwrap_or_default());
                if tokenizer.count(&out) <= target {
                    return out;
                }
                length /= 2;
            }
        }
        String::new()
    }
}

/// Begins a line with the first piece of a message.
fn open(out: &mut String, head: &str, piece: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(head);
    out.push_str(": ");
    out.push_str(piece);
}

/// Appends a piece to a line, with a separator if needed, so that a later extract splits the line into the same pieces.
fn join(out: &mut String, before: &str, piece: &str) {
    out.push_str(if ends_itself(before) { " " } else { SEPARATOR });
    out.push_str(piece);
}
