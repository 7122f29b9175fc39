//! Asks a provider to compact messages itself, into an item that only it can read.

use serde_json::Value;
use web_sys::AbortSignal;

use crate::address::Address;
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::json_request::ask;
use crate::server::Server;

/// The answer repeats what the user has said, with images and files.
const MOST_VALUES: usize = 400_000;

/// Sends this body, which is JSON in the provider's own format, and settles with the whole response or with the reason why there is
/// none. Only the total timeout applies. Failures are not retried.
pub async fn compact(
    endpoint: &Endpoint,
    body: &str,
    signal: Option<&AbortSignal>,
) -> Result<Value, EndpointError> {
    let Some(route) = &endpoint.provider.api().compaction else {
        let message = "this provider does not compact messages itself";
        return Err(EndpointError::new(EndpointErrorCode::Misconfigured, message));
    };
    let address = Address::parse(&endpoint.base_url, route.pasted_paths)?;
    let server = Server::compactions(endpoint, &address);
    let deadline = &mut Deadline::start(endpoint.timeouts, signal)?;
    ask(server, route.path, Some(body), MOST_VALUES, deadline).await
}
