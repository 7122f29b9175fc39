//! Asks a provider's own endpoint how many tokens messages have.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use web_sys::AbortSignal;

use crate::address::Address;
use crate::bounded_json;
use crate::count_format::{bare_model, plain_text};
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::ErrorBody;
use crate::http_request::{MAX_BODY_BYTES, MAX_ERROR_BYTES, post};
use crate::provider::CountFormat;
use crate::server::Server;

/// llama.cpp sends a number for each token.
const MOST_VALUES: usize = 400_000;

/// The place of the model's name in a path.
const MODEL: &str = "{model}";

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
        let prompt = match ask(server, template_path, &body, deadline).await {
            Ok(response) => response.get("prompt").and_then(Value::as_str).map(str::to_owned),
            // An older server, which does not have this path: counted without the template, so a little too low.
            Err(error) if error.status == Some(404) => Some(plain_text(&body)),
            Err(error) => return Err(error),
        };
        let Some(prompt) = prompt else { return Err(not_a_count(server)) };
        body = json!({ "content": prompt, "add_special": true, "parse_special": true });
    }
    let path = path(route.path, &endpoint.model);
    let response = ask(server, &path, &body, deadline).await?;
    route.format.count(&response).ok_or_else(|| not_a_count(server))
}

async fn ask(
    server: Server<'_>,
    path: &str,
    body: &Value,
    deadline: &mut Deadline,
) -> Result<Value, EndpointError> {
    if let Some(stopped) = deadline.cause() {
        return Err(stopped);
    }
    deadline.await_whole();
    let (head, mut response) = post(server, path, &body.to_string(), deadline).await?;
    let limit_bytes = if head.is_success() { MAX_BODY_BYTES } else { MAX_ERROR_BYTES };
    let text = match response.text(limit_bytes, deadline).await {
        // The status alone is enough to classify the error.
        Err(error) if !head.is_success() && error.code == EndpointErrorCode::CutOff => {
            String::new()
        }
        read => read.map_err(|error| error.with_status(head.status))?,
    };
    if !head.is_success() {
        return Err(ErrorBody::parse(head.status, &text).explain(server, head.retry_after_ms));
    }
    let response = bounded_json::parse(&text, MOST_VALUES)
        .ok_or_else(|| not_a_count(server).with_status(head.status))?;
    match response.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(ErrorBody::inside_response(error).explain(server, None)),
        None => Ok(response),
    }
}

/// A route's path with the model's name in it.
fn path<'a>(template: &'a str, model: &str) -> Cow<'a, str> {
    if template.contains(MODEL) {
        let name = String::from(js_sys::encode_uri_component(bare_model(model)));
        Cow::Owned(template.replace(MODEL, &name))
    } else {
        Cow::Borrowed(template)
    }
}

fn not_a_count(server: Server<'_>) -> EndpointError {
    let shown = server.address.shown();
    let message = format!("{shown} sent no count of tokens; is that the address of the API?");
    EndpointError::new(EndpointErrorCode::BadAnswer, message)
}
