//! The request overhead in a request body: instructions and tool schemas, which are sent with every request.

use js_sys::{Array, JSON};
use wasm_bindgen::{JsCast as _, JsValue};

use super::candidate::property;
use crate::store::Overhead;

/// The keys of instructions: Anthropic's and Bedrock's, Gemini's in both spellings, OpenAI's.
const INSTRUCTIONS: [&str; 4] =
    ["system", "systemInstruction", "system_instruction", "instructions"];

/// What a document has beside its messages.
pub(super) fn request_overhead(document: &JsValue) -> Overhead {
    // Gemini's SDKs have both under `config`, and Bedrock has the tools under `toolConfig`.
    let config = property(document, "config");
    let tool_config = property(document, "toolConfig");
    let places = [document, &config, &tool_config];
    let instructions = places
        .into_iter()
        .flat_map(|place| INSTRUCTIONS.map(|key| property(place, key)))
        .flat_map(|value| texts(&value))
        .collect::<Vec<_>>()
        .join("\n");
    let tools = places.into_iter().map(|place| property(place, "tools"));
    let tools = tools.filter(Array::is_array).filter_map(|tools| JSON::stringify(&tools).ok());
    let tools = tools.map(String::from).collect::<Vec<_>>().join("\n");
    Overhead { instructions, tools }
}

/// The texts of instructions. They may be one text, parts, or a message with parts.
fn texts(value: &JsValue) -> Vec<String> {
    let parts = property(value, "parts");
    let value = if parts.is_undefined() { value } else { &parts };
    let text_of = |part: &JsValue| part.as_string().or_else(|| property(part, "text").as_string());
    match value.dyn_ref::<Array>() {
        Some(parts) => parts.iter().filter_map(|part| text_of(&part)).collect(),
        None => text_of(value).into_iter().collect(),
    }
}
