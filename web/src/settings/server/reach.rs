//! Asks a server, or the model that the browser has built in.

use std::collections::BTreeSet;

use epitome::ContextOverflow;
use epitome_browser::{
    AbortSignal, Completion, EndpointError, EndpointErrorCode, Prompt, complete, models,
};
use serde_json::{Value, json};

use super::known::needs_tools;
use super::model::Server;
use crate::browser::{ask_model, check_model};

impl Server {
    /// The answer to messages of chat completions, given as JSON, which have calls of these tools. What has arrived is passed on at
    /// once.
    pub(crate) async fn answer(
        &self,
        messages: String,
        called: &BTreeSet<String>,
        max_tokens: u32,
        signal: Option<&AbortSignal>,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Completion, EndpointError> {
        if !self.is_built_in() {
            let mut fields = vec![("messages".to_owned(), messages)];
            if !called.is_empty() && needs_tools(&self.base_url) {
                fields.extend(names_of_tools(called));
            }
            let prompt = Prompt { max_tokens, fields, ..Prompt::default() };
            return complete(&self.endpoint(), &prompt, signal, on_delta).await;
        }
        let text = ask_model(&messages, signal, on_delta).await;
        let text = text.map_err(|words| failure(words, signal))?.trim().to_owned();
        match text.is_empty() {
            true => {
                let words = "the model answered without any text";
                Err(EndpointError::new(EndpointErrorCode::Empty, words))
            }
            false => Ok(Completion { text, usage: None, finish_reason: None }),
        }
    }

    /// The names of the models that it has.
    pub(super) async fn models(
        &self,
        signal: Option<&AbortSignal>,
    ) -> Result<Vec<String>, EndpointError> {
        if self.is_built_in() {
            let checked = check_model().await;
            return checked
                .map(|()| vec![self.model().to_owned()])
                .map_err(|words| failure(words, signal));
        }
        models(&self.endpoint(), signal).await
    }
}

/// The fields of a request that say which tools its messages have calls of, and that the model is to call none.
///
/// The page cannot run tools, so that it sends none. Most servers take the calls that are in the messages already without them; only
/// those that do not get the names.
fn names_of_tools(called: &BTreeSet<String>) -> [(String, String); 2] {
    let tool = |name: &String| {
        let function = json!({ "name": name, "parameters": { "type": "object" } });
        json!({ "type": "function", "function": function })
    };
    let tools: Value = called.iter().map(tool).collect();
    [("tools".to_owned(), tools.to_string()), ("tool_choice".to_owned(), json!("none").to_string())]
}

fn failure(words: String, signal: Option<&AbortSignal>) -> EndpointError {
    let code = match ContextOverflow::of(None, "", &words.to_lowercase()) {
        _ if signal.is_some_and(AbortSignal::aborted) => EndpointErrorCode::Aborted,
        Some(_) => EndpointErrorCode::TooLong,
        None => EndpointErrorCode::Refused,
    };
    EndpointError::new(code, words)
}
