//! The tokenizers of compactors: estimates, encodings whose vocabulary was read, tokenizers of the host.

use std::cell::RefCell;
use std::fmt::Display;

use epitome::policy::{Counting, Encoding, Family};
use epitome::tokens::BoxedTokenizer;
use epitome_browser::clock;
use epitome_tokens::{BytePairs, Encodings, VocabularyError, join_shards};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::{host, json};

/// How long a vocabulary is read without a pause. All of it takes a tenth of a second.
const SLICE_MS: f64 = 16.0;

thread_local! {
    /// The vocabularies that were read, for all compactors of the module.
    static ENCODINGS: RefCell<Encodings> = RefCell::default();
}

/// The tokenizer that a policy asks for. `usual` is the family of an estimate if the policy names none.
pub(crate) fn of(counting: &Counting, usual: Family) -> Result<BoxedTokenizer, Thrown> {
    if let Counting::Tokenizer(name) = counting {
        return Ok(host::tokenizer(name)?);
    }
    Ok(ENCODINGS.with_borrow(|encodings| encodings.tokenizer(counting, usual))?)
}

/// Reads what counts tokens, as an app writes it.
#[wasm_bindgen(js_name = parseCounting, unchecked_return_type = "Counting")]
pub fn parse_counting(counting: &JsValue) -> Result<JsValue, JsValue> {
    let counting: Counting =
        json::option(counting, "counting", PackageErrorCode::InvalidOption.into())?;
    Ok(json::write(&counting)?)
}

/// Counts the tokens of the text in the scratch buffer, by an encoding whose vocabulary was read.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(bytes: usize, encoding: &str) -> Result<u32, JsValue> {
    let encoding = named(encoding)?;
    ENCODINGS.with_borrow(|encodings| {
        let vocabulary = encodings.get(encoding).map_err(Thrown::from)?;
        Ok(epitome_buffer::look(bytes, |text| vocabulary.count_utf8(text)))
    })
}

/// True if the vocabulary of an encoding was read.
#[wasm_bindgen(js_name = hasEncoding)]
pub fn has_encoding(encoding: &str) -> Result<bool, JsValue> {
    let encoding = named(encoding)?;
    Ok(ENCODINGS.with_borrow(|encodings| encodings.get(encoding).is_ok()))
}

/// Reads the vocabulary of an encoding, with pauses in which a page can paint. It is in one file, or in the ASCII shard and
/// the rest.
#[wasm_bindgen(js_name = readEncoding)]
pub async fn read_encoding(
    encoding: String,
    file: Vec<u8>,
    rest: Option<Vec<u8>>,
) -> Result<(), JsValue> {
    let wanted = named(&encoding)?;
    let mut since_ms = clock::now_ms();
    let pause = async || {
        if clock::now_ms() - since_ms > SLICE_MS {
            // A sleep without a signal cannot be aborted.
            let _ = clock::sleep(0.0, None).await;
            since_ms = clock::now_ms();
        }
    };
    let file = whole(wanted, file, rest)?;
    let vocabulary = open(wanted, BytePairs::open(file))?;
    let built = vocabulary.build_index(pause).await;
    built.map_err(|error| invalid(wanted, &error))?;
    keep(vocabulary);
    Ok(())
}

/// The same without pauses, for a caller that cannot wait.
#[wasm_bindgen(js_name = readEncodingAtOnce)]
pub fn read_encoding_at_once(
    encoding: &str,
    file: Vec<u8>,
    rest: Option<Vec<u8>>,
) -> Result<(), JsValue> {
    let wanted = named(encoding)?;
    keep(open(wanted, BytePairs::read(whole(wanted, file, rest)?))?);
    Ok(())
}

fn whole(wanted: Encoding, file: Vec<u8>, rest: Option<Vec<u8>>) -> Result<Vec<u8>, Thrown> {
    let Some(rest) = rest else { return Ok(file) };
    join_shards(&file, &rest).map_err(|error| invalid(wanted, &error))
}

fn open(wanted: Encoding, read: Result<BytePairs, VocabularyError>) -> Result<BytePairs, Thrown> {
    let vocabulary = read.map_err(|error| invalid(wanted, &error))?;
    let found = vocabulary.encoding();
    if found != wanted {
        return Err(invalid(wanted, &format!("that of {found}")));
    }
    Ok(vocabulary)
}

fn keep(vocabulary: BytePairs) {
    ENCODINGS.with_borrow_mut(|encodings| encodings.insert(vocabulary));
}

fn invalid(wanted: Encoding, problem: &dyn Display) -> Thrown {
    let message = format!("what was given as the vocabulary of {wanted} is {problem}");
    Thrown::new(PackageErrorCode::InvalidVocabulary, &message)
}

fn named(name: &str) -> Result<Encoding, Thrown> {
    let known = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == name);
    known.ok_or_else(|| {
        let names = Encoding::ALL.map(Encoding::as_str).join(", ");
        let message = format!("{name:?} is no encoding that can be loaded; there are {names}");
        Thrown::new(PackageErrorCode::UnknownEncoding, &message)
    })
}
