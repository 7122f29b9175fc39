//! Requests from pages of other origins.

use crate::server::{Server, agent, header};

#[test]
fn a_page_of_any_origin_may_send_a_key() {
    let server = Server::start(&[]);
    let preflight = agent()
        .options(server.url("/v1/chat/completions"))
        .header("origin", "https://example.org")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type")
        .call()
        .unwrap();
    assert_eq!(preflight.status(), 200);
    assert_eq!(header(&preflight, "access-control-allow-origin"), Some("*"));
    let allowed = header(&preflight, "access-control-allow-headers");
    assert_eq!(allowed, Some("authorization,content-type"));

    let models = agent().get(server.url("/v1/models")).header("origin", "https://example.org");
    let models = models.call().unwrap();
    assert_eq!(header(&models, "access-control-allow-origin"), Some("*"));
}
