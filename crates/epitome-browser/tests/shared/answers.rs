//! Answers arrive complete, in whatever way the server sends them.

use epitome_browser::Streaming;
use epitome_browser::clock::now_ms;
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::scripted::{SUMMARY, Scripted};

#[wasm_bindgen_test]
async fn a_streamed_answer_arrives_in_deltas() {
    let mut deltas = Vec::new();
    let scripted = Scripted::new("ok");
    let completion = scripted.ask(None, &mut |delta| deltas.push(delta.to_owned())).await.unwrap();
    assert_eq!(completion.text, SUMMARY);
    assert_eq!(completion.finish_reason.as_deref(), Some("stop"));
    assert!(completion.usage.unwrap().prompt_tokens > 0);
    assert_eq!(deltas.concat(), SUMMARY);
    assert!(deltas.len() > 2, "{deltas:?}");
}

#[wasm_bindgen_test]
async fn an_answer_that_is_not_streamed_is_one_delta() {
    let mut deltas = Vec::new();
    let scripted = Scripted::with("ok", |endpoint| endpoint.stream = Streaming::Plain);
    let completion = scripted.ask(None, &mut |delta| deltas.push(delta.to_owned())).await.unwrap();
    assert_eq!(completion.text, SUMMARY);
    assert!(completion.usage.is_some());
    assert_eq!(deltas, [SUMMARY]);
}

#[wasm_bindgen_test]
async fn every_way_to_send_a_summary_gives_the_same_text() {
    for scenario in ["plain", "think", "torn", "comments", "dawdle", "no-content-type"] {
        let mut shown = String::new();
        let scripted = Scripted::new(scenario);
        let completion = scripted.ask(None, &mut |delta| shown.push_str(delta)).await.unwrap();
        assert_eq!(completion.text, SUMMARY, "{scenario}");
        assert_eq!(shown, SUMMARY, "{scenario}");
    }
}

#[wasm_bindgen_test]
async fn j19_an_answer_is_read_by_its_beginning_whatever_its_content_type_is() {
    for scenario in ["stream-as-json", "json-as-stream"] {
        for stream in [Streaming::Streamed, Streaming::Plain] {
            let scripted = Scripted::with(scenario, |endpoint| endpoint.stream = stream);
            assert_eq!(scripted.text().await, SUMMARY, "{scenario}");
        }
    }
}

#[wasm_bindgen_test]
async fn a_complete_answer_does_not_abort_its_connection() {
    for scenario in ["ok", "plain", "late-end"] {
        let scripted = Scripted::new(scenario);
        scripted.text().await;
        scripted.text().await;
        let log = scripted.log_when_open(0).await;
        assert_eq!((&log["requests"], &log["aborted"]), (&json!(2), &json!(0)), "{scenario}");
    }
}

#[wasm_bindgen_test]
async fn a_complete_answer_does_not_wait_for_a_server_that_never_closes() {
    let start = now_ms();
    assert_eq!(Scripted::new("dawdle").text().await, SUMMARY);
    assert!(now_ms() - start < 60_000.0);
}

#[wasm_bindgen_test]
async fn a_request_has_the_key_and_the_prompt() {
    let scripted = Scripted::with_key("ok", " sk-1\n");
    scripted.text().await;
    let log = scripted.log().await;
    assert_eq!(log["last"]["authorization"], "Bearer sk-1");
    let body = &log["last"]["body"];
    assert_eq!(body["model"], "scripted");
    assert_eq!(body["max_tokens"], 200);
    assert_eq!(body["messages"][0]["content"], "Summarize.");
    assert_eq!(body.get("tools"), None);
    assert_eq!(body.get("temperature"), None);
}

#[wasm_bindgen_test]
async fn without_a_key_no_authorization_header_is_sent() {
    let scripted = Scripted::new("ok");
    scripted.text().await;
    assert_eq!(scripted.log().await["last"]["authorization"], json!(null));
}

#[wasm_bindgen_test]
async fn a_field_that_the_server_rejects_is_omitted_in_the_second_request() {
    for (scenario, refused) in
        [("max-completion-tokens", "max_tokens"), ("no-stream-options", "stream_options")]
    {
        let scripted = Scripted::new(scenario);
        assert_eq!(scripted.text().await, SUMMARY);
        let log = scripted.log().await;
        assert_eq!(log["requests"], 2, "{scenario}");
        assert_eq!(log["last"]["body"].get(refused), None, "{scenario}");
    }
}
