//! Exact token counts by the `tokenizer.json` of a model, the file format of Hugging Face's tokenizers.

mod alphabet;
mod byte_map;
mod error;
mod file;
mod learned;
mod normalizer;
mod pattern;
mod pre_tokenizer;

use std::borrow::Cow;

use byte_map::ByteMap;
use epitome::tokens::Tokenizer;
pub use error::TokenizerJsonError;
use file::File;
use learned::Learned;
use normalizer::Normalizer;
use pattern::Patterns;

use super::class::Classes;
use super::vocabulary::{SharedWorkspace, Vocabulary, Workspace};

/// Counts tokens exactly, by the byte-level BPE that a `tokenizer.json` describes. Llama 3, Qwen, DeepSeek, Mistral
/// since Nemo, GPT-2 and others have such a file.
///
/// The text of added tokens, special or not, counts as plain text, and nothing is added before or after a text. Text
/// with characters that are new in Unicode 16 may have other tokens than in a library with older tables.
///
/// Cost: linear in the text, for any text. Memory: as much as a [`BytePairs`](super::BytePairs) with as many tokens.
/// One value can serve all conversations.
///
/// ```
/// use epitome::tokens::Tokenizer;
/// use epitome_tokens::TokenizerJson;
///
/// // Each byte is written as a letter: visible bytes as themselves, the others from Ā on.
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
    patterns: Patterns,
    classes: Classes,
    vocabulary: Vocabulary,
    workspace: SharedWorkspace,
    /// The model's number of each token, by rank.
    numbers: Vec<u32>,
    /// TokenBytes that merging does not reach, and that a piece can be as a whole all the same.
    whole: ByteMap,
}

impl TokenizerJson {
    /// Reads the text of a `tokenizer.json`. Takes up to a second for 200,000 tokens.
    ///
    /// Fails if the file needs something that is not supported, such as another model than byte-level BPE, or an
    /// unknown normalizer or pre-tokenizer. The error says what, and where in the file.
    pub fn read(text: &str) -> Result<Self, TokenizerJsonError> {
        let File { normalizer, pre_tokenizer, model } = file::read(text)?;
        learned::accept(&model)?;
        let normalizer = Normalizer::read(&normalizer)?;
        let patterns = pre_tokenizer::read(&pre_tokenizer)?;
        let Learned { vocabulary, numbers, whole } = learned::read(model)?;
        let (classes, workspace) = (Classes::new(), SharedWorkspace::default());
        Ok(Self { normalizer, patterns, classes, vocabulary, workspace, numbers, whole })
    }

    /// The numbers that the model has for the tokens of `text`, in order.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let text: Cow<'_, str> = self.normalizer.of(text);
        let mut numbers = Vec::new();
        let mut workspace = Workspace::default();
        self.patterns.split(&text, &self.classes, |start, end| {
            let piece = text.as_bytes().get(start..end).unwrap_or_default();
            if let Some(number) = self.whole.find(piece) {
                numbers.push(number);
                return;
            }
            for &rank in self.vocabulary.ranks(&mut workspace, piece) {
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
        self.workspace.with(|workspace| {
            let mut count = self.vocabulary.counter(workspace, &text);
            self.patterns.split(&text, &self.classes, |start, end| {
                let piece = text.as_bytes().get(start..end).unwrap_or_default();
                total += if self.whole.find(piece).is_some() { 1 } else { count(start, end) };
            });
        });
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// 0: the count is exact.
    fn error_band(&self) -> f64 {
        0.0
    }
}
