//! What counts tokens.

use std::cell::RefCell;

use epitome::meter::{BoxedTokenizer, Tokenizer as _};
use epitome::policy::{Counting, Encoding};
use epitome_browser::clock;
use epitome_tokens::{BytePairs, CharactersPer, Encodings, Heuristic};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{ErrorCode, Thrown};

/// Longest stretch of reading a vocabulary, which takes a tenth of a second in all.
const STRETCH_MS: f64 = 16.0;

thread_local! {
    /// The vocabularies that were read, for every compactor of the module.
    static ENCODINGS: RefCell<Encodings> = RefCell::default();
}

/// What counts as a policy says.
pub(crate) fn of(counting: Counting) -> Result<BoxedTokenizer, Thrown> {
    Ok(ENCODINGS.with_borrow(|encodings| encodings.tokenizer(counting))?)
}

/// Estimates the tokens of a text.
#[wasm_bindgen(js_name = estimateTokens)]
pub fn estimate_tokens(text: &str, characters_per_token: Option<u32>) -> u32 {
    match characters_per_token {
        Some(characters) => CharactersPer(characters).count(text),
        None => Heuristic.count(text),
    }
}

/// Counts the tokens of a text, by an encoding whose vocabulary was read.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(text: &str, encoding: &str) -> Result<u32, JsValue> {
    let encoding = named(encoding)?;
    let count =
        |encodings: &Encodings| Ok(encodings.get(encoding).map_err(Thrown::from)?.count(text));
    ENCODINGS.with_borrow(count)
}

/// True where the vocabulary of an encoding was read.
#[wasm_bindgen(js_name = hasEncoding)]
pub fn has_encoding(encoding: &str) -> Result<bool, JsValue> {
    let encoding = named(encoding)?;
    Ok(ENCODINGS.with_borrow(|encodings| encodings.get(encoding).is_ok()))
}

/// Reads the vocabulary of an encoding, in stretches that no page is seen to hang in.
#[wasm_bindgen(js_name = readEncoding)]
pub async fn read_encoding(encoding: String, file: Vec<u8>) -> Result<(), JsValue> {
    let wanted = named(&encoding)?;
    let mut since_ms = clock::now_ms();
    let rest = async || {
        if clock::now_ms() - since_ms > STRETCH_MS {
            // Nothing aborts this wait.
            let _ = clock::sleep(0.0, None).await;
            since_ms = clock::now_ms();
        }
    };
    let refuse = |problem: String| {
        let message = format!("what was given as the vocabulary of {wanted} is {problem}");
        Thrown::new(ErrorCode::InvalidVocabulary, &message)
    };
    let vocabulary = BytePairs::open(file).map_err(|error| refuse(error.to_string()))?;
    let found = vocabulary.encoding();
    if found != wanted {
        return Err(refuse(format!("that of {found}")).into());
    }
    let built = vocabulary.build_index(rest).await;
    built.map_err(|error| refuse(error.to_string()))?;
    ENCODINGS.with_borrow_mut(|encodings| encodings.insert(vocabulary));
    Ok(())
}

fn named(name: &str) -> Result<Encoding, Thrown> {
    let known = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == name);
    known.ok_or_else(|| {
        let names = Encoding::ALL.map(Encoding::as_str).join(", ");
        let message = format!("{name:?} is no encoding that can be loaded; there are {names}");
        Thrown::new(ErrorCode::UnknownEncoding, &message)
    })
}
