//! Summaries as a stream.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::server::{Server, envelope, header};

fn request(more: &Value) -> String {
    let mut request =
        json!({ "stream": true, "messages": [{ "role": "user", "content": envelope() }] });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request.to_string()
}

/// The data of each event without the last one, which has to be the end mark.
fn chunks(body: &str) -> Vec<Value> {
    let mut data: Vec<&str> =
        body.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").unwrap()).collect();
    assert_eq!(data.pop(), Some("[DONE]"));
    data.into_iter().map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn a_stream_has_the_role_the_deltas_and_the_finish_reason() {
    let server = Server::start(&[]);
    let mut response = server.complete(request(&json!({})));
    assert_eq!(header(&response, "content-type"), Some("text/event-stream"));
    let chunks = chunks(&response.body_mut().read_to_string().unwrap());
    let [first, deltas @ .., last] = chunks.as_slice() else { panic!("{chunks:?}") };
    assert_eq!(first["choices"][0]["delta"], json!({ "role": "assistant", "content": "" }));
    assert!((10..=36).contains(&deltas.len()), "{} deltas", deltas.len());
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert!(chunks.iter().all(|chunk| chunk["id"] == first["id"] && chunk.get("usage").is_none()));

    let streamed: String = deltas
        .iter()
        .map(|delta| delta["choices"][0]["delta"]["content"].as_str().unwrap())
        .collect();
    let plain = server.complete_json(&json!({
        "messages": [{ "role": "user", "content": envelope() }],
    }));
    assert_eq!(plain["choices"][0]["message"]["content"], streamed);
}

#[test]
fn the_usage_comes_last_if_the_request_asks_for_it() {
    let server = Server::start(&[]);
    let more = json!({ "stream_options": { "include_usage": true } });
    let body = server.complete(request(&more)).body_mut().read_to_string().unwrap();
    let chunks = chunks(&body);
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0, "{last}");
}

#[test]
fn a_client_may_leave_before_a_slow_answer_ends() {
    // With an hour before each delta, the first event, which is the role, still arrives at once.
    let server = Server::start(&["--delay-ms", "3600000"]);
    let response = server.complete(request(&json!({})));
    let mut first = String::new();
    BufReader::new(response.into_body().into_reader()).read_line(&mut first).unwrap();
    assert!(first.contains("\"role\":\"assistant\""), "{first}");
    assert_eq!(server.get("/v1/models").status(), 200);
}
