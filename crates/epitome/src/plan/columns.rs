//! What each plan says of every message, as columns of numbers, and which rows differ from the plan before.
//!
//! An app asks for a plan after every message. Sending only the rows that differ keeps that cheap for
//! conversations of 100,000 messages.

use std::mem;

use super::{Action, Plan};
use crate::calibration::Scale;
use crate::conversation::Conversation;
use crate::tokens::MeterTokens;

/// The rows of successive plans of one conversation. Tokens are the provider's, each row rounded to the
/// nearest, so that the rows add up to the total of a plan but for half a token a row.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    numbers: Vec<u32>,
    previous: Vec<u32>,
    changed: Vec<u32>,
}

impl Columns {
    /// Replaces the plan before with the next one. Linear.
    pub fn update(&mut self, plan: &Plan, conversation: &Conversation, scale: &Scale) {
        // The swap keeps both allocations. A new list for every plan would allocate more than a megabyte in a
        // long conversation.
        mem::swap(&mut self.numbers, &mut self.previous);
        self.write(plan, conversation, scale);
        epitome_columns::compare(&self.numbers, &self.previous, &mut self.changed);
    }

    /// Three columns with a number for every message, in order: the number of its action in
    /// [`Action::ALL`], its tokens in the view now, and its tokens after the compaction.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The positions of the messages whose row differs from the plan before, and of new messages; sorted.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    fn write(&mut self, plan: &Plan, conversation: &Conversation, scale: &Scale) {
        let (actions, originals) = (&plan.actions, conversation.meter().all_tokens());
        self.numbers.clear();
        self.numbers.extend(actions.iter().map(|action| *action as u32));
        // Written in full and cleared afterwards, by a loop over numbers that compiles to vector instructions.
        for _ in 0..2 {
            // Most conversations are counted as their provider counts: no arithmetic for each row then.
            if scale.is_identity() {
                self.numbers.extend_from_slice(originals);
            } else {
                let tokens = originals.iter().copied().map(MeterTokens::new);
                self.numbers.extend(tokens.map(|tokens| scale.to_provider(tokens)));
            }
        }
        let (gone, going) = (Action::Summarized as u32, Action::Summarize as u32);
        epitome_columns::clear_summarized(&mut self.numbers, gone, going);
        // Only few messages are rewritten. To look up each message in these maps first would cost more than to
        // correct the few rows afterwards.
        for position in conversation.rewritten_tokens().keys().chain(plan.changed.keys()) {
            let (before, after) = plan.message_tokens(conversation, *position);
            for (column, tokens) in [(1, before), (2, after)] {
                if let Some(slot) = self.numbers.get_mut(column * actions.len() + position) {
                    *slot = scale.to_provider(tokens);
                }
            }
        }
    }
}
