//! Asks a provider's own endpoint how many tokens messages have.

use serde_json::{Map, Value, json};
use web_sys::AbortSignal;

use crate::address::Address;
use crate::count_format::plain_text;
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::json_request::ask;
use crate::model_path::model_path;
use crate::provider::CountFormat;
use crate::server::Server;

/// llama.cpp sends a number for each token.
const MOST_VALUES: usize = 400_000;

/// Asks a provider how many tokens messages have, and settles with the count or with the reason why there is none.
///
/// `messages` are in the provider's own format. `request` has the other fields of the request to the model, such as
/// `system` and `tools`. Only the total timeout applies. Failures are not retried.
pub async fn count_tokens(
    endpoint: &Endpoint,
    messages: Vec<Value>,
    request: Map<String, Value>,
    signal: Option<&AbortSignal>,
) -> Result<u32, EndpointError> {
    let Some(route) = &endpoint.provider.api().count else {
        let message = "this provider does not count tokens";
        return Err(EndpointError::new(EndpointErrorCode::Misconfigured, message));
    };
    let address = Address::parse(&endpoint.base_url, route.pasted_paths)?;
    let server = Server::counts(endpoint, &address);
    let deadline = &mut Deadline::start(endpoint.timeouts, signal)?;
    let mut body = route.format.body(&endpoint.model, messages, request);
    if let CountFormat::LlamaCppPrompt { template_path } = route.format {
        let sent = body.to_string();
        let prompt = match ask(server, template_path, Some(&sent), MOST_VALUES, deadline).await {
            Ok(response) => response.get("prompt").and_then(Value::as_str).map(str::to_owned),
            // An older server, which does not have this path: counted without the template, so a little too low.
            Err(error) if error.status == Some(404) => Some(plain_text(&body)),
            Err(error) => return Err(error),
        };
        let Some(prompt) = prompt else { return Err(server.not_wanted()) };
        body = json!({ "content": prompt, "add_special": true, "parse_special": true });
    }
    let path = model_path(route.path, &endpoint.model);
    let response = ask(server, &path, Some(&body.to_string()), MOST_VALUES, deadline).await?;
    route.format.count(&response).ok_or_else(|| server.not_wanted())
}
