//! The keys of an endpoint, bound to the origin that they were given for.

use crate::address::{Address, Origin};
use crate::error::{EndpointError, EndpointErrorCode};
use crate::secret::{Secret, SecretHeaders};

/// The key and the headers of requests to one origin: scheme, host and port. They are sent to no other, also if the base URL
/// of an [`Endpoint`](crate::Endpoint) is changed afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// `None` if the base URL has none. Nothing is sent then.
    origin: Option<Origin>,
    api_key: Option<Secret>,
    headers: SecretHeaders,
}

impl Keys {
    /// No keys, for the origin of this base URL.
    pub fn new(base_url: &str) -> Self {
        let origin = Address::parse(base_url, &[]).ok().map(|address| address.origin());
        Self { origin, api_key: None, headers: SecretHeaders::default() }
    }

    /// With a key that is sent in the provider's header for keys, mostly as `authorization: Bearer …`. White space around
    /// it is removed, and an empty key is not sent.
    #[must_use]
    pub fn with_api_key(self, api_key: impl Into<Secret>) -> Self {
        let api_key = Some(api_key.into()).filter(|key| !key.reveal().is_empty());
        Self { api_key, ..self }
    }

    /// With further headers. In a browser, the server's CORS settings have to allow each one, and some servers allow only
    /// headers that they know.
    #[must_use]
    pub fn with_headers(self, headers: SecretHeaders) -> Self {
        Self { headers, ..self }
    }

    /// Why these keys would not be sent to this base URL: they were given for another origin. `None` if they would be, if
    /// there are none, and if it is no base URL.
    pub fn refusal(&self, base_url: &str) -> Option<String> {
        let address = Address::parse(base_url, &[]).ok()?;
        self.for_request(&address).err().map(|error| error.message)
    }

    /// The keys for a request to this address, or why they may not be sent there.
    pub(crate) fn for_request(&self, address: &Address) -> Result<&Self, EndpointError> {
        let is_empty = self.api_key.is_none() && self.headers.0.is_empty();
        let asked = address.origin();
        if is_empty || self.origin.as_ref() == Some(&asked) {
            return Ok(self);
        }
        let given = match &self.origin {
            Some(origin) => origin.to_string(),
            None => "another address".to_owned(),
        };
        let message = format!(
            "the key and headers were given for {given} and are not sent to {asked}; give those of \
             {asked}"
        );
        Err(EndpointError::new(EndpointErrorCode::Misconfigured, message))
    }

    pub(crate) fn api_key(&self) -> Option<&Secret> {
        self.api_key.as_ref()
    }

    pub(crate) fn headers(&self) -> &[(String, Secret)] {
        &self.headers.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_sent(given_for: &str, asked: &str) -> bool {
        let keys = Keys::new(given_for).with_api_key("sk-12345678");
        let address = Address::parse(asked, &[]).unwrap();
        let sent = keys.for_request(&address);
        if let Err(error) = &sent {
            assert_eq!(error.code, EndpointErrorCode::Misconfigured);
            assert!(error.message.contains(&address.origin().to_string()), "{error}");
            assert!(!error.message.contains("sk-"), "{error}");
        }
        sent.is_ok()
    }

    #[test]
    fn j4_keys_are_sent_to_their_own_origin_only() {
        assert!(is_sent("https://a.example/v1", "https://A.example:443/v2?x=1"));
        assert!(is_sent("http://localhost:80", "http://localhost/v1"));
        assert!(!is_sent("https://a.example/v1", "http://a.example/v1"));
        assert!(!is_sent("https://a.example/v1", "https://b.example/v1"));
        assert!(!is_sent("https://a.example/v1", "https://a.example:8443/v1"));
        assert!(!is_sent("nonsense", "https://a.example/v1"));
        let address = Address::parse("https://a.example/v1", &[]).unwrap();
        assert!(Keys::new("https://b.example").for_request(&address).is_ok(), "there are none");
    }

    #[test]
    fn an_empty_key_is_no_key() {
        let key = |text: &str| Keys::new("http://h").with_api_key(text).api_key().cloned();
        assert_eq!(key(" \n"), None);
        assert_eq!(key(" sk-1\n").unwrap().reveal(), "sk-1");
    }
}
