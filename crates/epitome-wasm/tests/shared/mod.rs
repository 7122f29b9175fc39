//! Tests that run in Node, in a page and in a worker.

mod compacting;
mod crossing;
mod failing;

use epitome_wasm::Compactor;
use js_sys::{Array, Float64Array, JSON, Reflect, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};

/// The index of the level among the numbers of a status.
const LEVEL: usize = 4;

/// A JavaScript value, written as JSON.
fn value(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

/// A value as JSON.
fn json(value: impl Into<JsValue>) -> String {
    JSON::stringify(&value.into()).unwrap().into()
}

fn property(object: impl Into<JsValue>, key: &str) -> JsValue {
    Reflect::get(&object.into(), &key.into()).unwrap()
}

/// A compactor with a window of 1,000 tokens, and this many messages in it.
fn conversation(messages: u32) -> (Compactor, Array) {
    let mut compactor =
        Compactor::new("openai-chat", &value(r#"{ "window": 1000 }"#), None).unwrap();
    let originals: Array = (0..messages)
        .map(|turn| {
            let role = if turn % 2 == 0 { "user" } else { "assistant" };
            let bed = "of the garden gets roses, and compost before the frost.";
            value(&format!(r#"{{ "role": "{role}", "content": "Turn {turn}: bed {turn} {bed}" }}"#))
        })
        .collect();
    let ids = (0..messages).map(|turn| format!("m{turn}")).collect();
    compactor.append(ids, &originals, 0, &JsValue::UNDEFINED).unwrap();
    (compactor, originals)
}

/// The numbers of a status at this address in the module's memory.
fn numbers(address: *const f64) -> Vec<f64> {
    let memory: WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    Float64Array::new_with_byte_offset_and_length(&memory.buffer(), address as u32, 23).to_vec()
}
