//! A summary piece by piece.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::server::{Server, envelope, header};

fn request(more: &Value) -> String {
    let mut request =
        json!({ "stream": true, "messages": [{ "role": "user", "content": envelope() }] });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request.to_string()
}

/// The data of each event; the last one has to be the end mark.
fn chunks(body: &str) -> Vec<Value> {
    let mut data: Vec<&str> =
        body.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").unwrap()).collect();
    assert_eq!(data.pop(), Some("[DONE]"));
    data.into_iter().map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn a_stream_has_the_role_the_pieces_and_the_reason_for_ending() {
    let server = Server::start(&[]);
    let mut response = server.complete(request(&json!({})));
    assert_eq!(header(&response, "content-type"), Some("text/event-stream"));
    let chunks = chunks(&response.body_mut().read_to_string().unwrap());
    let [first, pieces @ .., last] = chunks.as_slice() else { panic!("{chunks:?}") };
    assert_eq!(first["choices"][0]["delta"], json!({ "role": "assistant", "content": "" }));
    assert!((10..=36).contains(&pieces.len()), "{} pieces", pieces.len());
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert!(chunks.iter().all(|chunk| chunk["id"] == first["id"] && chunk.get("usage").is_none()));

    let streamed: String = pieces
        .iter()
        .map(|piece| piece["choices"][0]["delta"]["content"].as_str().unwrap())
        .collect();
    let plain = server.complete_json(&json!({
        "messages": [{ "role": "user", "content": envelope() }],
    }));
    assert_eq!(plain["choices"][0]["message"]["content"], streamed);
}

#[test]
fn the_usage_comes_last_where_it_is_wanted() {
    let server = Server::start(&[]);
    let more = json!({ "stream_options": { "include_usage": true } });
    let body = server.complete(request(&more)).body_mut().read_to_string().unwrap();
    let chunks = chunks(&body);
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0, "{last}");
}

#[test]
fn a_slow_answer_can_be_left_before_its_end() {
    // An hour a piece: the first event arrives all the same, and nobody waits for the rest.
    let server = Server::start(&["--delay-ms", "3600000"]);
    let response = server.complete(request(&json!({})));
    let mut first = String::new();
    BufReader::new(response.into_body().into_reader()).read_line(&mut first).unwrap();
    assert!(first.contains("\"role\":\"assistant\""), "{first}");
    assert_eq!(server.get("/v1/models").status(), 200);
}
