//! What plans say of every message, in columns of numbers, and where one says otherwise than the one before.

use std::mem;
use std::ops::Range;

use super::{Action, Plan};
use crate::conversation::Conversation;

/// Messages that are compared together.
const BLOCK: usize = 64;

/// The plans of one conversation, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    numbers: Vec<u32>,
    earlier: Vec<u32>,
    changed: Vec<u32>,
}

impl Columns {
    /// Takes the next plan in the place of the one before. Linear.
    pub fn take(&mut self, plan: &Plan, conversation: &Conversation) {
        mem::swap(&mut self.numbers, &mut self.earlier);
        self.write(plan, conversation);
        self.compare();
    }

    /// Three columns with a number for every message, in order: its action by its number in [`Action::ALL`], its
    /// tokens as it is seen now, and those as it would be.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Where the messages are of which something else is said than before, and those that came since; in order.
    pub fn changed(&self) -> &[u32] {
        &self.changed
    }

    fn write(&mut self, plan: &Plan, conversation: &Conversation) {
        let (actions, came) = (&plan.actions, conversation.meter().all_tokens());
        let each = || actions.iter().zip(came);
        let before = each().map(|(action, tokens)| match action {
            Action::Summarized => 0,
            _ => *tokens,
        });
        let after = each().map(|(action, tokens)| match action {
            Action::Summarized | Action::Summarize => 0,
            _ => *tokens,
        });
        self.numbers.clear();
        self.numbers.extend(actions.iter().map(|action| *action as u32));
        self.numbers.extend(before);
        self.numbers.extend(after);
        for position in conversation.rewritten_tokens().keys().chain(plan.changed.keys()) {
            let (before, after) = plan.message_tokens(conversation, *position);
            for (column, tokens) in [(1, before), (2, after)] {
                if let Some(slot) = self.numbers.get_mut(column * actions.len() + position) {
                    *slot = tokens;
                }
            }
        }
    }

    fn compare(&mut self) {
        let (count, earlier_count) = (self.numbers.len() / 3, self.earlier.len() / 3);
        let both = count.min(earlier_count);
        let columns = || {
            let now = self.numbers.chunks_exact(count.max(1));
            now.zip(self.earlier.chunks_exact(earlier_count.max(1)))
        };
        self.changed.clear();
        for first in (0..both).step_by(BLOCK) {
            let block = first..both.min(first + BLOCK);
            if columns().any(|(now, earlier)| differ(now, earlier, block.clone())) {
                let otherwise =
                    |at: &usize| columns().any(|(now, earlier)| now.get(*at) != earlier.get(*at));
                self.changed.extend(block.filter(otherwise).filter_map(number));
            }
        }
        self.changed.extend((both..count).filter_map(number));
    }
}

/// True where two columns are not the same in this block. Looks at all of it, as vector instructions do.
fn differ(now: &[u32], earlier: &[u32], block: Range<usize>) -> bool {
    let (Some(now), Some(earlier)) = (now.get(block.clone()), earlier.get(block)) else {
        return true;
    };
    now.iter().zip(earlier).fold(0, |bits, (now, earlier)| bits | (now ^ earlier)) != 0
}

fn number(position: usize) -> Option<u32> {
    u32::try_from(position).ok()
}
