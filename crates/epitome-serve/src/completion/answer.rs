//! The answer to a request: a summary if the request asks for one, else a short chat reply.

use epitome::tokens::Tokenizer;
use epitome::transcript::Envelope;
use epitome_extractive::extract;
use epitome_tokens::Heuristic;

use super::chat_reply;
use super::request::Request;

/// A tag of the engine's envelope, which marks a request for a summary.
const ENVELOPE_TAG: &str = "<new_messages>";

/// An answer and its estimated tokens.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The text of the answer.
    pub(crate) text: String,
    /// Tokens of the request's messages.
    pub(crate) prompt_tokens: u32,
    /// Tokens of the answer.
    pub(crate) completion_tokens: u32,
}

impl Answer {
    /// Answers `request`, in time linear in its length. The same request always gets the same answer.
    pub(crate) fn to(request: &Request) -> Self {
        let text = if request.last_user_text().contains(ENVELOPE_TAG) {
            let envelope = Envelope::parse(request.last_user_text());
            extract(&envelope, request.target_tokens(), &Heuristic).text
        } else {
            chat_reply::reply(request)
        };
        let prompt_tokens = request
            .texts()
            .fold(0_u32, |tokens, text| tokens.saturating_add(Heuristic.count(&text)));
        Self { prompt_tokens, completion_tokens: Heuristic.count(&text), text }
    }
}
