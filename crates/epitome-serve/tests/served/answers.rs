//! Summaries as one JSON object, and the list of models.

use serde_json::json;

use crate::server::{Server, envelope, header, json as read};

#[test]
fn the_answer_is_an_extract_of_the_last_user_message() {
    let server = Server::start(&[]);
    let answer = server.complete_json(&json!({
        "model": "whatever",
        "messages": [
            { "role": "system", "content": "Summarize." },
            { "role": "user", "content": [{ "type": "text", "text": envelope() }] },
        ],
    }));
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "whatever");
    assert_eq!(answer["choices"][0]["message"]["role"], "assistant");
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("INV-4411"), "{text}");
    let tokens = |name: &str| answer["usage"][name].as_u64().unwrap();
    assert!(tokens("prompt_tokens") > tokens("completion_tokens"));
    assert_eq!(tokens("total_tokens"), tokens("prompt_tokens") + tokens("completion_tokens"));
}

#[test]
fn an_answer_keeps_the_token_limit_of_the_request() {
    let server = Server::start(&[]);
    let answer = server.complete_json(&json!({
        "messages": [{ "role": "user", "content": envelope() }],
        "max_completion_tokens": 12,
    }));
    assert!(answer["usage"]["completion_tokens"].as_u64().unwrap() <= 12, "{answer}");
}

#[test]
fn the_same_request_gets_the_same_answer() {
    let server = Server::start(&[]);
    let request = json!({ "messages": [{ "role": "user", "content": envelope() }] });
    let [first, second] = [server.complete_json(&request), server.complete_json(&request)];
    assert_eq!(first["choices"], second["choices"]);
    assert_ne!(first["id"], second["id"]);
}

#[test]
fn the_list_of_models_has_one_model() {
    let server = Server::start(&[]);
    let response = server.get("/v1/models");
    assert_eq!(header(&response, "content-type"), Some("application/json"));
    assert_eq!(read(response)["data"][0]["id"], "epitome-extractive");
}
