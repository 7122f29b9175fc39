//! What the user can do about a server that cannot be reached.

use crate::error::{EndpointError, EndpointErrorCode};
use crate::server::{LocalProduct, Server};

/// Where the request came from, and what the platform says of its failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// The page's origin; `None` in Node, where origins do not matter.
    pub(crate) origin: Option<String>,
    /// Whether the browser reports that it is offline.
    pub(crate) offline: bool,
    /// The platform's error code, if it gives one: Node says `ECONNREFUSED`, browsers say nothing.
    pub(crate) cause: Option<String>,
}

impl Page {
    fn is_secure(&self) -> bool {
        self.origin.as_deref().is_some_and(|origin| origin.starts_with("https://"))
    }
}

/// The error for a request without any response. A browser hides the reason from the page, so the message names the
/// likely ones.
pub(crate) fn unreachable(server: Server<'_>, page: &Page) -> EndpointError {
    let shown = server.address.shown();
    let mut message = format!("no answer from {shown}");
    if let Some(cause) = &page.cause {
        message += &format!(" ({cause})");
    }
    message += ": ";
    message += &match &page.origin {
        None => "the server is down, or the address is wrong".to_owned(),
        Some(_) if page.offline && !server.address.is_loopback() => {
            "this device is offline".to_owned()
        }
        Some(origin) => {
            format!("the server is down, or {}", refused_origin(server, page, origin))
        }
    };
    EndpointError::new(EndpointErrorCode::Unreachable, message)
}

/// The error for a response that redirects. `location` is the header of that name; browsers hide it.
pub(crate) fn redirected(server: Server<'_>, location: Option<&str>) -> EndpointError {
    let shown = server.address.shown();
    let target = location.and_then(|location| server.address.redirect_origin(location));
    let target = match target.and_then(|origin| server.quote(&origin.to_string())) {
        Some(origin) => format!("to {origin}"),
        None => "to another address".to_owned(),
    };
    let message = format!(
        "{shown} redirects {target}; nothing was sent there. If you trust that address, give its \
         final URL as the base URL"
    );
    EndpointError::new(EndpointErrorCode::Redirected, message)
}

fn refused_origin(server: Server<'_>, page: &Page, origin: &str) -> String {
    let address = server.address;
    // Browsers block http from https pages (mixed content), except on loopback addresses.
    if page.is_secure() && !address.is_secure() && !address.is_loopback() {
        return format!(
            "the browser blocks it, because a page on https may not call {}; use https there too",
            address.shown()
        );
    }
    let allow = match server.local_product() {
        Some(LocalProduct::Ollama) => {
            format!("start it with OLLAMA_ORIGINS={origin} in its environment")
        }
        Some(LocalProduct::LmStudio) => {
            "switch on CORS in its server settings, or start it with `lms server start --cors`"
                .to_owned()
        }
        Some(LocalProduct::LlamaServer) => {
            format!("if it is llama-server, start it with `--cors-origins {origin}`")
        }
        Some(LocalProduct::Vllm) => {
            format!("if it is vLLM, start it with `--allowed-origins '[\"{origin}\"]'`")
        }
        None => "allow that origin in the server's CORS settings, or call the server through your \
                 own"
        .to_owned(),
    };
    let mut text = format!("it does not accept requests from {origin}: {allow}");
    if page.is_secure() && address.is_loopback() {
        text += ". A page on https also needs the permission to use this device's network: allow it \
                 when the browser asks, or in the page's settings";
        if !address.is_secure() {
            text += "; Safari allows no http there at all";
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::endpoint::Endpoint;

    fn check(base_url: &str, origin: Option<&str>, expected: &[&str]) {
        let endpoint = Endpoint::new(base_url, "m");
        let address = Address::parse(base_url, &[]).unwrap();
        let server = Server::completions(&endpoint, &address);
        let page = Page { origin: origin.map(str::to_owned), ..Page::default() };
        let error = unreachable(server, &page);
        assert_eq!(error.code, EndpointErrorCode::Unreachable);
        for part in expected {
            assert!(error.message.contains(part), "{base_url}: {}", error.message);
        }
        assert!(!error.message.contains("secret"), "{}", error.message);
    }

    #[test]
    fn local_servers_get_the_command_that_allows_the_origin() {
        let page = Some("https://chat.example");
        check(
            "http://localhost:11434/v1",
            page,
            &["server is down", "OLLAMA_ORIGINS=https://chat.example", "when the browser asks"],
        );
        check("http://127.0.0.1:1234/v1", page, &["CORS", "lms server start --cors"]);
        check("http://localhost:8080/v1", page, &["--cors-origins https://chat.example"]);
        check("http://localhost:8000/v1", page, &["--allowed-origins"]);
        check("http://localhost:5000/v1", page, &["CORS settings", "Safari"]);
    }

    #[test]
    fn j12_a_redirect_names_both_addresses_and_no_key() {
        let mut endpoint = Endpoint::new("https://h/v1?key=secret-of-mine", "m");
        endpoint.keys = endpoint.keys.with_api_key("sk-0123456789");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let server = Server::completions(&endpoint, &address);
        let check = |location: Option<&str>, expected: &str| {
            let error = redirected(server, location);
            assert!(error.message.starts_with(expected), "{error}");
            assert!(!error.is_retryable() && error.message.contains("base URL"));
        };
        check(
            Some("https://other/v1?k=secret-of-mine"),
            "https://h/v1 redirects to https://other;",
        );
        check(
            Some("https://sk-0123456789.other"),
            "https://h/v1 redirects to https://[key].other;",
        );
        check(Some("mailto:me"), "https://h/v1 redirects to another address;");
        check(None, "https://h/v1 redirects to another address; nothing was sent there");
    }

    #[test]
    fn mixed_content_is_explained() {
        check("http://192.168.0.2:11434/v1", Some("https://chat.example"), &["https may not call"]);
    }

    #[test]
    fn a_remote_server_may_be_down_or_refuse_the_origin() {
        let page = Some("http://localhost:5173");
        check(
            "https://api.example.com/v1?key=secret",
            page,
            &["no answer from https://api.example.com/v1", "server is down", "CORS"],
        );
    }

    #[test]
    fn outside_a_page_origins_are_not_mentioned() {
        let base_url = "http://localhost:11434/v1";
        let endpoint = Endpoint::new(base_url, "m");
        let address = Address::parse(base_url, &[]).unwrap();
        let server = Server::completions(&endpoint, &address);
        let page = Page { cause: Some("ECONNREFUSED".into()), ..Page::default() };
        assert_eq!(
            unreachable(server, &page).message,
            "no answer from http://localhost:11434/v1 (ECONNREFUSED): the server is down, or the \
             address is wrong"
        );
    }

    #[test]
    fn a_message_says_that_the_device_is_offline() {
        let endpoint = Endpoint::new("https://api.example.com/v1", "m");
        let address = Address::parse(&endpoint.base_url, &[]).unwrap();
        let server = Server::completions(&endpoint, &address);
        let origin = Some("https://chat.example".to_owned());
        let page = Page { origin, offline: true, cause: None };
        assert!(unreachable(server, &page).message.ends_with("this device is offline"));
    }
}
