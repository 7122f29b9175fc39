//! Errors for wrong bodies, paths and methods.

use crate::server::{Server, json};

fn check(body: &str, code: &str, words: &str) {
    let server = Server::start(&[]);
    let response = server.complete(body);
    assert_eq!(response.status(), 400);
    let error = json(response)["error"].take();
    assert_eq!(error["type"], "invalid_request_error");
    assert_eq!(error["code"], code);
    assert!(error["message"].as_str().unwrap().contains(words), "{error}");
}

#[test]
fn the_error_for_a_wrong_body_names_the_field() {
    check("{\"messages\": [", "not_json", "line 1 column 14");
    check("{\"messages\": [{\"role\": 1}]}", "wrong_shape", "messages[0].role");
    check("{\"messages\": []}", "no_user_message", "messages");
}

#[test]
fn errors_for_a_wrong_path_or_method_have_the_same_format() {
    let server = Server::start(&[]);
    let wrong_path = server.get("/v1/embeddings");
    assert_eq!(wrong_path.status(), 404);
    assert_eq!(json(wrong_path)["error"]["code"], "unknown_path");
    let wrong_method = server.get("/v1/chat/completions");
    assert_eq!(wrong_method.status(), 405);
    assert_eq!(json(wrong_method)["error"]["code"], "wrong_method");
}
