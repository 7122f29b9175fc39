//! The messages that a summarizer gets in place of a transcript.

use super::{Plan, tracked};
use crate::conversation::Conversation;
use crate::history::View;
use crate::policy::{Policy, SummaryInput, WindowTooSmall};
use crate::tokens::MeterTokens;
use crate::transcript::prompt::{PromptInput, Tail, instructions};
use crate::transcript::render_state;
use epitome_text::excerpt::split;

/// The most characters that the prompt quotes of the first message that stays.
const QUOTED_CHARACTERS: usize = 120;

impl Plan {
    /// The messages for the summarizer and `prompt`, their last one: the messages to summarize, or the whole view. Costs
    /// O(n log n).
    pub(crate) fn messages(
        &self,
        conversation: &Conversation,
        input: SummaryInput,
        prompt: &str,
    ) -> View {
        let (log, contract) = (conversation.log(), conversation.contract());
        let view = match input {
            SummaryInput::Conversation => conversation.view(),
            SummaryInput::Messages | SummaryInput::Transcript => {
                let positions: Vec<usize> = self.read(conversation).collect();
                View::of_part(log, conversation.projection(), &positions, contract)
            }
        };
        view.with_prompt(log, contract, prompt)
    }

    /// The user message that asks for the summary of messages: the instructions, and the state that the app tracks.
    /// `focus` is what the user asked to pay attention to.
    pub(crate) fn prompt(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        input: SummaryInput,
        target_tokens: u32,
        focus: Option<&str>,
    ) -> String {
        let tail = self.tail(conversation);
        let tail =
            tail.as_ref().map(|(messages, beginning)| Tail { messages: *messages, beginning });
        let input = match input {
            SummaryInput::Conversation => PromptInput::Conversation { tail },
            SummaryInput::Messages | SummaryInput::Transcript => PromptInput::Messages,
        };
        let mut text = instructions(&policy.summary, self.reason, input, target_tokens, focus);
        let state = render_state(&tracked(conversation, &policy.summary));
        if !state.is_empty() {
            text.push_str("\n\nWhat is tracked elsewhere:\n");
            text.push_str(state.trim_end());
        }
        text
    }

    /// An error if the summarizer's window has no space for the messages, this prompt and an answer of `max_tokens`. Linear
    /// in the prompt and the number of messages.
    pub(crate) fn check_window(
        &self,
        conversation: &Conversation,
        policy: &Policy,
        input: SummaryInput,
        prompt: &str,
        max_tokens: u32,
    ) -> Result<(), WindowTooSmall> {
        let window = match input {
            SummaryInput::Conversation => policy.asked_window(),
            SummaryInput::Messages | SummaryInput::Transcript => policy.summarizer_window(),
        };
        let Some(window_tokens) = window else { return Ok(()) };
        let scale = conversation.summarizer_scale(policy);
        let messages = match input {
            SummaryInput::Conversation => conversation.tokens(policy).0,
            SummaryInput::Messages | SummaryInput::Transcript => {
                let read = self.read(conversation).map(|at| conversation.seen_tokens(at));
                let read = read.fold(MeterTokens::ZERO, |sum, tokens| sum + tokens);
                scale.to_provider(read + conversation.present_summary_tokens())
            }
        };
        let prompt = scale.to_provider(conversation.meter().count(prompt));
        let needed_tokens = messages.saturating_add(prompt).saturating_add(max_tokens);
        match needed_tokens > window_tokens {
            true => Err(WindowTooSmall { window_tokens, needed_tokens }),
            false => Ok(()),
        }
    }

    /// True if the policy asks for messages and, as far as a plan knows, they fit the summarizer's window.
    pub(super) fn fits_as_messages(&self, conversation: &Conversation, policy: &Policy) -> bool {
        let input = policy.summary.input;
        if input == SummaryInput::Transcript {
            return false;
        }
        let target_tokens = self.summary_tokens;
        let max_tokens = target_tokens.saturating_add(target_tokens / 2);
        let prompt = self.prompt(conversation, policy, input, target_tokens, None);
        self.check_window(conversation, policy, input, &prompt, max_tokens).is_ok()
    }

    /// How many messages the tail has, and how the first of them begins.
    fn tail(&self, conversation: &Conversation) -> Option<(usize, String)> {
        let mut tail = self.staying().filter(|at| *at >= self.tail_start);
        let first = tail.next()?;
        let text = self.seen(conversation, first)?.readable_text();
        let (beginning, _) = split(&text, QUOTED_CHARACTERS);
        let words: Vec<&str> = beginning.split_whitespace().collect();
        Some((1 + tail.count(), words.join(" ")))
    }
}
