//! What the host reports to the compactor: summaries, failures, token counts, stored records, and what it is able to.

use std::borrow::Cow;

use super::cycle::Unapplied;
use super::fallback::Problem;
use super::job::{Job, Stage};
use super::shorten::shortened;
use super::{CommandError, Compactor, Event, Output, State};
use super::{Outcome, PromptCut, Report};
use crate::conversation::Reported;
use crate::facts::Receipt;
use crate::history::Record;
use crate::message::Timestamp;
use crate::message::{RequestId, Usage};
use crate::policy::{Failure, FailureKind, Reason};
use crate::structured_state::{StateDelta, read_answer};
use crate::transcript::invalid_answer::invalid_answer;
use crate::transcript::repeats::{without_lines_of, without_repeats};

/// The longest notes of a summarizer, in bytes. They are stored with every checkpoint.
const MAX_NOTES: usize = 100_000;

impl Compactor {
    /// Says what time it is by the host's clock, for the reports: how long the user has waited for a compaction is measured by
    /// it. Milliseconds of any monotonic clock.
    pub fn set_time(&mut self, now: Timestamp) {
        self.now = Some(now);
    }

    /// Says how much text one slice of work reads, in bytes: about so many, since a message is read whole. The default is a few
    /// milliseconds of work in a browser.
    pub fn set_slice(&mut self, bytes: usize) {
        self.slice = bytes.max(1);
    }

    /// Says that the summarizer reads a transcript in slices and costs no requests, as the one without a model does. Its chunks have
    /// 1,000,000 characters then, whatever the policy's `summary.chunkCharacters` is: with each chunk, it reads its summary so far
    /// once more. It holds for agents that are asked for later, too. Default: false.
    pub fn set_reads_in_slices(&mut self, reads_in_slices: bool) {
        self.conversation.set_reads_in_slices(reads_in_slices);
    }

    /// Records what the provider counted for the latest request, after its answer was appended. Until the next
    /// compaction it replaces the engine's own count.
    ///
    /// [`Usage::epoch`] says which view was sent. If a compaction ended while the model was answering, that is
    /// not the present view, and the usage only adds to the statistics.
    ///
    /// A count that cannot be true, such as 0, is not used, and is reported as [`Event::UsageIgnored`].
    pub fn handle_usage(&mut self, usage: Usage) {
        let reported = self.conversation.record_usage(usage, &self.policy);
        self.cycle.view_sent |= reported != Reported::OtherView;
        self.note_state();
        self.show_ignored(reported, usage.context_tokens());
    }

    /// Records what the provider's counting endpoint returned for the present view, for the next trigger. As with a usage,
    /// a count that cannot be true is not used.
    pub fn handle_count(&mut self, tokens: u32) {
        let reported = self.conversation.record_count(tokens, &self.policy);
        self.note_state();
        self.show_ignored(reported, tokens);
    }

    fn show_ignored(&mut self, reported: Reported, tokens: u32) {
        if reported == Reported::Ignored {
            let (used, _) = self.conversation.tokens(&self.policy);
            self.outputs.push_back(Output::Event(Event::UsageIgnored { reported: tokens, used }));
        }
    }

    /// Records what the provider reported for a summarizer request that is open, for the report of the compaction. To be
    /// called before the request's answer or failure is handed over. If it shows that the server has cut the prompt, that is
    /// reported as [`Event::PromptCut`].
    pub fn handle_summary_usage(&mut self, request: RequestId, usage: &Usage) {
        let Some(job) = self.job_of(request) else { return };
        job.count_sent();
        job.asked.add(usage);
        if let Some(cut) = job.asked.cut_by(usage) {
            let PromptCut { reported, estimated } = cut;
            let event = Event::PromptCut { reported, estimated, message: cut.message() };
            self.outputs.push_back(Output::Event(event));
        }
    }

    /// Takes what a summarizer wants to find as [`SummaryRequest::notes`](crate::SummaryRequest::notes) in the request for the
    /// summary after this one; the model never sees it. To be called before the answer is handed over. Notes of more than
    /// 100,000 bytes are not kept.
    pub fn handle_summary_notes(&mut self, request: RequestId, notes: &str) {
        if let Some(job) = self.job_of(request).filter(|_| notes.len() <= MAX_NOTES) {
            notes.clone_into(&mut job.notes);
        }
    }

    /// Takes what the summary is to begin with, before the answer: the state of the messages as a program has read it, with which
    /// the model was asked to amend it. What it says is in the messages, so that only the answer is checked for being a summary.
    /// A fence with changes to the structured state at its end is read as in an answer, and applied before those of the
    /// answer. To be called before the answer is handed over.
    pub fn handle_summary_state(&mut self, request: RequestId, state: &str) {
        if let Some(job) = self.job_of(request) {
            state.trim_end().clone_into(&mut job.state);
        }
    }

    /// Says that the summarizer of a request was given the request's instructions, as a model behind an endpoint is, so that an
    /// answer without their headings is no summary. To be called before the answer is handed over.
    pub fn handle_instructed(&mut self, request: RequestId) {
        if let Some(job) = self.job_of(request) {
            job.tries.is_instructed = true;
        }
    }

    /// Accepts the answer to a summarizer request. Depending on what is left to do, the next request or the record
    /// to store follows. After an invalid answer, such as a refusal, a loop or a copy of the last reply, the summarizer is asked
    /// once more, then for smaller chunks, and then the next one of `summary.fallbackSummarizers`; if the summarizer got
    /// messages, it gets a transcript before. If nothing helps, the compaction ends.
    pub fn handle_summary(&mut self, request: RequestId, text: &str) {
        if self.take_blended(request, text) {
            return;
        }
        let Some(mut job) = self.take_job(request) else { return };
        let state = std::mem::take(&mut job.state);
        let (summary, changes) = self.read_changes(&job, text);
        let (before, first) = self.read_changes(&job, &state);
        let state = before.as_deref().unwrap_or(&state).trim_end();
        let text = without_lines_of(state, summary.as_deref().unwrap_or(text));
        let text = text.trim();
        let instructions = job.instructions_sent();
        if let Some(message) =
            invalid_answer(text, job.last_reply(&self.conversation), &instructions)
        {
            return self.try_otherwise(job, &Problem::NoSummary, message.to_owned());
        }
        if job.policy.summary.misses_headings(text, job.tries.is_instructed)
            && !job.tries.accepts_without_headings()
        {
            let message = "the summary has none of the headings that it was asked for; try another \
                           model, or set summary.checkHeadings to false";
            return self.try_otherwise(job, &Problem::NoHeadings, message.to_owned());
        }
        job.tries.reminder = None;
        job.changes.extend(first.into_iter().chain(changes));
        let notes = std::mem::take(&mut job.notes);
        // A summarizer with notes reads its text again, as it has written it.
        let text = match notes.is_empty() {
            true => without_repeats(text),
            false => Cow::Borrowed(text),
        };
        let summary = match state {
            "" => text.into_owned(),
            state => {
                let meter = self.conversation.meter();
                let most = self.scale().to_meter(job.tries.target_tokens) - meter.count(state);
                format!("{state}\n{}", shortened(&text, state, most, meter))
            }
        };
        self.take_answer(job, Answer { summary, notes });
    }

    /// Reads a slice of the facts of what a summary is about: an answer, or one that was there before. With the last one, the next
    /// chunk is asked for, or the summary is complete.
    pub(super) fn take_answer(&mut self, mut job: Box<Job>, answer: Answer) {
        // Before the fold goes on, which drops the chunk.
        if !job.is_ahead && !job.read_facts(self.slice) {
            self.state = State::Taking { job, answer };
            return;
        }
        let Answer { summary, notes } = answer;
        if matches!(job.stage, Stage::Written) {
            return self.apply_summary(job, summary, notes);
        }
        let done = match &mut job.stage {
            Stage::Chunks(fold) => fold.advance(summary, notes),
            Stage::Rollup(_)
            | Stage::Correction { .. }
            | Stage::Planned { .. }
            | Stage::Reading { .. }
            | Stage::Written => Some((summary, notes)),
        };
        let (finished, chunks) = job.progress();
        // The fold stays at its last chunk, so that its index alone would never report all chunks as done.
        let finished = if done.is_some() { chunks } else { finished };
        if !job.is_ahead {
            self.outputs.push_back(Output::Event(Event::Progress { done: finished, chunks }));
        }
        match done {
            Some((summary, notes)) if self.needs_rollup(&job, &summary) => {
                self.roll_up(job, summary, notes);
            }
            Some((summary, notes)) if job.is_ahead => self.keep_draft(*job, summary, notes),
            Some((summary, notes)) => self.apply_summary(job, summary, notes),
            None => {
                job.attempts = 0;
                self.request_summary(job);
            }
        }
    }

    /// The summary in an answer and the changes to the structured state, if this job asks for them. An entry without sources
    /// gets the message of the chunk that has most of its words.
    fn read_changes(&self, job: &Job, answer: &str) -> (Option<String>, Option<StateDelta>) {
        if !job.asks_for_state() {
            return (None, None);
        }
        let id = |number: u32| {
            self.conversation.message_numbered(number).map(|message| message.id.clone())
        };
        let (summary, mut changes) = read_answer(answer, &id);
        if let Stage::Chunks(fold) = &job.stage {
            changes.attribute(&fold.envelope().entries, &id);
        }
        (Some(summary), Some(changes))
    }

    /// Accepts the failure of a summarizer request, at `now` by the host's clock. The request is repeated after
    /// a pause if the policy's retries allow it. Otherwise smaller chunks are asked for, if a limit of tokens was the reason, and
    /// then the next one of `summary.fallbackSummarizers`; if nothing helps, the compaction ends.
    pub fn handle_failure(&mut self, request: RequestId, failure: Failure, now: Timestamp) {
        if self.blending_failed(request, &failure.message) {
            return;
        }
        let Some(job) = self.take_job(request) else { return };
        let problem = Problem::of(failure.kind);
        if job.is_ahead && matches!(problem, Problem::Failed) {
            return self.fail_job(&job, failure.message);
        }
        if failure.kind == FailureKind::Cancelled {
            self.end_unchanged(&job.plan, Outcome::Cancelled, &job.asked);
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
            None => self.try_otherwise(job, &problem, failure.message),
        }
    }

    /// Repeats the summarizer request if the pause that [`Output::Wait`] announced is over.
    pub fn handle_timeout(&mut self, now: Timestamp) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Backoff { job, until } if until <= now => self.request_summary(job),
            state => self.state = state,
        }
    }

    /// Applies the record that the host has stored; only now does the view change.
    pub fn handle_persisted(&mut self) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { record, report } => {
                let offloaded = offloaded(&record);
                let covers = self.cover_changes_with(&record);
                self.conversation.append(*record)?;
                if report.as_ref().is_some_and(|it| it.reason == Reason::TaskTransition) {
                    self.share_task_summary();
                }
                if covers {
                    self.drop_preparation("another compaction has come before it");
                }
                self.outputs.push_back(Output::Changed);
                for path in offloaded {
                    self.outputs.push_back(Output::Event(Event::Offloaded { path }));
                }
                match report {
                    Some(report) if report.summary.is_some() => {
                        self.cycle = self.cycle.next();
                        let session = self.session();
                        self.emit_report(Report { session, ..*report });
                    }
                    Some(report) => self.emit_report(*report),
                    // An undo brings back a view that was sent before, so that an automatic compaction may be
                    // due at once.
                    None => self.cycle.view_sent = true,
                }
                Ok(())
            }
            state => {
                self.state = state;
                Err(CommandError::NothingToPersist)
            }
        }
    }

    /// Discards the record that the host could not store; the view stays as it is. `message` says why.
    pub fn handle_unpersisted(&mut self, message: String) -> Result<(), CommandError> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Committing { record, report } => {
                if let Some(journal) = self.conversation.journal() {
                    journal.retract(&record);
                }
                if let Some(report) = report {
                    // While the host cannot store, the next check would start the same compaction, with all of
                    // its summarizer requests.
                    self.pause_automatic(Unapplied::Failed, message.clone());
                    self.emit_report(Report {
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

    /// True if a record changes which summary is active.
    fn cover_changes_with(&self, record: &Record) -> bool {
        match record {
            Record::Checkpoint { checkpoint } => checkpoint.cover.is_some(),
            Record::Undo { .. } => true,
            _ => false,
        }
    }

    /// The job that waits for the answer to this request.
    fn job_of(&mut self, request: RequestId) -> Option<&mut Job> {
        match &mut self.state {
            State::Summarizing { job, in_flight } if *in_flight == request => Some(job),
            _ => self.preparations.job(request),
        }
    }

    /// The job that waits for the answer to this request. Other requests are reported as stale.
    fn take_job(&mut self, request: RequestId) -> Option<Box<Job>> {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Summarizing { job, in_flight } if in_flight == request => Some(job),
            state => {
                self.state = state;
                if let Some(job) = self.preparations.take_job(request) {
                    return Some(job);
                }
                self.outputs.push_back(Output::Event(Event::Stale { request }));
                None
            }
        }
    }
}

/// A valid answer of the summarizer.
pub(super) struct Answer {
    pub(super) summary: String,
    pub(super) notes: String,
}

/// The paths under which a record stores tool results.
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
