//! Cuts the text of a message into units, which are ranked, and these into sentences, which are quoted.

use std::borrow::Cow;

use epitome_text::sentence::{self, cleaned};

use crate::terms::{TermId, Terms};

/// Terms from which on a message is ranked in several units.
const MOST_TERMS: usize = 100;

/// A message, or a part of a long one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut<'a> {
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
    for sentence in sentence::split(text) {
        let text = cleaned(sentence);
        if text.is_empty() {
            continue;
        }
        let mut terms = Vec::new();
        reader.for_each(&text, |term| terms.push(term));
        if unit.length > 0 && unit.length + terms.len() > MOST_TERMS {
            units.push(std::mem::take(&mut unit));
        }
        unit.length += terms.len();
        unit.sentences.push(Sentence { text, terms });
    }
    units.push(unit);
    units
}
