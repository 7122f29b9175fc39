//! What counts tokens, and what is under way to have something else count them.

use epitome::policy::{Counting, Encoding, Family};
use epitome::tokens::BoxedTokenizer;
use epitome_tokens::{BytePairs, Encodings, Heuristic};
use leptos::prelude::*;

/// What counts tokens. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    encodings: StoredValue<Encodings>,
    /// What the settings last named and could be had: it counts whatever is loaded, or soon will.
    pub(crate) ready: RwSignal<Counting>,
    /// What is under way.
    pub(crate) effort: RwSignal<Option<Effort>>,
    /// Why what the settings named does not count.
    pub(crate) problem: RwSignal<Option<String>>,
}

/// What is done before something else counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The vocabulary of an encoding is fetched and read.
    Loading(Encoding),
    /// The conversation is counted anew.
    Recounting,
}

impl Counter {
    /// The estimate.
    pub(super) fn new() -> Self {
        Self {
            encodings: StoredValue::new(Encodings::default()),
            ready: RwSignal::new(Counting::Estimate),
            effort: RwSignal::new(None),
            problem: RwSignal::new(None),
        }
    }

    /// Takes a vocabulary.
    pub(crate) fn insert(self, vocabulary: BytePairs) {
        self.encodings.update_value(|encodings| encodings.insert(vocabulary));
    }

    /// The encoding that has to be loaded before anything counts so.
    pub(crate) fn missing(self, counting: &Counting) -> Option<Encoding> {
        let encoding = counting.encoding()?;
        self.encodings.with_value(|encodings| encodings.get(encoding).is_err()).then_some(encoding)
    }

    /// What is ready to count, an estimate for the models of this family unless the settings name others.
    pub(crate) fn tokenizer(self, usual: Family) -> BoxedTokenizer {
        let counting = self.ready.get_untracked();
        let tokenizer =
            self.encodings.with_value(|encodings| encodings.tokenizer(&counting, usual));
        // Nothing is ready before its vocabulary is there.
        tokenizer.unwrap_or_else(|_| Box::new(Heuristic))
    }
}
