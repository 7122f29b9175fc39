//! Asks a server, or the model that the browser has built in.

use epitome::ContextOverflow;
use epitome_browser::{
    AbortSignal, Completion, EndpointError, EndpointErrorCode, Prompt, complete, models,
};

use super::model::Server;
use crate::browser::{ask_model, check_model};

impl Server {
    /// The answer to messages of chat completions, given as JSON. What has arrived is passed on at once.
    pub(crate) async fn answer(
        &self,
        messages: String,
        max_tokens: u32,
        signal: Option<&AbortSignal>,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Completion, EndpointError> {
        if !self.is_built_in() {
            let fields = vec![("messages".to_owned(), messages)];
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

fn failure(words: String, signal: Option<&AbortSignal>) -> EndpointError {
    let code = match ContextOverflow::of(None, "", &words.to_lowercase()) {
        _ if signal.is_some_and(AbortSignal::aborted) => EndpointErrorCode::Aborted,
        Some(_) => EndpointErrorCode::TooLong,
        None => EndpointErrorCode::Refused,
    };
    EndpointError::new(code, words)
}
