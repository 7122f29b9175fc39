//! Compactions by a driver in Rust, which does what the one in TypeScript does, without promises.

use epitome::Reason;
use epitome_wasm::{Compactor, Extractive, ParsedSnapshot};
use js_sys::Array;
use tsify::Ts;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

use super::{LEVEL, conversation, numbers, property, value};

/// Does what the engine asks for until it waits. Returns the types of its outputs and the report.
fn drain(compactor: &mut Compactor) -> (Vec<String>, JsValue) {
    let mut seen = Vec::new();
    let mut report = JsValue::UNDEFINED;
    loop {
        let output: JsValue = compactor.poll().unwrap().into();
        let kind = property(&output, "type").as_string().unwrap();
        match kind.as_str() {
            "wait" => return (seen, report),
            "before" => compactor.proceed().unwrap(),
            "persist" => compactor.handle_persisted().unwrap(),
            "summarize" => {
                let request = property(&output, "request");
                let input = property(&request, "input").as_string().unwrap();
                let target = property(&request, "targetTokens").as_f64().unwrap();
                let id = property(&request, "id").as_f64().unwrap();
                let mut extract = Extractive::new(&input, String::new(), target as u32, false);
                let mut slices = std::iter::repeat_with(|| extract.advance());
                let texts = slices.find(|texts| !texts.is_empty()).unwrap();
                compactor.handle_summary(id as u32, &texts[0]);
            }
            "event" => {
                let event = property(&output, "event");
                if property(&event, "type") == "end" {
                    report = property(&event, "report");
                }
            }
            _ => {}
        }
        seen.push(kind);
    }
}

#[wasm_bindgen_test]
fn a_compaction_is_made_undone_and_restored() {
    let (mut compactor, originals) = conversation(60);
    compactor
        .compact(&Ts::<Reason>::new_unchecked("threshold".into()), None, None, Vec::new())
        .unwrap();
    let (seen, report) = drain(&mut compactor);
    let expected = [
        "before",
        "save",
        "event",
        "summarize",
        "event",
        "persist",
        "changed",
        "save",
        "event",
        "event",
    ];
    assert_eq!(seen, expected);
    assert_eq!(property(&report, "outcome"), "applied");
    assert_eq!(property(&report, "checkpoint"), 1);

    let view: Array = compactor.view();
    let summary = view.iter().find(|entry| !entry.is_string()).unwrap();
    assert_eq!(Array::from(&property(&summary, "of")).length(), 0, "it is composed of no message");
    let number = property(&summary, "composed").as_f64().unwrap() as u32;
    let summary = compactor.compose(number, &Array::new()).unwrap();
    assert_eq!(property(&summary, "role"), "user");
    assert!(property(&summary, "content").as_string().unwrap().contains("roses"));
    let status = numbers(compactor.status_under(&value(r#"{ "window": 1000 }"#)).unwrap());
    assert_eq!(status[LEVEL], 0.0);

    let snapshot = compactor.snapshot().unwrap();
    let parsed = ParsedSnapshot::from_text(&snapshot).unwrap();
    assert_eq!(Array::from(&parsed.countings().unwrap()).join(","), "estimate");
    let mut restored = Compactor::restore(parsed, "openai-chat", None).unwrap();
    let given = originals.length() as usize;
    restored.compare(&originals, 0, given).unwrap();
    assert_eq!(restored.view().length(), view.length());

    compactor.undo().unwrap();
    drain(&mut compactor);
    assert_eq!(compactor.view().length(), 60);
}

#[wasm_bindgen_test]
fn a_failure_that_may_pass_is_waited_out() {
    let (mut compactor, _) = conversation(60);
    compactor
        .compact(&Ts::<Reason>::new_unchecked("manual".into()), None, None, Vec::new())
        .unwrap();
    let _ = compactor.poll().unwrap();
    compactor.proceed().unwrap();
    let output = || JsValue::from(compactor.poll().unwrap());
    let request = std::iter::repeat_with(output)
        .map(|output| property(&output, "request"))
        .find(|request| !request.is_undefined())
        .unwrap();
    let id = property(&request, "id").as_f64().unwrap() as u32;
    compactor.handle_transient_failure(id, "busy".into(), Some(50.0), 1_000.0);
    let retry: JsValue = compactor.poll().unwrap().into();
    assert_eq!(property(property(&retry, "event"), "at"), 1_050);
    let wait: JsValue = compactor.poll().unwrap().into();
    assert_eq!(property(&wait, "until"), 1_050);
    compactor.handle_timeout(1_050.0);
    let (_, report) = drain(&mut compactor);
    assert_eq!(property(&report, "outcome"), "applied");
    assert_eq!(property(&report, "requests"), 2);
}
