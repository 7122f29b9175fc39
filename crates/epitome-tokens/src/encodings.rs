//! The loaded tokenizers that policies refer to: encodings by their vocabularies, and other tokenizers by name.

use std::fmt;
use std::sync::Arc;

use epitome::policy::{Counting, Encoding, Family};
use epitome::tokens::{BoxedTokenizer, CharactersPer, Tokenizer};
use epitome_columns::SortedMap;
use thiserror::Error;

use crate::{BytePairs, heuristic};

/// The loaded vocabularies and tokenizers. One value per program: a vocabulary takes megabytes, and all tokenizers that
/// are made here share it.
#[derive(Clone, Default)]
pub struct Encodings {
    loaded: Vec<Arc<BytePairs>>,
    named: SortedMap<String, Arc<dyn Tokenizer + Send + Sync>>,
}

/// The tokenizer that a policy needs is not loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotLoaded {
    /// The vocabulary of this encoding is missing.
    #[error("the vocabulary of {0} is not loaded")]
    Encoding(Encoding),
    /// The tokenizer of this name is missing.
    #[error("the tokenizer {0:?} is not loaded")]
    Tokenizer(String),
}

impl Encodings {
    /// Adds a vocabulary. It replaces one of the same encoding.
    pub fn insert(&mut self, vocabulary: BytePairs) {
        self.loaded.retain(|loaded| loaded.encoding() != vocabulary.encoding());
        self.loaded.push(Arc::new(vocabulary));
    }

    /// Adds a tokenizer for policies that name it, such as a [`TokenizerJson`](crate::TokenizerJson). It replaces one
    /// of the same name; tokenizers that were made before keep the old one.
    pub fn insert_named(
        &mut self,
        name: impl Into<String>,
        tokenizer: Arc<dyn Tokenizer + Send + Sync>,
    ) {
        self.named.insert(name.into(), tokenizer);
    }

    /// The vocabulary of this encoding.
    pub fn get(&self, encoding: Encoding) -> Result<&Arc<BytePairs>, NotLoaded> {
        let mut loaded = self.loaded.iter();
        loaded.find(|loaded| loaded.encoding() == encoding).ok_or(NotLoaded::Encoding(encoding))
    }

    /// The tokenizer of a policy. `usual` is the family to estimate for if the policy does not name one.
    pub fn tokenizer(
        &self,
        counting: &Counting,
        usual: Family,
    ) -> Result<BoxedTokenizer, NotLoaded> {
        Ok(match counting {
            Counting::Estimate => heuristic(usual),
            Counting::EstimateFor(family) => heuristic(*family),
            Counting::CharactersPerToken(characters) => Box::new(CharactersPer(*characters)),
            Counting::Encoding(encoding) => Box::new(Arc::clone(self.get(*encoding)?)),
            Counting::Tokenizer(name) => {
                let named = self.named.get(name);
                Box::new(Arc::clone(named.ok_or_else(|| NotLoaded::Tokenizer(name.clone()))?))
            }
        })
    }
}

impl fmt::Debug for Encodings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loaded: Vec<Encoding> = self.loaded.iter().map(|loaded| loaded.encoding()).collect();
        let named: Vec<&String> = self.named.keys().collect();
        f.debug_struct("Encodings").field("loaded", &loaded).field("named", &named).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_counts_by_the_tokenizer_that_it_names() {
        let mut encodings = Encodings::default();
        let named = Counting::Tokenizer("llama".to_owned());
        let count = |encodings: &Encodings| {
            let tokenizer = encodings.tokenizer(&named, Family::default());
            tokenizer.map(|tokenizer| tokenizer.count("twelve bytes"))
        };
        assert_eq!(count(&encodings), Err(NotLoaded::Tokenizer("llama".to_owned())));
        encodings.insert_named("llama", Arc::new(CharactersPer(2)));
        assert_eq!(count(&encodings), Ok(6));
        encodings.insert_named("llama", Arc::new(CharactersPer(3)));
        assert_eq!(count(&encodings), Ok(4));
    }
}
