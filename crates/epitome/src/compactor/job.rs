//! A compaction under way, and the next question it has for the summarizer.

use std::collections::VecDeque;

use super::SummaryRequest;
use crate::conversation::Conversation;
use crate::facts::{Facts, RetainedText};
use crate::history::Cover;
use crate::message::{MessageId, RequestId};
use crate::plan::Plan;
use crate::policy::{Keep, Policy, Summarizer, WindowTooSmall};
use crate::transcript::Envelope;
use crate::transcript::fold::Fold;
use crate::transcript::prompt::{PromptInput, REMINDER, instructions};

/// A compaction under way.
pub(super) struct Job {
    pub(super) plan: Plan,
    /// The policy that the plan was made by: the one in force, or a harder one where its result was too
    /// large.
    pub(super) policy: Policy,
    pub(super) stage: Stage,
    /// What must not be lost, found in the chunks so far.
    pub(super) facts: Facts,
    /// What stays beside the summary, as far as it was read.
    pub(super) there: RetainedText,
    /// Where the messages are that stay and were not read yet.
    unread: VecDeque<usize>,
    pub(super) instructions: Option<String>,
    /// How often the summarizer was asked the question at hand.
    pub(super) attempts: u32,
    pub(super) requests: u32,
    /// True once the summarizer was reminded of the headings.
    pub(super) reminded: bool,
    /// What is tried next where the result is too large.
    pub(super) fallbacks: VecDeque<FallbackLevel>,
}

/// What is being summarized.
pub(super) enum Stage {
    Chunks(Fold),
    /// The summary itself.
    Rollup(Envelope),
}

/// A harder way to the same end.
#[derive(Clone, Copy)]
pub(super) struct FallbackLevel {
    pub(super) tool_result_max_characters: u32,
    pub(super) keep: Keep,
}

impl Job {
    /// The job of a plan; `None` where there is no text to summarize. Refused where the summarizer's
    /// window has no room for it.
    pub(super) fn new(
        conversation: &Conversation,
        policy: &Policy,
        plan: Plan,
        instructions: Option<String>,
    ) -> Result<Option<Self>, WindowTooSmall> {
        let Some(stage) = Stage::chunks(conversation, policy, &plan)? else { return Ok(None) };
        Ok(Some(Self {
            facts: earlier_facts(conversation),
            there: RetainedText::default(),
            unread: plan.staying().collect(),
            stage,
            policy: policy.clone(),
            plan,
            instructions,
            attempts: 0,
            requests: 0,
            reminded: false,
            fallbacks: fallbacks(policy),
        }))
    }

    /// Plans the same anew by the next fallback of the fallback_levels that leads somewhere. `None` where there is none.
    pub(super) fn climb(&mut self, conversation: &Conversation) -> Option<FallbackLevel> {
        while let Some(fallback) = self.fallbacks.pop_front() {
            if self.take(fallback, conversation).is_some() {
                return Some(fallback);
            }
        }
        None
    }

    fn take(&mut self, fallback: FallbackLevel, conversation: &Conversation) -> Option<()> {
        self.policy.summary.tool_result_max_characters = fallback.tool_result_max_characters;
        self.policy.keep = fallback.keep;
        let plan = Plan::without_requests(conversation, &self.policy, self.plan.reason, None);
        self.stage = Stage::chunks(conversation, &self.policy, &plan).ok()??;
        // What was found so far still counts, though the next transcript shows less of it.
        self.plan = plan;
        self.forget();
        self.attempts = 0;
        Some(())
    }

    /// Reads the chunk at hand for its facts, and the share of the messages that stay which falls to it:
    /// all of them at the end would be one long pause.
    pub(super) fn read(&mut self, conversation: &Conversation) {
        let Stage::Chunks(fold) = &self.stage else { return };
        self.facts.read(&fold.envelope().entries);
        let place = fold.place();
        let chunks = place.count.saturating_sub(place.index).max(1);
        let share = self.unread.len().div_ceil(usize::try_from(chunks).unwrap_or(usize::MAX));
        for position in self.unread.drain(..share) {
            if let Some(message) = self.plan.seen(conversation, position) {
                self.there.add(&message.readable_text(), message.role);
            }
        }
    }

    fn forget(&mut self) {
        self.there = RetainedText::default();
        self.unread = self.plan.staying().collect();
    }

    /// True where the edit of a message leaves nothing of this compaction. What was read of those that
    /// stay is read again otherwise.
    pub(super) fn loses_to_edit_of(&mut self, position: usize) -> bool {
        self.forget();
        position < self.plan.tail_start || self.plan.changes(position)
    }

    /// How many chunks there are, and how many of them are done.
    pub(super) fn progress(&self) -> (u32, u32) {
        match &self.stage {
            Stage::Chunks(fold) => (fold.place().index, fold.place().count),
            Stage::Rollup(_) => (1, 1),
        }
    }

    /// What the summarizer reads now.
    pub(super) fn envelope(&self) -> &Envelope {
        match &self.stage {
            Stage::Chunks(fold) => fold.envelope(),
            Stage::Rollup(envelope) => envelope,
        }
    }

    /// The question at hand.
    pub(super) fn request(&self, id: RequestId) -> SummaryRequest {
        let Plan { reason, summary_tokens, ledger_tokens, .. } = self.plan;
        let settings = &self.policy.summary;
        let longest = match (&self.stage, settings.rollup_tokens) {
            (Stage::Rollup(_), 1..) => settings.rollup_tokens / 2,
            _ => u32::MAX,
        };
        let target_tokens = summary_tokens.saturating_sub(ledger_tokens).min(longest).max(1);
        let (material, chunk_index, chunk_count) = match &self.stage {
            Stage::Chunks(fold) => {
                let place = fold.place();
                (PromptInput::Chunk(place), place.index, place.count)
            }
            Stage::Rollup(_) => (PromptInput::Summary, 0, 1),
        };
        let focus = self.instructions.as_deref();
        let mut system = instructions(settings, reason, material, target_tokens, focus);
        if self.reminded {
            system.push_str(REMINDER);
        }
        SummaryRequest {
            id,
            reason,
            summarizer: settings
                .summarizer()
                .unwrap_or_else(|| Summarizer::Agent { name: String::new() }),
            system,
            input: self.envelope().render(),
            target_tokens,
            max_tokens: target_tokens.saturating_add(target_tokens / 2),
            instructions: self.instructions.clone(),
            chunk_index,
            chunk_count,
        }
    }
}

impl Stage {
    fn chunks(
        conversation: &Conversation,
        policy: &Policy,
        plan: &Plan,
    ) -> Result<Option<Self>, WindowTooSmall> {
        let cover = conversation.projection().cover.as_ref();
        let previous = cover.map(Cover::notes).unwrap_or_default();
        let todo = conversation.log().todo().unwrap_or_default().to_owned();
        let chunks = plan.chunks(conversation, policy)?;
        Ok(Fold::new(chunks, previous, todo).map(Self::Chunks))
    }
}

/// What an earlier summary and its ledger hold already.
fn earlier_facts(conversation: &Conversation) -> Facts {
    let Some(cover) = &conversation.projection().cover else { return Facts::default() };
    let log = conversation.log();
    let number = |id: &MessageId| u32::try_from(log.position(id)? + 1).ok();
    Facts::of_summary(&cover.summary, &cover.ledger, &number)
}

/// The fallback_levels of a policy: shorter tool results, and then shorter tails, down to none.
fn fallbacks(policy: &Policy) -> VecDeque<FallbackLevel> {
    let fallback_levels = &policy.summary.fallback_levels;
    let Some(shortest) = fallback_levels.last().copied() else { return VecDeque::new() };
    let results = fallback_levels.iter().map(|tool_result_max_characters| FallbackLevel {
        tool_result_max_characters: *tool_result_max_characters,
        keep: policy.keep,
    });
    let mut fallbacks: VecDeque<FallbackLevel> = results.collect();
    let mut messages = match policy.keep {
        Keep::Messages(messages) => messages,
        _ => 1,
    };
    while messages > 0 {
        messages /= 2;
        let keep = Keep::Messages(messages);
        fallbacks.push_back(FallbackLevel { tool_result_max_characters: shortest, keep });
    }
    fallbacks
}
