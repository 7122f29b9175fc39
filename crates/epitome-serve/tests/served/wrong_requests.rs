//! Requests that cannot be answered.

use crate::server::{Server, json};

fn check(body: &str, code: &str, place: &str) {
    let server = Server::start(&[]);
    let response = server.complete(body);
    assert_eq!(response.status(), 400);
    let error = json(response)["error"].take();
    assert_eq!(error["type"], "invalid_request_error");
    assert_eq!(error["code"], code);
    assert!(error["message"].as_str().unwrap().contains(place), "{error}");
}

#[test]
fn a_wrong_body_is_refused_with_its_place() {
    check("{\"messages\": [", "not_json", "line 1 column 14");
    check("{\"messages\": [{\"role\": 1}]}", "wrong_shape", "messages[0].role");
    check("{\"messages\": []}", "no_user_message", "messages");
}

#[test]
fn a_wrong_path_or_method_is_refused_in_the_same_shape() {
    let server = Server::start(&[]);
    let wrong_path = server.get("/v1/embeddings");
    assert_eq!(wrong_path.status(), 404);
    assert_eq!(json(wrong_path)["error"]["code"], "unknown_path");
    let wrong_method = server.get("/v1/chat/completions");
    assert_eq!(wrong_method.status(), 405);
    assert_eq!(json(wrong_method)["error"]["code"], "wrong_method");
}
