//! What the summarizer would read, and how often it would be asked.

use std::borrow::Cow;

use super::{Action, Plan, sum};
use crate::conversation::Conversation;
use crate::history::{Change, LateResults, PartChange};
use crate::message::Entry;
use crate::message::{Message, Part};
use crate::policy::{Policy, WindowTooSmall};
use crate::transcript::chunk::{self, chunks, chunks_within};
use crate::transcript::prompt::{ChunkPlace, Material, instructions};
use crate::transcript::transcript;

impl Plan {
    /// How often the summarizer would be asked. Linear in the number of messages, and in their texts only
    /// where their notes do not tell.
    pub(super) fn count_chunks(
        &self,
        conversation: &Conversation,
        policy: &Policy,
    ) -> Result<usize, WindowTooSmall> {
        let covered = conversation.projection().covered;
        let rewritten = &conversation.projection().rewritten;
        let as_came = rewritten.range(covered..self.tail_start).next().is_none();
        let told = conversation.outline().told(
            self.read(covered),
            covered..self.tail_start,
            &policy.summary,
        );
        match told.filter(|_| as_came && policy.summarizer_window().is_none()) {
            Some(told) => Ok(chunk::count(told, &policy.summary)),
            None => Ok(self.chunks(conversation, policy)?.len()),
        }
    }

    /// Where the messages are that the summarizer would read.
    fn read(&self, covered: usize) -> impl DoubleEndedIterator<Item = usize> + Clone {
        (covered..self.tail_start).filter(|at| {
            self.action(*at) == Action::Summarize || self.retold.binary_search(at).is_ok()
        })
    }

    /// What the summarizer would read, chunk by chunk. Refused where its window has no room for any.
    pub fn chunks(
        &self,
        conversation: &Conversation,
        policy: &Policy,
    ) -> Result<Vec<Vec<Entry>>, WindowTooSmall> {
        let log = conversation.log();
        let covered = conversation.projection().covered;
        let late = LateResults::new(log, conversation.projection());
        let prefix: Vec<(u32, Cow<Message>)> = self
            .read(covered)
            .filter_map(|at| {
                let message = told(conversation, at)?;
                let message = late.retold(&message).map_or(message, Cow::Owned);
                Some((u32::try_from(at + 1).ok()?, message))
            })
            .collect();
        let prefix: Vec<(u32, &Message)> =
            prefix.iter().map(|(number, message)| (*number, message.as_ref())).collect();
        let entries = transcript(&prefix, &policy.summary);
        let Some(window_tokens) = policy.summarizer_window() else {
            return Ok(chunks(entries, &policy.summary));
        };
        // Around a chunk stand the instructions, the summary so far, and the answer.
        let tokenizer = conversation.tokenizer();
        let place = ChunkPlace { index: 0, count: 2 };
        let task = instructions(
            &policy.summary,
            self.reason,
            Material::Chunk(place),
            self.summary_tokens,
            None,
        );
        let answer = self.summary_tokens.saturating_add(self.summary_tokens / 2);
        let previous = conversation.breakdown(0).summary.max(answer);
        let todo = log.todo().map_or(0, |todo| tokenizer.count(todo));
        let around = sum([tokenizer.count(&task), answer, previous, todo, 100].into_iter());
        let budget = window_tokens.saturating_sub(around);
        let needed_tokens = around.saturating_add(500);
        chunks_within(&entries, &policy.summary, budget, tokenizer)
            .ok_or(WindowTooSmall { window_tokens, needed_tokens })
    }
}

/// A message as the summarizer is told of it: as it came, and with the name of whatever was put aside, so
/// that it can be found from the summary.
fn told(conversation: &Conversation, position: usize) -> Option<Cow<'_, Message>> {
    let message = conversation.log().message(position)?;
    let Some(rewritten) = conversation.projection().rewritten.get(&position) else {
        return Some(Cow::Borrowed(message));
    };
    let mut message = message.clone();
    for PartChange { part, change } in &rewritten.rewrite.changes {
        if let (Change::Offload { path, .. }, Some(Part::ToolResult { text, .. })) =
            (change, message.parts.get_mut(*part))
        {
            text.insert_str(0, &format!("[{path}] "));
        }
    }
    Some(Cow::Owned(message))
}
