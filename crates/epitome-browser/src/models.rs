//! Asks a server which models it has.

use serde_json::Value;
use web_sys::AbortSignal;

use crate::address::Address;
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::json_request::ask;
use crate::model_path::bare_model;
use crate::server::Server;

/// A provider that resells others has hundreds of models, with dozens of values each.
const MOST_VALUES: usize = 200_000;

/// The names of the models that a server has, in its order. Only the total timeout applies; failures are not
/// retried.
pub async fn models(
    endpoint: &Endpoint,
    signal: Option<&AbortSignal>,
) -> Result<Vec<String>, EndpointError> {
    let Some(route) = &endpoint.provider.api().completion else {
        let message = "this provider has no list of models; use an OpenAI-compatible endpoint";
        return Err(EndpointError::new(EndpointErrorCode::Misconfigured, message));
    };
    let address = Address::parse(&endpoint.base_url, route.pasted_paths)?;
    let server = Server::models(endpoint, &address);
    let deadline = &mut Deadline::start(endpoint.timeouts, signal)?;
    let response = ask(server, route.models_path, None, MOST_VALUES, deadline).await?;
    names(&response).ok_or_else(|| server.not_wanted())
}

/// The names in a list. Gemini's begin with a folder that its requests do not need.
fn names(response: &Value) -> Option<Vec<String>> {
    // Gemini and Ollama call the list and the names otherwise.
    let models = response.get("data").or_else(|| response.get("models"))?.as_array()?.iter();
    let names = models.filter_map(|model| model.get("id").or_else(|| model.get("name"))?.as_str());
    Some(names.map(|name| bare_model(name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_names_of_a_list_are_read() {
        let list = json!({ "object": "list", "data": [{ "id": "b" }, { "id": "models/a" }, {}] });
        assert_eq!(names(&list), Some(vec!["b".to_owned(), "a".to_owned()]));
        let list = json!({ "models": [{ "name": "models/gemini-9" }, { "name": "llama9:1b" }] });
        assert_eq!(names(&list), Some(vec!["gemini-9".to_owned(), "llama9:1b".to_owned()]));
        assert_eq!(names(&json!({ "tags": [] })), None);
        assert_eq!(names(&json!([])), None);
    }
}
