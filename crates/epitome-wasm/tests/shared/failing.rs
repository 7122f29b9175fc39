//! Errors have a code and say what is wrong, and nothing is lost.

use epitome_browser::EndpointErrorCode;
use epitome_wasm::{Compactor, ErrorCode, PackageErrorCode, ParsedSnapshot, complete};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{conversation, property, value};

fn check<T>(result: Result<T, JsValue>, code: &str, words: &str) {
    let Err(error) = result else { panic!("{code} was expected") };
    let error: js_sys::Error = error.dyn_into().unwrap();
    assert_eq!(error.name(), "EpitomeError");
    assert_eq!(property(&error, "code"), code);
    let message = String::from(error.message());
    assert!(message.contains(words), "{message}");
}

fn append(compactor: &mut Compactor, messages: &[JsValue]) -> Result<(), JsValue> {
    let ids = (0..messages.len()).map(|index| format!("n{index}")).collect();
    compactor.append(ids, &messages.iter().collect::<Array>(), 0, &JsValue::UNDEFINED)
}

#[wasm_bindgen_test]
fn a_batch_is_taken_whole_or_not_at_all() {
    let (mut compactor, _) = conversation(2);
    let tidy = value(r#"{ "role": "user", "content": "hi" }"#);
    check(append(&mut compactor, &[tidy.clone(), 7.into()]), "invalid-message", "messages[1]: ");
    let ids = vec!["a".to_owned(), "a".to_owned()];
    let mut named = |ids, messages: Array| compactor.append(ids, &messages, 0, &JsValue::UNDEFINED);
    check(named(ids, Array::of2(&tidy, &tidy)), "duplicate-id", "\"a\"");
    check(named(vec!["m1".into()], Array::of1(&tidy)), "duplicate-id", "\"m1\"");
    assert_eq!(compactor.ids(), ["m0", "m1"]);
}

#[wasm_bindgen_test]
fn a_value_that_contains_itself_is_refused() {
    let (mut compactor, _) = conversation(1);
    let circular = Object::new();
    Reflect::set(&circular, &"content".into(), &circular).unwrap();
    check(append(&mut compactor, &[circular.into()]), "invalid-message", "contains itself");
    let mut deep = value(r#"{ "role": "user" }"#);
    for _ in 0..100_000 {
        deep = Array::of1(&deep).into();
    }
    check(append(&mut compactor, &[deep]), "invalid-message", "nested deeper");
    append(&mut compactor, &[value(r#"{ "role": "user", "content": "fine" }"#)]).unwrap();
}

#[wasm_bindgen_test]
fn options_are_refused_by_field() {
    let make = |policy: &str| Compactor::new("openai-chat", &value(policy), None);
    check(make(r#"{ "windw": 1 }"#), "invalid-policy", "policy.windw: unknown field");
    check(make(r#"{ "keep": { "messages": 1.5 } }"#), "invalid-policy", "policy.keep.messages");
    check(make("7"), "invalid-policy", "policy: ");
    check(Compactor::new("html", &JsValue::NULL, None), "unknown-format", "openai-chat");
    let (mut compactor, _) = conversation(1);
    check(compactor.handle_usage(&value("{}"), None), "invalid-option", "promptTokens");
    check(compactor.undo(), "nothing-to-undo", "no compaction");
    check(
        compactor.edit("m9", &value(r#"{ "role": "user" }"#), &JsValue::NULL),
        "unknown-id",
        "\"m9\"",
    );
    check(ParsedSnapshot::from_text("{").map(|_| ()), "invalid-snapshot", "not a snapshot");
}

#[wasm_bindgen_test]
async fn an_endpoint_that_is_not_there_rejects() {
    let ask = |options: &str| {
        let (options, fields) = (value(options), JsValue::UNDEFINED);
        complete("openai".into(), options, "s".into(), "u".into(), 9, false, fields, None, None)
    };
    let nowhere = r#"{ "baseURL": "http://127.0.0.1:9/v1", "model": "m" }"#;
    let error = ask(nowhere).await;
    let retryable = error.as_ref().map_err(|error| property(error, "retryable")).unwrap_err();
    assert_eq!(retryable, true);
    check(error, "unreachable", "127.0.0.1:9");
    check(ask(r#"{ "model": "m" }"#).await, "misconfigured", "baseURL");
    check(ask(r#"{ "baseURL": "nowhere", "model": "m" }"#).await, "misconfigured", "http://");
}

#[wasm_bindgen_test]
fn an_error_code_is_a_kebab_case_string() {
    let string = |code: ErrorCode| serde_wasm_bindgen::to_value(&code).unwrap();
    assert_eq!(string(EndpointErrorCode::FirstByteTimeout.into()), "first-byte-timeout");
    assert_eq!(string(PackageErrorCode::UnknownFormat.into()), "unknown-format");
}
