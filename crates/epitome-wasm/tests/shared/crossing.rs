//! Values come in and go out as what they are.

use epitome_wasm::{Compactor, Tokenizers, bring_tokenizers, detect_format, presets};
use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{garden, json, property, value};

#[wasm_bindgen_test]
fn options_and_results_are_plain_objects() {
    let (mut compactor, _) = garden(40);
    let status: JsValue = compactor.status_under(&value(r#"{ "window": 1000 }"#)).unwrap().into();
    assert_eq!(property(&status, "level"), "compact");
    assert_eq!(property(&status, "window"), 1_000);
    assert_eq!(property(property(&status, "breakdown"), "summary"), 0);
    let plan = compactor.plan(&reason("manual")).unwrap();
    assert_eq!(plan.get(2), 40, "messages");
    assert_eq!(plan.get(4), 40, "all of them are new");
    assert!(plan.get(5).is_undefined(), "it is not idle");
    assert_eq!(compactor.plan(&reason("manual")).unwrap().get(4), 0, "none has changed");
    assert_eq!(compactor.actions().get(0), "keep");
    assert_eq!(compactor.pieces().first().map(String::as_str), Some("m0"));
}

#[wasm_bindgen_test]
fn a_view_names_what_is_kept() {
    let (mut compactor, _) = garden(3);
    assert_eq!(json(compactor.view()), r#"["m0","m1","m2"]"#);
}

#[wasm_bindgen_test]
fn whatever_else_is_in_a_message_is_passed_over() {
    let message: Object = value(r#"{ "role": "user", "content": "hi" }"#).into();
    Reflect::set(&message, &"f".into(), &Function::new_no_args("")).unwrap();
    Reflect::set(&message, &"u".into(), &JsValue::UNDEFINED).unwrap();
    Reflect::set(&message, &"s".into(), &JsValue::symbol(Some("s"))).unwrap();
    Reflect::set(&message, &"b".into(), &JsValue::bigint_from_str("9007199254740993")).unwrap();
    Reflect::set(&message, &"n".into(), &f64::NAN.into()).unwrap();
    let mut compactor = Compactor::new("openai-chat", &JsValue::UNDEFINED, None).unwrap();
    compactor.append(vec!["a".into()], &Array::of1(&message), &JsValue::UNDEFINED).unwrap();
    assert_eq!(compactor.ids(), ["a"]);
}

#[wasm_bindgen_test]
fn a_tokenizer_outside_is_shown_where_texts_are() {
    let policy = value(r#"{ "counting": { "tokenizer": "bytes" } }"#);
    let error = Compactor::new("openai-chat", &policy, None).map(|_| ()).unwrap_err();
    assert_eq!(property(error, "tokenizer"), "bytes");
    let find = "return name === 'bytes' ? { count: (at, bytes) => at > 0 ? bytes : 0 } : undefined";
    let tokenizers = Object::new();
    Reflect::set(&tokenizers, &"find".into(), &Function::new_with_args("name", find)).unwrap();
    bring_tokenizers(tokenizers.unchecked_into::<Tokenizers>());
    let mut compactor = Compactor::new("openai-chat", &policy, None).unwrap();
    let message = value(r#"{ "role": "user", "content": "six by\u00e9" }"#);
    compactor.append(vec!["a".into()], &Array::of1(&message), &JsValue::UNDEFINED).unwrap();
    let status: JsValue = compactor.status_under(&policy).unwrap().into();
    // A message costs four tokens besides its text.
    assert_eq!(property(&status, "tokens"), 8 + 4);
    assert_eq!(property(&status, "exact"), true);
}

#[wasm_bindgen_test]
fn formats_and_presets_are_told() {
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
    let presets: Array = JsValue::from(presets().unwrap()).into();
    assert_eq!(property(presets.get(0), "name"), "recommended");
    let policy = property(presets.get(0), "policy");
    assert!(Compactor::new("openai-chat", &policy, None).is_ok(), "{}", json(policy));
}

fn reason(name: &str) -> tsify::Ts<epitome_wasm::Reason> {
    tsify::Ts::new_unchecked(name.into())
}
