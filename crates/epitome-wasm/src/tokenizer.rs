//! The tokenizers of compactors: estimates, and encodings and tokenizers of the host.

use epitome::policy::{Counting, Family};
use epitome::tokens::{BoxedTokenizer, CharactersPer};
use epitome_tokens::heuristic;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::{host, json};

/// The tokenizer that a policy asks for. `usual` is the family of an estimate if the policy names none.
pub(crate) fn of(counting: &Counting, usual: Family) -> Result<BoxedTokenizer, Thrown> {
    Ok(match counting {
        Counting::Estimate => heuristic(usual),
        Counting::EstimateFor(family) => heuristic(*family),
        Counting::CharactersPerToken(characters) => Box::new(CharactersPer(*characters)),
        Counting::Encoding(encoding) => host::encoding(*encoding)?,
        Counting::Tokenizer(name) => host::tokenizer(name)?,
    })
}

/// Reads what counts tokens, as an app writes it.
#[wasm_bindgen(js_name = parseCounting, unchecked_return_type = "Counting")]
pub fn parse_counting(counting: &JsValue) -> Result<JsValue, JsValue> {
    let counting: Counting =
        json::option(counting, "counting", PackageErrorCode::InvalidOption.into())?;
    Ok(json::write(&counting)?)
}
