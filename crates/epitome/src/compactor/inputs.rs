//! What the host reports: summaries, failures, counts, stored records.

use super::job::{Job, Stage};
use super::{CommandError, Compactor, Event, Output, State};
use super::{Outcome, Report};
use crate::facts::Receipt;
use crate::history::Record;
use crate::message::Timestamp;
use crate::message::{RequestId, Role, Usage};
use crate::policy::{Failure, FailureKind};
use crate::transcript::invalid_answer::invalid_answer;

impl Compactor {
    /// Takes what the provider counted for the latest request, once its answer was appended. Until the
    /// next compaction it goes before the engine's own count.
    ///
    /// [`Usage::epoch`] tells which view was sent. A reading of another one than the present, as comes
    /// where a compaction ended while the model was answering, only adds to the statistics.
    pub fn handle_usage(&mut self, usage: Usage) {
        self.cycle.used |= self.conversation.record_usage(usage, &self.policy);
    }

    /// Takes what the provider counts for the view as it is now: after a compaction, this is what the
    /// next trigger sees.
    pub fn handle_count(&mut self, tokens: u32) {
        self.conversation.record_count(tokens, &self.policy);
    }

    /// Takes a summary.
    pub fn handle_summary(&mut self, request: RequestId, text: &str) {
        let Some(mut job) = self.take_job(request) else { return };
        let text = text.trim();
        if let Some(message) = invalid_answer(text, self.last_reply().as_deref()) {
            self.fail(&job, message.to_owned());
            return;
        }
        if job.policy.summary.misses_headings(text) && !job.reminded {
            job.reminded = true;
            job.attempts = 0;
            self.ask(job);
            return;
        }
        job.read(&self.conversation);
        let done = match &mut job.stage {
            Stage::Chunks(fold) => fold.advance(text.to_owned()),
            Stage::Rollup(_) => Some(text.to_owned()),
        };
        let (finished, chunks) = job.progress();
        let finished = if done.is_some() { chunks } else { finished };
        self.outputs.push_back(Output::Event(Event::Progress { done: finished, chunks }));
        match done {
            Some(summary) => self.conclude(*job, summary),
            None => {
                job.attempts = 0;
                self.ask(job);
            }
        }
    }

    /// What the model last said.
    fn last_reply(&self) -> Option<String> {
        let said = |message: &&crate::message::Message| {
            message.role == Role::Assistant && !message.text().trim().is_empty()
        };
        self.log().messages().rev().find(said).map(|message| message.text())
    }

    /// Takes a summarizer's failure, at a moment of the host's clock.
    pub fn handle_failure(&mut self, request: RequestId, failure: Failure, now: Timestamp) {
        let Some(job) = self.take_job(request) else { return };
        if failure.kind == FailureKind::Cancelled {
            self.finish(&job.plan, Outcome::Cancelled, job.requests);
            return;
        }
        match self.policy.retry.delay_ms(job.attempts, failure.kind) {
            Some(delay_ms) => {
                let until = now.plus_ms(delay_ms);
                let message = failure.message;
                let retry = Event::Retry { attempt: job.attempts, at: until, message };
                self.outputs.push_back(Output::Event(retry));
                self.state = State::Backoff { job, until };
            }
            None => self.fail(&job, failure.message),
        }
    }

    /// Goes on where the wait that [`Output::Wait`] asked for is over.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Backoff { job, until } if until <= now => self.ask(job),
            state => self.state = state,
        }
    }

    /// Brings a stored record into force.
    pub fn handle_persisted(&mut self) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { record, report } => {
                let offloaded = offloaded(&record);
                self.conversation.append(record)?;
                self.outputs.push_back(Output::Changed);
                for path in offloaded {
                    self.outputs.push_back(Output::Event(Event::Offloaded { path }));
                }
                match report {
                    Some(report) if report.summary.is_some() => {
                        self.cycle = self.cycle.next();
                        let session = self.session();
                        self.end(Report { session, ..*report });
                    }
                    Some(report) => self.end(*report),
                    None => self.cycle.used = true,
                }
                Ok(())
            }
            state => {
                self.state = state;
                Err(CommandError::NothingToPersist)
            }
        }
    }

    /// Drops a record that could not be stored; the view stays as it is. `message` says why.
    pub fn handle_unpersisted(&mut self, message: String) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { report, .. } => {
                if let Some(report) = report {
                    self.exhaust(message.clone());
                    self.end(Report {
                        outcome: Outcome::Failed { message },
                        tokens_after: report.tokens_before,
                        messages_after: report.messages_before,
                        budget_used_pct: self.percent(report.tokens_before),
                        receipt: Receipt::default(),
                        reduced: 0,
                        summary: None,
                        summary_characters: 0,
                        ..*report
                    });
                }
                Ok(())
            }
            state => {
                self.state = state;
                Err(CommandError::NothingToPersist)
            }
        }
    }

    /// The job that waits for an answer to this request; anything else is reported and left aside.
    fn take_job(&mut self, request: RequestId) -> Option<Box<Job>> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Summarizing { job, in_flight } if in_flight == request => Some(job),
            state => {
                self.state = state;
                self.outputs.push_back(Output::Event(Event::Stale { request }));
                None
            }
        }
    }
}

/// The names under which a record puts tool results aside.
fn offloaded(record: &Record) -> Vec<String> {
    use crate::history::Change;
    let Record::Checkpoint { checkpoint } = record else { return Vec::new() };
    let changes = checkpoint.rewrites.iter().flat_map(|rewrite| &rewrite.changes);
    changes
        .filter_map(|change| match &change.change {
            Change::Offload { path, .. } => Some(path.clone()),
            _ => None,
        })
        .collect()
}
