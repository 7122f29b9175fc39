//! What a host sends besides the view, or in place of a part of it, in the next request only: counted and never stored.

use super::Conversation;
use crate::calibration::ContextTokens;
use crate::message::Message;
use crate::tokens::{ScriptTokens, Weights};

/// Tokens by script of the messages that a host adds to the view for a request, and of those of the view that it leaves out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestContext {
    added: ScriptTokens,
    left_out: ScriptTokens,
}

impl RequestContext {
    pub(super) fn tokens(&self, weights: Weights) -> ContextTokens {
        let [added, left_out] = [&self.added, &self.left_out].map(|tokens| weights.total(tokens));
        ContextTokens { added, left_out }
    }

    /// A view with these tokens, as it is sent.
    pub(super) fn applied_to(&self, view: &ScriptTokens) -> ScriptTokens {
        view.plus(&self.added).minus(&self.left_out)
    }

    /// How many tokens of a view are not sent, before weights are applied.
    pub(super) fn left_out(&self) -> u32 {
        self.left_out.sum()
    }
}

impl Conversation {
    /// Counts what the next request has besides the view, such as the messages of context providers, and what it leaves out
    /// of the view, until this is called again. All of it counts as used, and a plan leaves room for it. Linear in the texts.
    pub fn set_request_context<'a>(
        &mut self,
        added: impl IntoIterator<Item = &'a Message>,
        left_out: impl IntoIterator<Item = &'a Message>,
    ) {
        self.context = RequestContext {
            added: self.by_script_of(added),
            left_out: self.by_script_of(left_out),
        };
    }

    fn by_script_of<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> ScriptTokens {
        let costs = messages.into_iter().map(|message| self.meter.measure(message).by_script());
        costs.fold(ScriptTokens::default(), |sum, cost| sum.plus(&cost))
    }
}
