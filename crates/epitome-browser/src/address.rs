//! The base URL of an endpoint, parsed from what users paste into a settings field.

use std::fmt;

use crate::error::{EndpointError, EndpointErrorCode};

/// Scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    secure: bool,
    host: String,
    port: u16,
}

/// The `http` or `https` base URL of an API, which `fetch` accepts.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    secure: bool,
    host: String,
    port: Option<u16>,
    /// Scheme, host, port and path, without a slash at the end and without the query.
    base: String,
    query: String,
}

/// Whether requests to this base URL are not encrypted and leave this device, so that others on the way can read them.
pub fn is_exposed(base_url: &str) -> bool {
    Address::parse(base_url, &[])
        .is_ok_and(|address| !address.is_secure() && !address.is_loopback())
}

impl Address {
    /// Parses a base URL. Each of `pasted_paths` is removed from the end of its path, in this order, because users
    /// also paste the whole URL of a route, such as `https://host/v1/chat/completions`.
    pub(crate) fn parse(base_url: &str, pasted_paths: &[&str]) -> Result<Self, EndpointError> {
        let url = base_url.trim();
        let refuse = |why: &str| {
            let message = format!("the base URL {why}; write it like http://localhost:11434/v1");
            Err(EndpointError::new(EndpointErrorCode::Misconfigured, message))
        };
        if url.is_empty() {
            return refuse("is empty");
        }
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return refuse("must start with http:// or https://");
        }
        if url.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"\\^`{|}".contains(c))
        {
            return refuse("contains a character that no URL may have");
        }
        let rest = rest.split('#').next().unwrap_or(rest);
        let (location, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = location.split_once('/').unwrap_or((location, ""));
        if authority.contains('@') {
            return refuse("must not carry a user name or a password");
        }
        let Some((host, port)) = split_port(authority) else {
            return refuse("has a port that is not a number from 1 to 65535");
        };
        if host.is_empty() {
            return refuse("names no host");
        }
        let path = format!("/{}", path.trim_end_matches('/'));
        let path = pasted_paths.iter().fold(path.as_str(), |path, pasted| {
            path.strip_suffix(pasted).unwrap_or(path).trim_end_matches('/')
        });
        Ok(Self {
            secure,
            host: host.to_ascii_lowercase(),
            port,
            base: format!(
                "{}://{authority}{}",
                scheme.to_ascii_lowercase(),
                path.trim_end_matches('/')
            ),
            query: query.to_owned(),
        })
    }

    /// The URL of a path, such as `/chat/completions`, with the query of the base URL behind that of the path.
    pub(crate) fn url(&self, path: &str) -> String {
        let mark = match (self.query.is_empty(), path.contains('?')) {
            (true, _) => "",
            (false, true) => "&",
            (false, false) => "?",
        };
        format!("{}{path}{mark}{}", self.base, self.query)
    }

    /// The address for messages: without the query, which may contain a key.
    pub(crate) fn shown(&self) -> &str {
        &self.base
    }

    pub(crate) fn origin(&self) -> Origin {
        let Self { secure, host, port, .. } = self;
        let port = port.unwrap_or(default_port(*secure));
        Origin { secure: *secure, host: host.clone(), port }
    }

    /// The origin that a `location` leads to, which may be relative. `None` if it is not an http address.
    pub(crate) fn redirect_origin(&self, location: &str) -> Option<Origin> {
        let location = location.trim();
        let scheme = if self.secure { "https" } else { "http" };
        if location.starts_with("//") {
            return Self::parse(&format!("{scheme}:{location}"), &[]).ok().map(|to| to.origin());
        }
        let is_absolute =
            location.split(['/', '?', '#']).next().is_some_and(|part| part.contains(':'));
        if is_absolute {
            return Self::parse(location, &[]).ok().map(|to| to.origin());
        }
        Some(self.origin())
    }

    /// The values in the query, as they are written, each of which may be a key.
    pub(crate) fn query_values(&self) -> impl Iterator<Item = &str> {
        let parts = self.query.split('&');
        parts.map(|part| part.split_once('=').map_or(part, |(_, value)| value))
    }

    pub(crate) fn is_secure(&self) -> bool {
        self.secure
    }

    pub(crate) fn port(&self) -> Option<u16> {
        self.port
    }

    /// Whether the server runs on the device that shows the page.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host.as_str();
        host == "localhost"
            || host == "[::1]"
            || host == "0.0.0.0"
            || host.ends_with(".localhost")
            || host.strip_prefix("127.").is_some_and(|rest| rest.split('.').count() == 3)
    }
}

/// As in URLs, without the usual port.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { secure, host, port } = self;
        write!(f, "http{}://{host}", if *secure { "s" } else { "" })?;
        if *port == default_port(*secure) { Ok(()) } else { write!(f, ":{port}") }
    }
}

/// Without the query.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shown())
    }
}

fn default_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

/// Host and port of `host`, `host:80` or `[::1]:80`; `None` if the port is not a number from 1 to 65535.
fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let (host, port) = match authority.rsplit_once(':') {
        // In `[::1]` the last colon is inside the brackets of an IPv6 address.
        Some((host, port)) if !port.ends_with(']') => (host, port),
        _ => return Some((authority, None)),
    };
    if port.is_empty() {
        return Some((host, None));
    }
    port.parse().ok().filter(|port| *port > 0).map(|port| (host, Some(port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/chat/completions";

    fn parse(base_url: &str) -> Result<Address, EndpointError> {
        Address::parse(base_url, &[PATH])
    }

    fn check(base_url: &str, expected: &str) {
        assert_eq!(parse(base_url).unwrap().url(PATH), expected, "{base_url}");
    }

    #[test]
    fn every_spelling_of_a_base_url_leads_to_the_same_url() {
        for base_url in [
            "http://localhost:11434/v1",
            "http://localhost:11434/v1/",
            "http://localhost:11434/v1//",
            "  HTTP://localhost:11434/v1\n",
            "http://localhost:11434/v1/chat/completions",
            "http://localhost:11434/v1/chat/completions/",
            "http://localhost:11434/v1#top",
        ] {
            check(base_url, "http://localhost:11434/v1/chat/completions");
        }
    }

    #[test]
    fn paths_queries_and_bare_hosts_are_kept() {
        check("https://api.example.com", "https://api.example.com/chat/completions");
        check("https://[::1]:8080/v1", "https://[::1]:8080/v1/chat/completions");
        check("https://h/chat/completions", "https://h/chat/completions");
        check(
            "https://h/openai/deployments/d?api-version=1",
            "https://h/openai/deployments/d/chat/completions?api-version=1",
        );
        check(
            "https://h/a/chat/completions?api-version=1",
            "https://h/a/chat/completions?api-version=1",
        );
        check("https://chat/completions", "https://chat/completions/chat/completions");
        check("https://h/mychat/completions", "https://h/mychat/completions/chat/completions");
    }

    #[test]
    fn only_the_path_is_shortened_never_the_host() {
        let address = |base_url: &str| Address::parse(base_url, &["/v1"]).unwrap().url("/p");
        assert_eq!(address("http://v1"), "http://v1/p");
        assert_eq!(address("http://v1/v1"), "http://v1/p");
    }

    #[test]
    fn a_base_url_that_cannot_be_called_is_refused_with_the_reason() {
        for (base_url, reason) in [
            ("", "is empty"),
            ("localhost:11434/v1", "must start with http:// or https://"),
            ("/api/v1", "must start with http:// or https://"),
            ("ftp://host/v1", "must start with http:// or https://"),
            ("http:///v1", "names no host"),
            ("http://:80/v1", "names no host"),
            ("http://host:port/v1", "has a port"),
            ("http://host:0/v1", "has a port"),
            ("http://host:99999/v1", "has a port"),
            ("http://me:secret@host/v1", "must not carry a user name"),
            ("http://ho st/v1", "contains a character"),
        ] {
            let error = parse(base_url).unwrap_err();
            assert_eq!(error.code, EndpointErrorCode::Misconfigured, "{base_url}");
            assert!(error.message.contains(reason), "{base_url}: {}", error.message);
            assert!(!error.message.contains("secret"));
        }
    }

    #[test]
    fn j4_an_address_is_shown_without_its_query() {
        let address = parse("https://H:8443/v1?api-key=secret").unwrap();
        assert_eq!(format!("{address:?}"), "https://H:8443/v1");
        assert_eq!(address.origin().to_string(), "https://h:8443");
        assert_eq!(parse("http://h:80").unwrap().origin().to_string(), "http://h");
        let values: Vec<&str> = address.query_values().collect();
        assert_eq!(values, ["secret"]);
    }

    #[test]
    fn j12_the_origin_of_a_redirect_is_known() {
        let address = parse("https://h:8443/v1").unwrap();
        for (location, expected) in [
            ("/v2", Some("https://h:8443")),
            ("?a=http://x", Some("https://h:8443")),
            ("//other/v1", Some("https://other")),
            ("http://other:81/v1?key=secret", Some("http://other:81")),
            ("http://me:secret@other", None),
            ("ftp://other", None),
            ("javascript:0", None),
        ] {
            let origin = address.redirect_origin(location).map(|origin| origin.to_string());
            assert_eq!(origin.as_deref(), expected, "{location}");
        }
    }

    #[test]
    fn only_plain_http_beyond_this_device_is_exposed() {
        for (base_url, expected) in [
            ("http://192.168.0.2:11434/v1", true),
            ("http://api.example.com", true),
            ("https://api.example.com", false),
            ("http://localhost:11434/v1", false),
            ("no address", false),
        ] {
            assert_eq!(is_exposed(base_url), expected, "{base_url}");
        }
    }

    #[test]
    fn loopback_addresses_are_recognized() {
        for (base_url, expected) in [
            ("http://localhost:1/v1", true),
            ("http://app.localhost/v1", true),
            ("http://127.0.0.1:1/v1", true),
            ("http://127.1.2.3/v1", true),
            ("http://[::1]:1/v1", true),
            ("http://127.0.0.1.example.com/v1", false),
            ("http://192.168.0.2/v1", false),
            ("http://localhost.example.com/v1", false),
        ] {
            assert_eq!(parse(base_url).unwrap().is_loopback(), expected, "{base_url}");
        }
    }
}
