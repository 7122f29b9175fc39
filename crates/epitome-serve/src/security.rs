//! The headers that limit what a page may do in the browser, even if it had a mistake.

use axum::http::{HeaderValue, header};
use axum::response::Response;

/// Where pages may connect to if no endpoint is named: any server over https, and this device.
const ANY_ENDPOINT: &str = "https: http://localhost:* http://127.0.0.1:*";

/// The content security policy of the pages, which may connect to their own server and to these origins.
///
/// Scripts and styles come from files of the same server, none from inside the page. Markup that could run a script is
/// refused by Trusted Types; the pages name what they allow in their policy `default`.
pub(crate) fn policy(endpoints: &[String]) -> Result<HeaderValue, String> {
    let connect = match endpoints {
        [] => ANY_ENDPOINT.to_owned(),
        endpoints => endpoints.join(" "),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         manifest-src 'self'; connect-src 'self' {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types default"
    );
    HeaderValue::from_str(&policy)
        .map_err(|_| "an endpoint has a character that no header may have".to_owned())
}

/// An origin that pages may connect to, such as `https://api.example.com`.
pub(crate) fn endpoint(origin: String) -> Result<String, String> {
    let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    let is_host =
        |character: char| character.is_ascii_alphanumeric() || "-.:[]".contains(character);
    match rest {
        Some(host) if !host.is_empty() && host.chars().all(is_host) => Ok(origin),
        _ => Err(format!(
            "--endpoint does not take `{origin}`; write an origin like https://api.example.com"
        )),
    }
}

/// Adds all headers.
pub(crate) fn add(response: &mut Response, policy: &HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_may_connect_only_to_the_named_endpoints() {
        let policy = policy(&["https://api.example.com".to_owned()]).unwrap();
        let policy = policy.to_str().unwrap();
        assert!(policy.starts_with(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
        ));
        assert!(policy.contains("connect-src 'self' https://api.example.com;"), "{policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"));
    }

    #[test]
    fn an_endpoint_is_an_origin() {
        for origin in ["https://api.example.com", "http://127.0.0.1:8080", "http://[::1]:1"] {
            assert_eq!(endpoint(origin.to_owned()).as_deref(), Ok(origin));
        }
        for origin in
            ["api.example.com", "https://", "https://a/b", "https://a; script-src *", "ftp://a"]
        {
            assert!(
                endpoint(origin.to_owned()).unwrap_err().contains("write an origin"),
                "{origin}"
            );
        }
    }
}
