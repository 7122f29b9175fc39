//! Each failure has its own code, and a message that says what to do.

use epitome_browser::{Endpoint, EndpointErrorCode, Keys, Streaming, complete};
use serde_json::json;
use wasm_bindgen_test::wasm_bindgen_test;

use super::scripted::{SUMMARY, Scripted, origin, prompt};

#[wasm_bindgen_test]
async fn every_failure_has_its_code_its_status_and_its_message() {
    for (scenario, code, status, words) in [
        ("400", EndpointErrorCode::Refused, 400, "unexpected role"),
        ("401", EndpointErrorCode::Unauthorized, 401, "wants an API key"),
        ("403", EndpointErrorCode::Unauthorized, 403, "may not use this model"),
        ("404-model", EndpointErrorCode::ModelUnknown, 404, "no model named `scripted`"),
        ("404-path", EndpointErrorCode::ModelUnknown, 404, "base URLs mostly end in /v1"),
        ("quota", EndpointErrorCode::Refused, 429, "quota"),
        ("429-then-ok", EndpointErrorCode::RateLimited, 429, "too many requests"),
        ("500", EndpointErrorCode::Overloaded, 500, "cannot answer now"),
        ("503", EndpointErrorCode::Overloaded, 503, "Loading model"),
        ("too-long", EndpointErrorCode::TooLong, 400, "6972 tokens"),
        ("cut", EndpointErrorCode::CutOff, 200, "in the middle of the answer"),
        ("unfinished", EndpointErrorCode::CutOff, 200, "in the middle of the answer"),
        ("error-in-stream", EndpointErrorCode::Overloaded, 200, "upstream overloaded"),
        ("json-error-200", EndpointErrorCode::TooLong, 200, "6972 tokens"),
        ("length", EndpointErrorCode::Truncated, 200, "limit of tokens"),
        ("filtered", EndpointErrorCode::Filtered, 200, "filter"),
        ("tools", EndpointErrorCode::BadAnswer, 200, "called a tool"),
        ("empty", EndpointErrorCode::Empty, 200, "without any text"),
        ("no-choices", EndpointErrorCode::BadAnswer, 200, "no choices"),
        ("not-json", EndpointErrorCode::BadAnswer, 200, "not JSON"),
        ("html", EndpointErrorCode::BadAnswer, 200, "web page"),
        ("huge-line", EndpointErrorCode::BadAnswer, 200, "one megabyte"),
    ] {
        let error = Scripted::new(scenario).error().await;
        assert_eq!(error.code, code, "{scenario}: {error}");
        assert_eq!(error.status, Some(status), "{scenario}: {error}");
        assert!(error.message.contains(words), "{scenario}: {error}");
    }
}

#[wasm_bindgen_test]
async fn responses_that_are_not_streamed_fail_in_the_same_way() {
    for (scenario, code) in [
        ("401", EndpointErrorCode::Unauthorized),
        ("json-error-200", EndpointErrorCode::TooLong),
        ("length", EndpointErrorCode::Truncated),
        ("filtered", EndpointErrorCode::Filtered),
        ("tools", EndpointErrorCode::BadAnswer),
        ("empty", EndpointErrorCode::Empty),
        ("no-choices", EndpointErrorCode::BadAnswer),
        ("html", EndpointErrorCode::BadAnswer),
    ] {
        let plain = |endpoint: &mut Endpoint| endpoint.stream = Streaming::Plain;
        let error = Scripted::with(scenario, plain).error().await;
        assert_eq!(error.code, code, "{scenario}: {error}");
    }
}

#[wasm_bindgen_test]
async fn no_message_contains_the_key() {
    let scripted = Scripted::with_key("401", "sk-secret");
    let error = scripted.error().await;
    assert!(error.message.contains("does not accept the API key"), "{error}");
    assert!(error.message.contains("provided: [key]"), "{error}");
    assert!(!error.message.contains("sk-secret"), "{error}");
}

#[wasm_bindgen_test]
async fn j12_a_redirect_is_not_followed() {
    let scripted = Scripted::with_key("redirect", "sk-secret");
    let error = scripted.error().await;
    assert_eq!(error.code, EndpointErrorCode::Redirected, "{error}");
    assert!(!error.is_retryable());
    assert!(error.message.contains(&scripted.endpoint.base_url), "{error}");
    // A browser hides where the server redirects to.
    let target = if origin().is_none() { "to http://localhost:" } else { "to another address" };
    assert!(error.message.contains(target), "{error}");
    assert_eq!(scripted.log().await["requests"], json!(1));
    assert_eq!(scripted.log_of_redirects().await["requests"], json!(0));
}

#[wasm_bindgen_test]
async fn j4_a_key_is_sent_to_the_origin_only_that_it_was_given_for() {
    let scripted = Scripted::with("ok", |endpoint| {
        endpoint.keys = Keys::new("https://other.example/v1").with_api_key("sk-secret");
    });
    let error = scripted.error().await;
    assert_eq!(error.code, EndpointErrorCode::Misconfigured, "{error}");
    assert!(error.message.contains("https://other.example"), "{error}");
    assert_eq!(scripted.log().await["requests"], json!(0));
}

#[wasm_bindgen_test]
async fn a_rate_limit_gives_its_delay_and_passes() {
    let scripted = Scripted::new("429-then-ok");
    assert_eq!(scripted.error().await.retry_after_ms, Some(1000));
    assert_eq!(scripted.text().await, SUMMARY);
}

#[wasm_bindgen_test]
async fn the_delay_is_read_from_headers_and_messages() {
    assert_eq!(Scripted::new("503").error().await.retry_after_ms, Some(700));
    assert_eq!(Scripted::new("429-hidden").error().await.retry_after_ms, Some(1500));
    let delay_ms = Scripted::new("429-date").error().await.retry_after_ms.unwrap();
    assert!((1000..=30_000).contains(&delay_ms), "{delay_ms}");
}

#[wasm_bindgen_test]
async fn a_server_that_does_not_run_is_unreachable() {
    let endpoint = Endpoint::new("http://127.0.0.1:49151/v1", "m");
    let error = complete(&endpoint, &prompt(), None, &mut |_| {}).await.unwrap_err();
    assert_eq!((error.code, error.status), (EndpointErrorCode::Unreachable, None), "{error}");
    assert!(error.message.contains("server is down"), "{error}");
    match origin() {
        Some(origin) => assert!(error.message.contains(&origin), "{error}"),
        None => assert!(error.message.contains("ECONNREFUSED"), "{error}"),
    }
}

#[wasm_bindgen_test]
async fn a_server_that_refuses_the_origin_is_unreachable_from_a_page_only() {
    let scripted = Scripted::new("no-cors");
    let Some(origin) = origin() else {
        assert_eq!(scripted.text().await, SUMMARY);
        return;
    };
    let error = scripted.error().await;
    assert_eq!(error.code, EndpointErrorCode::Unreachable, "{error}");
    let words = format!("does not accept requests from {origin}");
    assert!(error.message.contains(&words), "{error}");
}

#[wasm_bindgen_test]
async fn a_misconfigured_endpoint_is_not_called() {
    let address = Endpoint::new("localhost:11434/v1", "m");
    let error = complete(&address, &prompt(), None, &mut |_| {}).await.unwrap_err();
    assert_eq!(error.code, EndpointErrorCode::Misconfigured);

    let scripted = Scripted::with_key("ok", "sk-secret\nx: y");
    let error = scripted.error().await;
    assert_eq!(error.code, EndpointErrorCode::Misconfigured);
    assert!(error.message.contains("authorization") && !error.message.contains("sk-secret"));
    assert_eq!(scripted.log().await["requests"], json!(0));
}
