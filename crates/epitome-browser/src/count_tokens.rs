//! How many tokens a provider counts in messages, from the endpoint that it has for that.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use web_sys::AbortSignal;

use crate::address::Address;
use crate::complete::{LONGEST_ANSWER_BYTES, LONGEST_REFUSAL_BYTES};
use crate::deadline::Deadline;
use crate::endpoint::Endpoint;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::error_body::Refusal;
use crate::http_request::{Route, post};
use crate::server::Server;

/// Who counts, and in which words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountApi {
    /// Anthropic's `POST /v1/messages/count_tokens`, of Anthropic messages.
    Anthropic,
    /// `OpenAI`'s `POST /v1/responses/input_tokens`, of Responses items.
    OpenAi,
    /// Gemini's `POST /v1beta/models/MODEL:countTokens`, of Gemini contents.
    Gemini,
    /// llama.cpp's server: `POST /apply-template` and `POST /tokenize`, of chat messages.
    LlamaCpp,
}

impl CountApi {
    /// Every one of them, by name.
    pub const NAMED: [(&'static str, Self); 4] = [
        ("anthropic", Self::Anthropic),
        ("openai", Self::OpenAi),
        ("gemini", Self::Gemini),
        ("llama.cpp", Self::LlamaCpp),
    ];

    /// Where it is to be found unless somebody says otherwise.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::LlamaCpp => "http://127.0.0.1:8080",
        }
    }

    fn address(self, base_url: &str) -> Result<Address, EndpointError> {
        let address = Address::parse(base_url)?;
        Ok(match self {
            Self::Anthropic => address.without("/count_tokens").without("/messages"),
            Self::OpenAi => address.without("/input_tokens").without("/responses"),
            Self::Gemini => address,
            // Its own paths stand beside `/v1`.
            Self::LlamaCpp => address.without("/v1"),
        })
    }

    fn route(self, model: &str) -> Route {
        match self {
            Self::Anthropic => Route {
                key: ("x-api-key", ""),
                version: Some(("anthropic-version", "2023-06-01")),
                ..Route::bearing(Cow::Borrowed("/messages/count_tokens"))
            },
            Self::OpenAi => Route::bearing(Cow::Borrowed("/responses/input_tokens")),
            Self::Gemini => {
                let name = String::from(js_sys::encode_uri_component(bare(model)));
                let path = Cow::Owned(format!("/models/{name}:countTokens"));
                Route { key: ("x-goog-api-key", ""), ..Route::bearing(path) }
            }
            Self::LlamaCpp => Route::bearing(Cow::Borrowed("/tokenize")),
        }
    }

    /// What is sent: the messages and whatever else the request would have, such as tools.
    fn body(self, model: &str, messages: Vec<Value>, mut request: Map<String, Value>) -> Value {
        match self {
            Self::Anthropic => {
                let messages = beside(messages, &mut request);
                request.insert("model".into(), model.into());
                request.insert("messages".into(), messages.into());
            }
            Self::OpenAi => {
                request.insert("model".into(), model.into());
                request.insert("input".into(), messages.into());
            }
            Self::Gemini if request.is_empty() => {
                request.insert("contents".into(), messages.into());
            }
            Self::Gemini => {
                request.insert("model".into(), format!("models/{}", bare(model)).into());
                request.insert("contents".into(), messages.into());
                return json!({ "generateContentRequest": request });
            }
            Self::LlamaCpp => {
                request.insert("messages".into(), messages.into());
            }
        }
        Value::Object(request)
    }

    /// The count in an answer.
    fn count(self, answer: &Value) -> Option<u32> {
        let count = match self {
            Self::Anthropic | Self::OpenAi => answer.get("input_tokens")?.as_u64()?,
            Self::Gemini => answer.get("totalTokens")?.as_u64()?,
            Self::LlamaCpp => answer.get("tokens")?.as_array()?.len() as u64,
        };
        u32::try_from(count).ok()
    }
}

/// Asks a provider how many tokens it counts in messages, and settles with that or the reason why there is no
/// count. `request` is what else the request to the model has: `system`, `tools`. Of the timeouts only the total
/// counts. No failure is asked again.
pub async fn count_tokens(
    api: CountApi,
    endpoint: &Endpoint,
    messages: Vec<Value>,
    request: Map<String, Value>,
    signal: Option<&AbortSignal>,
) -> Result<u32, EndpointError> {
    let address = api.address(&endpoint.base_url)?;
    let server = Server::counts(endpoint, &address);
    let deadline = &mut Deadline::start(endpoint.timeouts, signal)?;
    let mut body = api.body(&endpoint.model, messages, request);
    if api == CountApi::LlamaCpp {
        let template = Route::bearing(Cow::Borrowed("/apply-template"));
        let prompt = match ask(server, &template, &body, deadline).await {
            Ok(answer) => answer.get("prompt").and_then(Value::as_str).map(str::to_owned),
            // A server from before that path.
            Err(error) if error.status == Some(404) => Some(texts(&body)),
            Err(error) => return Err(error),
        };
        let Some(prompt) = prompt else { return Err(no_count(server)) };
        body = json!({ "content": prompt, "add_special": true, "parse_special": true });
    }
    let answer = ask(server, &api.route(&endpoint.model), &body, deadline).await?;
    api.count(&answer).ok_or_else(|| no_count(server))
}

async fn ask(
    server: Server<'_>,
    route: &Route,
    body: &Value,
    deadline: &mut Deadline,
) -> Result<Value, EndpointError> {
    if let Some(stopped) = deadline.cause() {
        return Err(stopped);
    }
    deadline.await_whole();
    let (head, answer) = post(server, route, &body.to_string(), deadline).await?;
    let good = (200..300).contains(&head.status);
    let limit_bytes = if good { LONGEST_ANSWER_BYTES } else { LONGEST_REFUSAL_BYTES };
    let text = match answer.text(limit_bytes, deadline).await {
        // The status says enough.
        Err(error) if !good && error.code == EndpointErrorCode::CutOff => String::new(),
        read => read.map_err(|error| error.with_status(head.status))?,
    };
    if !good {
        return Err(Refusal::read(head.status, &text).explain(server, head.retry_after_ms));
    }
    let answer: Value =
        serde_json::from_str(&text).map_err(|_| no_count(server).with_status(head.status))?;
    match answer.get("error").filter(|error| !error.is_null()) {
        Some(error) => Err(Refusal::inside_answer(error).explain(server, None)),
        None => Ok(answer),
    }
}

fn no_count(server: Server<'_>) -> EndpointError {
    let shown = server.address.shown();
    let message = format!(
        "{shown} sent something that is no count of tokens; is that the address of the API?"
    );
    EndpointError::new(EndpointErrorCode::BadAnswer, message)
}

/// A model's name without the collection that Google writes before it.
fn bare(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// Puts system messages at the front beside the others, where Anthropic has them.
fn beside(messages: Vec<Value>, request: &mut Map<String, Value>) -> Vec<Value> {
    let is_system = |message: &Value| message.get("role").and_then(Value::as_str) == Some("system");
    let first = messages.iter().take_while(|message| is_system(message)).count();
    let mut messages = messages;
    let rest = messages.split_off(first);
    if first > 0 {
        let told = request.remove("system");
        let told = told.into_iter().chain(
            messages
                .into_iter()
                .filter_map(|mut message| message.get_mut("content").map(Value::take)),
        );
        let blocks = told.flat_map(|content| match content {
            Value::Array(blocks) => blocks,
            text => vec![json!({ "type": "text", "text": text })],
        });
        request.insert("system".into(), blocks.collect());
    }
    rest
}

/// Everything that is said in chat messages, for a server that cannot put them into its template.
fn texts(body: &Value) -> String {
    let mut said = String::new();
    collect(body.get("messages").unwrap_or(&Value::Null), &mut said);
    said
}

fn collect(value: &Value, said: &mut String) {
    match value {
        Value::String(text) => {
            said.push_str(text);
            said.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, said)),
        Value::Object(fields) => {
            let told = fields.iter().filter(|(name, _)| *name != "type" && *name != "id");
            told.for_each(|(_, value)| collect(value, said));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Value> {
        vec![json!({ "role": "user", "content": "hi" })]
    }

    fn request(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn each_provider_is_asked_in_its_own_words() {
        let said = messages();
        let tools = || request(&json!({ "tools": [] }));
        let body = |api: CountApi| api.body("m", messages(), tools());
        assert_eq!(
            body(CountApi::Anthropic),
            json!({ "model": "m", "messages": said, "tools": [] })
        );
        assert_eq!(body(CountApi::OpenAi), json!({ "model": "m", "input": said, "tools": [] }));
        let whole = json!({ "model": "models/m", "contents": said, "tools": [] });
        assert_eq!(body(CountApi::Gemini), json!({ "generateContentRequest": whole }));
        let bare = CountApi::Gemini.body("models/m", messages(), Map::new());
        assert_eq!(bare, json!({ "contents": said }));
        assert_eq!(body(CountApi::LlamaCpp), json!({ "messages": said, "tools": [] }));
    }

    #[test]
    fn system_messages_at_the_front_are_put_beside() {
        let mut all = vec![
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "system", "content": [{ "type": "text", "text": "Be kind." }] }),
        ];
        all.extend(messages());
        let body = CountApi::Anthropic.body("m", all, request(&json!({ "system": "You help." })));
        let text = |text: &str| json!({ "type": "text", "text": text });
        assert_eq!(body["system"], json!([text("You help."), text("Be brief."), text("Be kind.")]));
        assert_eq!(body["messages"], json!(messages()));
    }

    #[test]
    fn every_way_to_write_an_address_leads_to_the_same() {
        for (api, base_url, expected) in [
            (CountApi::Anthropic, "https://h/v1", "https://h/v1/p"),
            (CountApi::Anthropic, "https://h/v1/messages/count_tokens", "https://h/v1/p"),
            (CountApi::Anthropic, "https://h/v1/messages/", "https://h/v1/p"),
            (CountApi::OpenAi, "https://h/v1/responses/input_tokens", "https://h/v1/p"),
            (CountApi::LlamaCpp, "http://h:8080/v1/", "http://h:8080/p"),
            (CountApi::LlamaCpp, "http://h:8080/v1/chat/completions", "http://h:8080/p"),
            (CountApi::LlamaCpp, "http://h:8080", "http://h:8080/p"),
        ] {
            assert_eq!(api.address(base_url).unwrap().at("/p"), expected, "{base_url}");
        }
        for (_, api) in CountApi::NAMED {
            assert!(api.address(api.base_url()).is_ok());
        }
    }

    #[test]
    fn only_a_whole_number_is_a_count() {
        assert_eq!(CountApi::Anthropic.count(&json!({ "input_tokens": 12 })), Some(12));
        assert_eq!(CountApi::Gemini.count(&json!({ "totalTokens": 12 })), Some(12));
        assert_eq!(CountApi::LlamaCpp.count(&json!({ "tokens": [1, 2] })), Some(2));
        for odd in [json!({}), json!({ "input_tokens": -1 }), json!({ "input_tokens": "12" })] {
            assert_eq!(CountApi::OpenAi.count(&odd), None, "{odd}");
        }
    }

    #[test]
    fn what_no_template_takes_is_counted_as_it_is_said() {
        let said = json!({ "messages": [{ "role": "user", "content": [{ "type": "text", "text": "hi" }] }] });
        assert!(texts(&said).contains("hi") && !texts(&said).contains("type"));
    }
}
