//! The most recent messages of a stored history that fit a number of tokens.

use epitome::history::most_recent;
use epitome::message::{Message, MessageId, Role};
use epitome::policy::Counting;
use epitome_formats::fit_steps;
use js_sys::Array;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::{format, json, tokenizer};

/// The indices of the most recent messages that fit, in order.
#[wasm_bindgen(js_name = recentWithin)]
pub fn recent_within(
    format: &str,
    messages: &Array,
    tokens: u32,
    counting: &JsValue,
) -> Result<Vec<u32>, JsValue> {
    let format = format::named(format)?;
    let whole = MessageId::from("");
    let read = messages.iter().enumerate().map(|(index, value)| {
        let read = json::message(format, &whole, &value, &format_args!("messages[{index}]"))?;
        let steps = read.steps;
        Ok(fit_steps(steps, &whole, 1).into_iter().next().unwrap_or(Message::new(
            "",
            Role::User,
            "",
        )))
    });
    let messages = read.collect::<Result<Vec<Message>, Thrown>>()?;
    let counting: Counting =
        json::option(counting, "counting", PackageErrorCode::InvalidOption.into())?;
    let tokenizer = tokenizer::of(&counting, format.family())?;
    let recent = most_recent(&messages, tokens, &*tokenizer);
    Ok(recent.into_iter().filter_map(|index| u32::try_from(index).ok()).collect())
}
