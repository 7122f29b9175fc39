//! From the decision for a compaction to its first request: the texts to summarize are read, in slices.

use super::inputs::Answer;
use super::job::Job;
use super::{BeforeCompaction, CommandError, Compactor, Event, Outcome, Output, Save, State};
use crate::message::Role;
use crate::plan::Plan;

/// How far the texts to summarize are read.
pub(super) enum Read {
    /// More slices follow.
    Partly,
    /// They are divided into chunks.
    Whole,
    /// They have nothing to summarize.
    Nothing,
}

impl Compactor {
    pub(super) fn before(&self, plan: &Plan) -> BeforeCompaction {
        let tokens_used = self.pressure().tokens;
        let is_counted = |at: &usize| {
            self.log().message(*at).is_some_and(|message| message.role != Role::System)
        };
        let stays = plan.staying().filter(is_counted);
        BeforeCompaction {
            reason: plan.reason,
            forced: plan.reason.is_asked_for(),
            tokens_used,
            context_percent: self.percent(tokens_used),
            message_count: self.conversation.messages(),
            keep_last: u32::try_from(stays.count()).unwrap_or(u32::MAX),
        }
    }

    /// Starts the compaction that [`Output::Before`] announced: the summarizer gets its first request.
    pub fn proceed(&mut self) -> Result<(), CommandError> {
        let mut job = self.take_decision()?;
        self.started_at = self.now;
        job.begin_reading(&self.conversation);
        self.read(job);
        Ok(())
    }

    /// Reads a slice of the texts to summarize. With the last one, the compaction starts.
    pub(super) fn read(&mut self, mut job: Box<Job>) {
        match job.read_on(&self.conversation, self.slice) {
            Ok(Read::Partly) => self.state = State::Reading { job },
            Ok(Read::Whole) => self.start(job),
            Ok(Read::Nothing) => self.end_without_text(&job.plan),
            Err(error) => self.end_failed(&job.plan, error.to_string(), &job.asked),
        }
    }

    /// Asks for the summary, or takes one that is there.
    fn start(&mut self, mut job: Box<Job>) {
        self.outputs.push_back(Output::Save(Save::Before { session: self.session() }));
        let tokens = self.pressure().tokens;
        let budget_used_pct = self.percent(tokens);
        let (_, chunks) = job.progress();
        self.outputs.push_back(Output::Event(match job.plan.reason.is_reactive() {
            true => Event::Reacting { tokens, budget_used_pct, chunks },
            false => {
                let threshold = self.policy.threshold();
                Event::Start { tokens, threshold, budget_used_pct, chunks }
            }
        }));
        self.started = true;
        match self.shared_summary(&job) {
            Some(summary) => {
                job.take_shared(&self.conversation);
                self.take_answer(job, Answer { summary, notes: String::new() });
            }
            None => self.use_draft(job),
        }
    }

    /// Ends the compaction that [`Output::Before`] announced, before it starts.
    pub fn skip(&mut self) -> Result<(), CommandError> {
        let job = self.take_decision()?;
        let message = "the app decided against it".to_owned();
        self.end_unchanged(&job.plan, Outcome::Skipped { message }, &job.asked);
        Ok(())
    }

    fn take_decision(&mut self) -> Result<Box<Job>, CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Deciding { job } => Ok(job),
            state => {
                self.state = state;
                Err(CommandError::NothingToDecide)
            }
        }
    }
}
