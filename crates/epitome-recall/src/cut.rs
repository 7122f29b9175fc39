//! Cuts the text of a message into units, which are ranked, and these into sentences, which are quoted.

use std::borrow::Cow;

use epitome_text::sentence::{self, cleaned};

use crate::terms::{TermId, Terms};

/// Terms from which on a message is ranked in several units.
const MOST_TERMS: usize = 100;
/// Bytes of a text that are cut in one step: some milliseconds of work.
const STEP: usize = 1 << 16;

/// A message, or a part of a long one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut<'a> {
    /// Where it begins in the text.
    pub(crate) start: usize,
    pub(crate) sentences: Vec<Sentence<'a>>,
    /// How many terms its sentences have.
    pub(crate) length: usize,
}

/// A sentence, or a part of a long one.
#[derive(Clone, Debug)]
pub(crate) struct Sentence<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) terms: Vec<TermId>,
}

/// The units of a text, at least one. Linear in it.
pub(crate) fn cut<'a>(text: &'a str, reader: &mut Terms) -> Vec<Cut<'a>> {
    let mut units = Vec::new();
    let mut unit = Cut::default();
    sentence::for_each(text, &mut |sentence| {
        let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
        let text = cleaned(sentence);
        if text.is_empty() {
            return;
        }
        let mut terms = Vec::new();
        reader.for_each(&text, |term| terms.push(term));
        if unit.length > 0 && unit.length + terms.len() > MOST_TERMS {
            units.push(std::mem::replace(&mut unit, Cut { start, ..Cut::default() }));
        }
        unit.length += terms.len();
        unit.sentences.push(Sentence { text, terms });
    });
    units.push(unit);
    units
}

/// The sentences of a unit. `text` is what [`Unit`](crate::index::Unit) says that it has.
pub(crate) fn sentences<'a>(text: &'a str, reader: &mut Terms) -> Vec<Sentence<'a>> {
    cut(text, reader).into_iter().flat_map(|unit| unit.sentences).collect()
}

/// Where the step ends that begins at an offset of a text: behind a line if it can, or else behind a word. No unit is in two
/// steps.
pub(crate) fn step_end(text: &str, from: usize) -> usize {
    let most = text.floor_char_boundary(from.saturating_add(STEP));
    let step = text.get(from..most).unwrap_or_default();
    if most >= text.len() {
        return text.len();
    }
    let last = |is_end: fn(char) -> bool| {
        let before = step.trim_end_matches(|character| !is_end(character)).len();
        (before > 0).then_some(before)
    };
    let length = last(|character| character == '\n').or_else(|| last(char::is_whitespace));
    from + length.unwrap_or(step.len())
}
