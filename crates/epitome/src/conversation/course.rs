//! How the view has grown, message by message, and what each compaction has taken from it.

use epitome_columns::SortedMap;

use super::Conversation;
use crate::history::{Projection, Record};
use crate::message::CheckpointId;
use crate::policy::Reason;
use crate::tokens::MeterTokens;

/// The size of the view in the course of a conversation, in the meter's tokens without the overhead of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// After each message, by position, and before a compaction that follows it.
    pub tokens: Vec<MeterTokens>,
    /// The active compactions, oldest first.
    pub compactions: Vec<CompactionPoint>,
}

/// What one compaction has taken from the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionPoint {
    /// Its checkpoint.
    pub checkpoint: CheckpointId,
    /// Why it ran.
    pub reason: Reason,
    /// How many messages the conversation had.
    pub messages: usize,
    /// The size of the view before it.
    pub before: MeterTokens,
    /// The size of the view after it.
    pub after: MeterTokens,
}

impl Conversation {
    /// The course of this conversation. A compaction that was undone has no part in it. Linear in the log, and in the size of
    /// the view for each active compaction.
    pub fn course(&self) -> Course {
        let mut course = Course::default();
        let mut projection = Projection::default();
        let mut active = self.log.active_checkpoints().peekable();
        // A provider may accept some reasoning no longer behind a compaction.
        let size = |mut projection: Projection, messages: usize| {
            self.seen_before(&mut projection);
            let base = self.base(&projection, &SortedMap::new());
            let tail = self.meter.span(projection.covered..messages).minus(&base.saved);
            base.kept.sum() + base.summary + tail.sum()
        };
        let mut now = MeterTokens::ZERO;
        let mut reached = 0;
        for record in self.log.records() {
            match record {
                Record::Message { message } | Record::Insert { message, .. } => {
                    let position = self.log.position(&message.id);
                    let behind = position.map_or(reached, |position| position + 1);
                    for at in reached..behind {
                        now += self.meter.tokens(at);
                        course.tokens.push(now);
                    }
                    reached = reached.max(behind);
                }
                Record::Checkpoint { checkpoint }
                    if active.peek().is_some_and(|next| next.id == checkpoint.id) =>
                {
                    active.next();
                    projection.apply(&self.log, checkpoint);
                    let (before, after) = (now, size(projection.clone(), reached));
                    let (id, reason) = (checkpoint.id, checkpoint.reason);
                    let messages = reached;
                    course.compactions.push(CompactionPoint {
                        checkpoint: id,
                        reason,
                        messages,
                        before,
                        after,
                    });
                    now = after;
                }
                _ => {}
            }
        }
        course
    }
}
