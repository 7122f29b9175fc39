//! Exact counts of the byte-pair encoding of any model that brings a `tokenizer.json` of Hugging Face.

mod alphabet;
mod cut;
mod error;
mod file;
mod index;
mod learned;
mod normalizer;
mod pre_tokenizer;

use std::borrow::Cow;

use cut::Cuts;
use epitome::tokens::Tokenizer;
pub use error::TokenizerJsonError;
use file::File;
use index::Index;
use learned::Learned;
use normalizer::Normalizer;

use super::class::Classes;
use super::vocabulary::{Room, SharedRoom, Vocabulary};

/// Counts tokens exactly as the byte-level encoding does that a `tokenizer.json` describes: those of Llama 3,
/// Qwen, DeepSeek, Mistral since Nemo, GPT-2 and others that are made alike.
///
/// Text is cut into pieces as the file says, and each piece is one token, or encoded. Both take time linear
/// in the text, whatever it is. The text of added tokens, special or not, is plain text, and nothing is put
/// before or behind a text. Characters that a later Unicode has added can come out as other tokens than in an
/// older library that the model is run with.
///
/// Takes as much room as a [`BytePairs`](super::BytePairs) of as many tokens, and is read-only: one serves
/// every conversation.
///
/// ```
/// use epitome::tokens::Tokenizer;
/// use epitome_tokens::TokenizerJson;
///
/// // A byte is written as a letter: those that are visible as themselves, the others from Ā on.
/// let letters = ('!'..='~').chain('¡'..='¬').chain('®'..='ÿ').chain('Ā'..='Ń');
/// let tokens = letters.map(String::from).chain(["lo".to_owned(), "Ġlo".to_owned()]);
/// let vocab: Vec<String> =
///     tokens.enumerate().map(|(number, token)| format!("{token:?}: {number}")).collect();
/// let file = format!(
///     r#"{{
///         "pre_tokenizer": {{ "type": "ByteLevel", "add_prefix_space": false }},
///         "model": {{ "type": "BPE", "vocab": {{ {} }}, "merges": ["l o", "Ġ lo"] }}
///     }}"#,
///     vocab.join(", "),
/// );
///
/// let tokenizer = TokenizerJson::read(&file)?;
/// assert_eq!(tokenizer.count("lo lo"), 2);
/// assert_eq!(tokenizer.encode("lo lo!"), [256, 257, 0]);
/// # Ok::<(), epitome_tokens::TokenizerJsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TokenizerJson {
    normalizer: Normalizer,
    cuts: Cuts,
    classes: Classes,
    vocabulary: Vocabulary,
    room: SharedRoom,
    /// The numbers that the model has for the tokens, by rank.
    numbers: Vec<u32>,
    /// Tokens that merging does not reach, and that a piece can be as a whole all the same.
    whole: Index,
}

impl TokenizerJson {
    /// Reads the text of a `tokenizer.json`. Takes up to a second for 200,000 tokens.
    ///
    /// Fails where the file asks for anything that is not done here as the model does it, and says what and
    /// where: other models than byte-level BPE, unknown ways of normalizing and cutting.
    pub fn read(text: &str) -> Result<Self, TokenizerJsonError> {
        let File { normalizer, pre_tokenizer, model } = file::read(text)?;
        learned::accept(&model)?;
        let normalizer = Normalizer::read(&normalizer)?;
        let cuts = pre_tokenizer::read(&pre_tokenizer)?;
        let Learned { vocabulary, numbers, whole } = learned::read(model)?;
        let (classes, room) = (Classes::new(), SharedRoom::default());
        Ok(Self { normalizer, cuts, classes, vocabulary, room, numbers, whole })
    }

    /// The model's numbers of the tokens of `text`, in order.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let text: Cow<'_, str> = self.normalizer.of(text);
        let mut numbers = Vec::new();
        let mut room = Room::default();
        self.cuts.split(&text, &self.classes, |start, end| {
            let piece = text.as_bytes().get(start..end).unwrap_or_default();
            if let Some(number) = self.whole.find(piece) {
                numbers.push(number);
                return;
            }
            for &rank in self.vocabulary.ranks(&mut room, piece) {
                numbers.push(self.numbers.get(rank as usize).copied().unwrap_or(rank));
            }
        });
        numbers
    }
}

impl Tokenizer for TokenizerJson {
    fn count(&self, text: &str) -> u32 {
        let text: Cow<'_, str> = self.normalizer.of(text);
        let mut total = 0_usize;
        self.room.with(|room| {
            let mut count = self.vocabulary.counter(room, &text);
            self.cuts.split(&text, &self.classes, |start, end| {
                let piece = text.as_bytes().get(start..end).unwrap_or_default();
                total += if self.whole.find(piece).is_some() { 1 } else { count(start, end) };
            });
        });
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// Nothing: the count is the model's own.
    fn error_band(&self) -> f64 {
        0.0
    }
}
