//! A chat, which is not a request for a summary.

use serde_json::json;

use crate::server::Server;

#[test]
fn the_reply_says_that_this_is_a_demo_and_names_the_topics() {
    let server = Server::start(&[]);
    let answer = server.complete_json(&json!({ "messages": [
        { "role": "user", "content": "Which trains go to Vienna?" },
        { "role": "assistant", "content": "Night trains go to Vienna." },
        { "role": "user", "content": "And back from Vienna?" },
    ] }));
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(text.contains("demo"), "{text}");
    assert!(text.contains("vienna, trains"), "{text}");
}
