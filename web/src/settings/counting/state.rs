//! The tokenizer in use, and the progress of changing it.

use epitome::policy::{Counting, Encoding, Family};
use epitome::tokens::BoxedTokenizer;
use epitome_tokens::{BytePairs, Encodings, Heuristic};
use leptos::prelude::*;

use crate::language::t;

/// The state of token counting. A copy is a handle to the same state.
#[derive(Clone, Copy)]
pub(crate) struct CountingState {
    encodings: StoredValue<Encodings>,
    /// The latest setting whose vocabulary could be loaded. The conversation is counted by it, or is being recounted.
    pub(crate) active: RwSignal<Counting>,
    /// The progress of a change.
    pub(crate) progress: RwSignal<Option<CountingProgress>>,
    /// Why the setting could not be loaded.
    pub(crate) problem: RwSignal<Option<String>>,
}

/// A step of a change of the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountingProgress {
    /// The vocabulary of an encoding is being fetched and read.
    Loading(Encoding),
    /// The conversation is being counted again.
    Recounting,
}

impl CountingProgress {
    /// What is done, for the user.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Loading(encoding) => t!("Loading {encoding} …", encoding),
            Self::Recounting => t!("Counting again …").to_owned(),
        }
    }
}

impl CountingState {
    /// A state that counts by the estimate.
    pub(crate) fn new() -> Self {
        Self {
            encodings: StoredValue::new(Encodings::default()),
            active: RwSignal::new(Counting::Estimate),
            progress: RwSignal::new(None),
            problem: RwSignal::new(None),
        }
    }

    /// Adds a loaded vocabulary.
    pub(crate) fn insert(self, vocabulary: BytePairs) {
        self.encodings.update_value(|encodings| encodings.insert(vocabulary));
    }

    /// The encoding that must be loaded before `counting` can be active.
    pub(crate) fn missing(self, counting: &Counting) -> Option<Encoding> {
        let encoding = counting.encoding()?;
        self.encodings.with_value(|encodings| encodings.get(encoding).is_err()).then_some(encoding)
    }

    /// The active tokenizer. `usual` is the model family of an estimate, unless the settings name one.
    pub(crate) fn tokenizer(self, usual: Family) -> BoxedTokenizer {
        let counting = self.active.get_untracked();
        let tokenizer =
            self.encodings.with_value(|encodings| encodings.tokenizer(&counting, usual));
        // An encoding only becomes active after its vocabulary is loaded.
        tokenizer.unwrap_or_else(|_| Box::new(Heuristic))
    }
}
