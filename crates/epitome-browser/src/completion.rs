//! A prompt for a summarizer, and the completion that answers it.

use epitome::message::Usage;
use epitome_formats::read_usage;
use serde::Serialize;
use serde_json::Value;

/// What to ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The system message; not sent if it is empty.
    pub system: String,
    /// The user message.
    pub user: String,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
    /// Fields of the request's body by name, each a JSON text that is sent as it is, so that a provider finds the same
    /// bytes in its cache. A field that is here takes precedence over the one that would be written: with `messages`,
    /// `system` and `user` are not sent.
    pub fields: Vec<(String, String)>,
    /// True if the instructions ask for changes to the structured state beside the summary. The endpoint's
    /// [`AnswerFormat`](crate::AnswerFormat) says how the server is to hold the model to that.
    pub asks_for_state: bool,
}

impl Prompt {
    /// The body with these fields, as far as `self.fields` has no others of their names.
    pub(crate) fn body(&self, own: Vec<(&str, Value)>) -> String {
        let is_own = |(name, _): &(&str, Value)| self.fields.iter().all(|(given, _)| given != name);
        let own = own.into_iter().filter(is_own);
        let mut body = String::from("{");
        let own = own.map(|(name, value)| (Value::from(name), value.to_string()));
        let given =
            self.fields.iter().map(|(name, json)| (Value::from(name.as_str()), json.clone()));
        for (index, (name, json)) in own.chain(given).enumerate() {
            if index > 0 {
                body.push(',');
            }
            body.push_str(&name.to_string());
            body.push(':');
            body.push_str(&json);
        }
        body.push('}');
        body
    }

    /// True if messages are sent in place of `system` and `user`. Gemini calls them contents.
    pub(crate) fn has_messages(&self) -> bool {
        self.fields.iter().any(|(name, _)| name == "messages" || name == "contents")
    }
}

/// A complete answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The text, without white space before it and without a `<think>…</think>` at its start; never empty. If it was
    /// streamed, it is the deltas joined.
    pub text: String,
    /// Tokens, if the server reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<CompletionUsage>,
    /// Why the model stopped, in the server's words: mostly `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
}

/// Tokens of a completion as the server reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct CompletionUsage {
    /// Tokens of the prompt, cached or not. Far fewer than estimated mean that the server truncated it silently.
    pub prompt_tokens: u32,
    /// Tokens of the prompt that the provider read from its cache, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u32>,
    /// Tokens of the answer, including reasoning.
    pub completion_tokens: u32,
}

/// For the engine's report.
impl From<CompletionUsage> for Usage {
    fn from(usage: CompletionUsage) -> Self {
        let CompletionUsage { prompt_tokens, cached_tokens, completion_tokens } = usage;
        Self { prompt_tokens, cached_tokens, completion_tokens, ..Self::default() }
    }
}

impl CompletionUsage {
    /// Reads the usage object of any provider.
    pub(crate) fn read(usage: &Value) -> Option<Self> {
        let usage = read_usage(usage)?;
        Some(Self {
            prompt_tokens: usage.prompt_tokens,
            cached_tokens: usage.cached_tokens,
            completion_tokens: usage.completion_tokens,
        })
    }
}
