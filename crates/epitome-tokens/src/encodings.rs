//! The encodings whose vocabularies are there, each shared by whatever counts with it.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use epitome::meter::{BoxedTokenizer, CharactersPer};
use epitome::policy::{self, Counting, Encoding};

use crate::{BytePairs, heuristic};

/// Makes what counts by a policy. One for a program: a vocabulary takes megabytes, and is shared.
#[derive(Clone, Debug, Default)]
pub struct Encodings {
    loaded: Vec<Arc<BytePairs>>,
}

/// A policy counts by an encoding whose vocabulary is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodingMissing(
    /// That encoding.
    pub Encoding,
);

impl fmt::Display for EncodingMissing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the vocabulary of {} is not loaded", self.0)
    }
}

impl Error for EncodingMissing {}

impl Encodings {
    /// Takes a vocabulary, in place of one of the same encoding.
    pub fn insert(&mut self, vocabulary: BytePairs) {
        self.loaded.retain(|loaded| loaded.encoding() != vocabulary.encoding());
        self.loaded.push(Arc::new(vocabulary));
    }

    /// What counts by this encoding.
    pub fn get(&self, encoding: Encoding) -> Result<&Arc<BytePairs>, EncodingMissing> {
        let mut loaded = self.loaded.iter();
        loaded.find(|loaded| loaded.encoding() == encoding).ok_or(EncodingMissing(encoding))
    }

    /// What counts as a policy says. `usual` is the family that an estimate is for where the policy names
    /// none.
    pub fn tokenizer(
        &self,
        counting: Counting,
        usual: policy::Family,
    ) -> Result<BoxedTokenizer, EncodingMissing> {
        Ok(match counting {
            Counting::Estimate => heuristic(usual),
            Counting::EstimateFor(family) => heuristic(family),
            Counting::CharactersPerToken(characters) => Box::new(CharactersPer(characters)),
            Counting::Encoding(encoding) => Box::new(Arc::clone(self.get(encoding)?)),
        })
    }
}
