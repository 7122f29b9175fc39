//! The sentences of a user's message that hold for all turns to come.

use epitome_text::lasting::{Lasting, lasting};

use crate::cut::Cut;
use crate::terms::TermId;

/// A message of more sentences has mostly been pasted: its user writes before it and behind it, in so many sentences.
const PASTED: usize = 30;
const AROUND: usize = 8;

/// A sentence that holds for all turns to come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) unit: u32,
    /// Its place among the sentences of its unit.
    pub(crate) sentence: u32,
    pub(crate) kind: Lasting,
    /// In their order, each once.
    pub(crate) terms: Vec<TermId>,
}

/// Which part of its message a text is.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) is_first: bool,
    pub(crate) is_last: bool,
}

/// The sentences of a part of a user's message that hold for all turns to come. Linear in it.
pub(crate) fn said_in(units: &[Cut<'_>], first_unit: u32, part: Part) -> Vec<Said> {
    let Part { is_first, is_last } = part;
    let count: usize = units.iter().map(|unit| unit.sentences.len()).sum();
    let is_short = is_first && is_last && count <= PASTED;
    let written = |at: usize| {
        is_short || (is_first && at < AROUND) || (is_last && at.saturating_add(AROUND) >= count)
    };
    let sentences = (first_unit..).zip(units).flat_map(|(unit, cut)| {
        (0..).zip(&cut.sentences).map(move |(sentence, one)| (unit, sentence, one))
    });
    let sentences = sentences.enumerate().filter(|(at, _)| written(*at));
    let said = sentences.filter_map(|(_, (unit, sentence, one))| {
        let kind = lasting(&one.text)?;
        let mut terms = one.terms.clone();
        terms.sort_unstable();
        terms.dedup();
        Some(Said { unit, sentence, kind, terms })
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use crate::index::tests::indexed;

    #[test]
    fn l8_around_a_pasted_text_only_the_ends_are_read() {
        let pasted = format!(
            "I hate cold soup. {} Call me Kim.",
            "I prefer trains to all else. ".repeat(60)
        );
        let index = indexed(&[("user", &pasted), ("assistant", "Fine.")]);
        assert_eq!(index.lasting.len(), 2 * super::AROUND);
    }
}
