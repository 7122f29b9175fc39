//! What is answered: a summary where one is asked for, small talk otherwise.

use epitome::extractive::extract;
use epitome::tokens::Tokenizer;
use epitome::transcript::Envelope;
use epitome_tokens::Heuristic;

use super::request::Request;
use super::small_talk;

/// The mark of an envelope, which is how a summary is asked for.
const ENVELOPE: &str = "<new_messages>";

/// An answer and what it would have cost.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The answer.
    pub(crate) text: String,
    /// Tokens of the request.
    pub(crate) prompt_tokens: u32,
    /// Tokens of the answer.
    pub(crate) completion_tokens: u32,
}

impl Answer {
    /// Answers `request`. Takes time in proportion to its length; the same request has the same answer.
    pub(crate) fn to(request: &Request) -> Self {
        let text = if request.asked().contains(ENVELOPE) {
            extract(&Envelope::parse(request.asked()), request.target_tokens(), &Heuristic)
        } else {
            small_talk::reply(request)
        };
        let prompt_tokens = request
            .texts()
            .fold(0_u32, |tokens, text| tokens.saturating_add(Heuristic.count(&text)));
        Self { prompt_tokens, completion_tokens: Heuristic.count(&text), text }
    }
}
