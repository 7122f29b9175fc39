//! Where facts stand in the texts that the model reads from now on, looked up in slices.

use super::fact::Mention;
use super::receipt::RetainedText;
use super::{Facts, Kind};

/// What is known of each fact, in their order, as far as they are looked up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup(Vec<Found>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    Nowhere,
    AsItIs,
    /// An item of a list, which is done by now or not.
    As(Box<str>),
}

impl Lookup {
    /// Looks up the next facts, at most so many, in the first of the texts that has each. True if all of them are looked up.
    pub(crate) fn advance(&mut self, facts: &Facts, texts: &[&RetainedText], most: usize) -> bool {
        let next = facts.mentions().get(self.0.len()..).unwrap_or_default();
        let found = next.iter().take(most).map(|mention| {
            match texts.iter().find_map(|text| text.find(mention)) {
                None => Found::Nowhere,
                Some(text) if mention.kind == Kind::Checklist => Found::As(text.into()),
                Some(_) => Found::AsItIs,
            }
        });
        self.0.extend(found);
        next.len() <= most
    }

    /// The facts, each with whether it was found, as it was found.
    pub(super) fn apply(self, facts: Facts) -> impl Iterator<Item = (Mention, bool)> {
        let found = self.0.into_iter().chain(std::iter::repeat(Found::Nowhere));
        facts.into_vec().into_iter().zip(found).map(|(mut mention, found)| {
            let is_found = found != Found::Nowhere;
            if let Found::As(text) = found {
                mention.text = text.into();
            }
            (mention, is_found)
        })
    }
}
