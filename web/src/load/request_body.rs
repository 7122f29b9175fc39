//! What a request body has beside its messages, and what goes along with every request all the same.

use js_sys::{Array, JSON};
use wasm_bindgen::{JsCast as _, JsValue};

use super::candidate::property;

/// The keys that hold instructions: Anthropic's and Bedrock's, Gemini's in both spellings, OpenAI's.
const INSTRUCTIONS: [&str; 4] =
    ["system", "systemInstruction", "system_instruction", "instructions"];

/// Instructions and tool schemas as text; empty where there are none.
pub(super) fn beside(document: &JsValue) -> String {
    // Gemini's packages have both one level further down, and Bedrock has the tools there.
    let config = property(document, "config");
    let tool_config = property(document, "toolConfig");
    let places = [document, &config, &tool_config];
    let instructions = places
        .into_iter()
        .flat_map(|place| INSTRUCTIONS.map(|key| property(place, key)))
        .flat_map(|value| texts(&value));
    let tools = places.into_iter().map(|place| property(place, "tools"));
    let tools = tools.filter(Array::is_array).filter_map(|tools| JSON::stringify(&tools).ok());
    let all: Vec<String> = instructions.chain(tools.map(String::from)).collect();
    all.join("\n")
}

/// The texts of instructions, which are one text, or parts, or a message with parts.
fn texts(value: &JsValue) -> Vec<String> {
    let parts = property(value, "parts");
    let value = if parts.is_undefined() { value } else { &parts };
    let said = |part: &JsValue| part.as_string().or_else(|| property(part, "text").as_string());
    match value.dyn_ref::<Array>() {
        Some(parts) => parts.iter().filter_map(|part| said(&part)).collect(),
        None => said(value).into_iter().collect(),
    }
}
