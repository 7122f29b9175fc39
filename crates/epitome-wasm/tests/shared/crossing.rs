//! How values cross from and to JavaScript.

use epitome::tokens::Statistics;
use epitome::{Breakdown, Level, Pressure, Reason};
use epitome_wasm::{Compactor, Host, Status, connect, detect_format, presets};
use js_sys::{Array, Function, Object, Reflect};
use serde_json::Value;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{conversation, json, numbers, property, value};

#[wasm_bindgen_test]
fn options_and_results_are_plain_objects() {
    let (mut compactor, _) = conversation(40);
    let plan: JsValue = compactor.plan(&reason("manual"), None, Vec::new()).unwrap().into();
    assert_eq!(property(&plan, "count"), 40);
    assert_eq!(property(&plan, "changes"), 40, "all messages are new");
    assert!(property(property(&plan, "figures"), "idle").is_undefined());
    let plan: JsValue = compactor.plan(&reason("manual"), None, Vec::new()).unwrap().into();
    assert_eq!(property(&plan, "changes"), 0, "no row has changed");
    assert_eq!(compactor.actions().get(0), "keep");
    assert_eq!(compactor.steps().first().map(String::as_str), Some("m0"));
}

#[wasm_bindgen_test]
fn a_status_crosses_as_the_numbers_of_its_fields_in_the_order_of_their_declarations() {
    let breakdown = Breakdown {
        system: 10,
        tools: 11,
        context: 12,
        summary: 13,
        user: 14,
        assistant: 15,
        results: 16,
    };
    let pressure = Pressure {
        tokens: 0,
        window: 1,
        fill: 2.0,
        budget_used_pct: 3.0,
        level: Level::Compact,
        threshold: Some(5),
        target: 6,
        exact: true,
        error_band: 8.0,
        floor: 9,
        breakdown,
    };
    let statistics = Statistics {
        last_prompt_tokens: 17,
        last_completion_tokens: 18,
        session_prompt_tokens: 19,
        session_completion_tokens: 20,
        context_tokens: 21,
        tokens_per_second: 22.0,
    };
    let status = Status { pressure, statistics };
    let mut declared = Vec::new();
    fields_of(&serde_json::to_value(status).unwrap(), &mut declared);
    let numbers = status.numbers();
    assert_eq!(numbers.len(), declared.len());
    for (number, field) in numbers.iter().zip(&declared) {
        let field = match field {
            Value::String(level) => {
                ["ok", "warn", "compact"].iter().position(|name| name == level).unwrap() as f64
            }
            Value::Bool(truth) => f64::from(u8::from(*truth)),
            other => other.as_f64().unwrap(),
        };
        assert_eq!(*number, field);
    }
}

/// The fields of an object, with those of nested objects in their place.
fn fields_of(value: &Value, found: &mut Vec<Value>) {
    match value.as_object() {
        Some(fields) => fields.values().for_each(|field| fields_of(field, found)),
        None => found.push(value.clone()),
    }
}

#[wasm_bindgen_test]
fn a_view_names_what_is_kept() {
    let (mut compactor, _) = conversation(3);
    assert_eq!(json(compactor.view()), r#"["m0","m1","m2"]"#);
}

#[wasm_bindgen_test]
fn values_that_json_cannot_hold_are_ignored_in_a_message() {
    let message: Object = value(r#"{ "role": "user", "content": "hi" }"#).into();
    Reflect::set(&message, &"f".into(), &Function::new_no_args("")).unwrap();
    Reflect::set(&message, &"u".into(), &JsValue::UNDEFINED).unwrap();
    Reflect::set(&message, &"s".into(), &JsValue::symbol(Some("s"))).unwrap();
    Reflect::set(&message, &"b".into(), &JsValue::bigint_from_str("9007199254740993")).unwrap();
    Reflect::set(&message, &"n".into(), &f64::NAN.into()).unwrap();
    let mut compactor = Compactor::new("openai-chat", &JsValue::UNDEFINED, None).unwrap();
    compactor.append(vec!["a".into()], &Array::of1(&message), 0, &JsValue::UNDEFINED).unwrap();
    assert_eq!(compactor.ids(), ["a"]);
}

#[wasm_bindgen_test]
fn a_tokenizer_of_the_host_gets_the_address_of_each_text() {
    let policy = value(r#"{ "counting": { "tokenizer": "bytes" } }"#);
    let error = Compactor::new("openai-chat", &policy, None).map(|_| ()).unwrap_err();
    assert_eq!(property(error, "tokenizer"), "bytes");
    let find = "return name === 'bytes' ? { count: (at, bytes) => at > 0 ? bytes : 0 } : undefined";
    let host = Object::new();
    Reflect::set(&host, &"findTokenizer".into(), &Function::new_with_args("name", find)).unwrap();
    let write = Closure::<dyn Fn(String) -> usize>::new(epitome_buffer::put);
    Reflect::set(&host, &"writeText".into(), write.as_ref()).unwrap();
    write.forget();
    connect(host.unchecked_into::<Host>());
    let mut compactor = Compactor::new("openai-chat", &policy, None).unwrap();
    let message = value(r#"{ "role": "user", "content": "six by\u00e9" }"#);
    compactor.append(vec!["a".into()], &Array::of1(&message), 0, &JsValue::UNDEFINED).unwrap();
    let status = numbers(compactor.status_under(&policy).unwrap());
    // A message has an overhead of four tokens.
    assert_eq!(status[0], 8.0 + 4.0);
}

#[wasm_bindgen_test]
fn formats_are_detected_and_presets_are_listed() {
    let detection = |messages: &str| json(detect_format(&value(messages).into()).unwrap());
    assert_eq!(
        detection(r#"[{ "role": "user", "content": "hi" }]"#),
        r#"{"kind":"known","format":"openai-chat"}"#
    );
    assert_eq!(
        detection(r#"[{ "parts": [{ "text": "hi" }] }]"#),
        r#"{"kind":"known","format":"gemini"}"#
    );
    assert_eq!(detection("[]"), r#"{"kind":"unclear"}"#);
    let presets: Array = presets().unwrap().into();
    assert_eq!(property(presets.get(0), "name"), "recommended");
    let policy = property(presets.get(0), "policy");
    assert!(Compactor::new("openai-chat", &policy, None).is_ok(), "{}", json(policy));
}

fn reason(name: &str) -> tsify::Ts<Reason> {
    tsify::Ts::new_unchecked(name.into())
}
