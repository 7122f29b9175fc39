//! The end of a compaction: the result is verified, committed and reported, or nothing changes.

use super::cycle::Unapplied;
use super::fallback::{Problem, SummarizerStep, SummarizerStepKind};
use super::job::{Job, Stage};
use super::sent_transcript::SentTranscript;
use super::{Asked, Compactor, Event, Output, Save, State, SummaryRequest};
use super::{Outcome, PreparedReport, Report, Waste};
use crate::calibration::Scale;
use crate::contract::Violation;
use crate::conversation::Prospect;
use crate::facts::Receipt;
use crate::history::{Checkpoint, Cover, Record, View};
use crate::message::{CheckpointId, RequestId};
use crate::plan::{Plan, WrittenSummary};
use crate::policy::{Load, Phase, Policy, Reason, SummaryInput, WindowTooSmall, share};
use crate::tokens::MeterTokens;
use crate::transcript::Envelope;

/// A checkpoint that saves enough and whose view the provider accepts. Tokens are those of the next prompt, in
/// the provider's tokens.
pub(super) struct Verified {
    checkpoint: Checkpoint,
    prospect: Prospect,
    tokens_before: u32,
    tokens_after: u32,
}

/// Why a checkpoint is not committed.
pub(super) enum Rejected {
    /// It saves too little; with a shorter summary or a shorter tail it may save enough.
    SavesTooLittle(String),
    /// The provider would reject the view.
    InvalidView(String),
}

impl Rejected {
    fn message(&self) -> &str {
        match self {
            Self::SavesTooLittle(message) | Self::InvalidView(message) => message,
        }
    }

    fn into_outcome(self) -> Outcome {
        match self {
            Self::SavesTooLittle(message) => Outcome::Skipped { message },
            Self::InvalidView(message) => Outcome::Failed { message },
        }
    }
}

impl Compactor {
    /// Sends the job's present request to the summarizer. If messages cannot be sent, it is a transcript.
    pub(super) fn request_summary(&mut self, mut job: Box<Job>) {
        let id = RequestId(self.next_request);
        let mut request = job.request(id, &self.conversation);
        if let Some(view) = &request.messages
            && let Some(problem) = self.refuses_messages(&job, &request, view)
        {
            match job.fall_back_to_transcript(&self.conversation, problem.clone()) {
                Ok(_) => {
                    let step = SummarizerStep::new(SummarizerStepKind::Transcript, problem);
                    job.asked.steps.push(step);
                    request = job.request(id, &self.conversation);
                }
                Err(error) => return self.fail_job(&job, error.to_string()),
            }
        }
        // The plan could only estimate this: the user's instructions were not known to it, and a summarizer may
        // answer with more than the tokens it was asked for.
        if request.messages.is_none()
            && job.tries.summarizer().is_none()
            && let Some(error) = self.exceeds_summarizer_window(&request)
        {
            return self.try_otherwise(job, &Problem::Failed, error.to_string());
        }
        job.tries.is_instructed = false;
        job.tries.target_tokens = request.target_tokens;
        job.attempts += 1;
        job.asked.requests += 1;
        self.next_request += 1;
        // One that reads in slices is no server, and its transcript may be long.
        let is_transcript = request.messages.is_none() && !self.conversation.reads_in_slices();
        let meter = self.conversation.meter();
        let scale = self.conversation.summarizer_scale(&self.policy);
        job.sent = is_transcript.then(|| SentTranscript::new(&request, meter, scale));
        job.asked.transcript = None;
        if job.is_ahead {
            // What is spent in advance is counted, and stored with the draft.
            job.count_sent();
            let tokens = match &request.messages {
                Some(_) => self.prompt_tokens(),
                None => self
                    .scale()
                    .to_provider(meter.count(&request.system) + meter.count(&request.input)),
            };
            job.asked.send(tokens);
        }
        self.outputs.push_back(Output::Summarize(request));
        match job.is_ahead {
            true => self.preparations.wait(job, id),
            false => self.state = State::Summarizing { job, in_flight: id },
        }
    }

    /// Why these messages cannot be sent to the summarizer; `None` if they can.
    fn refuses_messages(&self, job: &Job, request: &SummaryRequest, view: &View) -> Option<String> {
        let is_overflow = self.cycle.phase == Some(Phase::Overflow) && request.reason.is_reactive();
        if request.form == SummaryInput::Conversation && is_overflow {
            return Some("the provider has just refused the conversation as too long".to_owned());
        }
        let (policy, max_tokens) = (&job.policy, request.max_tokens);
        if let Err(error) = job.plan.check_window(
            &self.conversation,
            policy,
            request.form,
            view.prompt(),
            max_tokens,
        ) {
            return Some(error.to_string());
        }
        let accepted = self.provider.accepts(self.log(), view);
        accepted.err().map(|violation| format!("the provider would refuse it: {violation}"))
    }

    /// An error if a transcript does not fit the summarizer's window; `None` if it fits or the window is unknown.
    fn exceeds_summarizer_window(&self, request: &SummaryRequest) -> Option<WindowTooSmall> {
        let window_tokens = self.policy.summarizer_window()?;
        let (meter, scale) =
            (self.conversation.meter(), self.conversation.summarizer_scale(&self.policy));
        let prompt = meter.count(&request.system) + meter.count(&request.input);
        let needed_tokens = scale.to_provider(prompt).saturating_add(request.max_tokens);
        (needed_tokens > window_tokens).then_some(WindowTooSmall { window_tokens, needed_tokens })
    }

    /// Carries out a plan that has no summary.
    pub(super) fn apply_reducers(&mut self, plan: &Plan) {
        // However this ends, reducers have nothing more to save before another message is appended.
        self.cycle.nothing_to_reduce_at = Some(self.log().len());
        if plan.idle.is_some() {
            let message = plan.idle.clone().unwrap_or_default();
            self.end_unchanged(plan, Outcome::Skipped { message }, &Asked::default());
            return;
        }
        match self.verify(plan, None) {
            Ok(verified) => {
                let report = self.report_of(plan, &verified, Receipt::default(), &Asked::default());
                self.commit_checkpoint(verified, report);
            }
            Err(rejected) => self.end_unchanged(plan, rejected.into_outcome(), &Asked::default()),
        }
    }

    /// True if a summary is so long that it is to be summarized itself. At most once: a summarizer that does not shorten
    /// the first time would be asked forever.
    pub(super) fn needs_rollup(&self, job: &Job, summary: &str) -> bool {
        let rollup = job.policy.summary.rollup_tokens;
        rollup > 0
            && matches!(job.stage, Stage::Chunks(_))
            && self.scale().to_provider(self.conversation.meter().count(summary)) > rollup
    }

    /// Asks for a shorter summary in place of this one.
    pub(super) fn roll_up(&mut self, mut job: Box<Job>, previous_summary: String, notes: String) {
        job.stage = Stage::Rollup(Envelope { previous_summary, notes, ..Envelope::default() });
        job.attempts = 0;
        self.request_summary(job);
    }

    /// Ends a compaction before its first request if even the shortest summary would save too little at every
    /// fallback level, since a request costs money and time. True if it ended. Otherwise the job is at the
    /// first level that may save enough.
    pub(super) fn end_if_nothing_saved(&mut self, job: &mut Job) -> bool {
        loop {
            // The frame around a summary costs tokens too. It is measured with the shortest text that a summary
            // can have.
            let shortest = WrittenSummary { summary: ".".into(), ..WrittenSummary::default() };
            let rejected = match self.verify(&job.plan, Some(shortest)) {
                Ok(_) => return false,
                Err(Rejected::SavesTooLittle(_))
                    if job.next_fallback(&self.conversation).is_some() =>
                {
                    continue;
                }
                Err(rejected) => rejected,
            };
            let why = match rejected {
                Rejected::SavesTooLittle(_) => Unapplied::SavedTooLittle,
                Rejected::InvalidView(_) => Unapplied::Failed,
            };
            self.pause_after(&job.plan, why, rejected.message().to_owned());
            self.end_unchanged(&job.plan, rejected.into_outcome(), &job.asked);
            return true;
        }
    }

    /// Moves the job to its next fallback level and emits the event for it. False if no level is left.
    pub(super) fn next_fallback(&mut self, job: &mut Job) -> bool {
        let Some(fallback) = job.next_fallback(&self.conversation) else { return false };
        self.outputs.push_back(Output::Event(Event::Shorter {
            tool_result_max_characters: fallback.tool_result_max_characters,
            keep: fallback.keep,
        }));
        true
    }

    /// Tokens for the lists that this summary lost: as many as the policy allows, as long as the result is no larger
    /// than was planned or is the target, and saves enough.
    pub(super) fn list_budget(&self, plan: &Plan, policy: &Policy, summary: &str) -> MeterTokens {
        let scale = self.scale();
        let longest = scale.to_meter(policy.summary.checklist_tokens);
        if longest == MeterTokens::ZERO {
            return longest;
        }
        let written = WrittenSummary { summary: summary.to_owned(), ..WrittenSummary::default() };
        let prospect = self.conversation.with(&self.checkpoint(plan, Some(written)));
        let before = self.prompt_tokens();
        let least = share(before, policy.min_saving).max(1);
        let most = plan.tokens_after.max(policy.target_tokens()).min(before.saturating_sub(least));
        let left = scale.message_budget(most) - prospect.tokens - plan.ledger_budget();
        longest.min(left)
    }

    fn checkpoint(&self, plan: &Plan, written: Option<WrittenSummary>) -> Checkpoint {
        plan.checkpoint(&self.conversation, &self.policy, self.next_checkpoint(), written)
    }

    /// The id of the next checkpoint. Linear in the records.
    pub(super) fn next_checkpoint(&self) -> CheckpointId {
        // Undone checkpoints count as well: an app may have stored a report with the id of one.
        let committed = u32::try_from(self.log().checkpoints_committed()).unwrap_or(u32::MAX);
        CheckpointId(committed.saturating_add(1))
    }

    /// Makes the checkpoint of a plan and checks that it saves enough, and that the provider accepts its view.
    pub(super) fn verify(
        &self,
        plan: &Plan,
        written: Option<WrittenSummary>,
    ) -> Result<Verified, Rejected> {
        let checkpoint = self.checkpoint(plan, written);
        let prospect = self.conversation.with(&checkpoint);
        let before = self.prompt_tokens();
        let after = self.scale().prompt_tokens(prospect.tokens);
        // A conversation that exceeds its window cannot be sent at all, so that any saving that makes it fit is
        // enough.
        let fits = before > self.policy.window && after <= self.policy.window;
        let least = match checkpoint.cover {
            Some(_) if !fits => share(before, self.policy.min_saving),
            _ => 0,
        };
        if after >= before {
            return Err(Rejected::SavesTooLittle(format!(
                "the summary would not make the conversation smaller: {before} tokens before, {after} \
                 after"
            )));
        }
        if before - after < least {
            return Err(Rejected::SavesTooLittle(format!(
                "the result would save too little to be worth it: {before} tokens before, {after} after, \
                 and policy.minSaving asks for {least} fewer"
            )));
        }
        let accepted = match prospect.view.says_nothing(self.log()) {
            true => Err(Violation::NothingSaid),
            false => self.provider.accepts(self.log(), &prospect.view),
        };
        if let Err(violation) = accepted {
            let message = format!("the result would be refused by the provider: {violation}");
            return Err(Rejected::InvalidView(message));
        }
        Ok(Verified { checkpoint, prospect, tokens_before: before, tokens_after: after })
    }

    /// Tokens of the next prompt after a plan with this summary; `None` if it would not be committed.
    pub(super) fn tokens_after(&self, plan: &Plan, written: WrittenSummary) -> Option<u32> {
        Some(self.verify(plan, Some(written)).ok()?.tokens_after)
    }

    /// The conversion between the meter's tokens and the provider's, as learned so far. Costs O(1).
    pub fn scale(&self) -> Scale {
        self.conversation.scale(&self.policy)
    }

    /// Tokens of the next prompt by the engine's own count, in the provider's tokens.
    pub(super) fn prompt_tokens(&self) -> u32 {
        self.scale().prompt_tokens(self.conversation.counted_tokens())
    }

    pub(super) fn report_of(
        &self,
        plan: &Plan,
        verified: &Verified,
        receipt: Receipt,
        asked: &Asked,
    ) -> Report {
        let Verified { checkpoint, prospect, tokens_before, tokens_after } = verified;
        let after = load_after(verified);
        let summary = checkpoint.cover.as_ref().map(Cover::text);
        let over = match summary.is_some() {
            true => format!(
                "the summary is longer than the {} tokens that were asked for; choose another summarizer, \
                 or compact manually",
                plan.summary_tokens
            ),
            false => "the reducers do not save enough; have the rest summarized".to_owned(),
        };
        let characters = summary.as_ref().map_or(0, |summary| summary.chars().count());
        Report {
            reason: plan.reason,
            outcome: Outcome::Applied { checkpoint: checkpoint.id },
            tokens_before: *tokens_before,
            tokens_after: *tokens_after,
            messages_before: self.conversation.messages(),
            messages_after: u32::try_from(prospect.view.edits.len()).unwrap_or(u32::MAX),
            reduced: plan.reduced(),
            summary,
            summary_characters: u32::try_from(characters).unwrap_or(u32::MAX),
            receipt,
            requests: asked.requests,
            summarizer: asked.report(self.policy.summary.cost),
            waited_ms: None,
            prepared: asked
                .prepared
                .map(|used| PreparedReport { used: Some(used), wasted: Waste::default() }),
            budget_used_pct: self.percent(after.tokens),
            session: self.session(),
            excerpted: plan.excerpted().and_then(|at| Some(self.log().message(at)?.id.clone())),
            floor: self.policy.is_due(&after).then(|| plan.floor.clone().unwrap_or(over)),
            findings: prospect.view.findings.clone(),
        }
    }

    pub(super) fn commit_checkpoint(&mut self, verified: Verified, report: Report) {
        let checkpoint = verified.checkpoint;
        self.commit(Record::Checkpoint { checkpoint: checkpoint.into() }, Some(Box::new(report)));
    }

    /// Asks the host to store a record, which is applied once it is stored.
    pub(super) fn commit(&mut self, record: Record, report: Option<Box<Report>>) {
        if let Some(journal) = self.conversation.journal() {
            journal.announce(&record);
        }
        self.outputs.push_back(Output::Persist(record.clone()));
        self.state = State::Committing { record: Box::new(record), report };
    }

    /// Ends a compaction whose summary failed.
    pub(super) fn fail_job(&mut self, job: &Job, message: String) {
        if job.is_ahead {
            return self.fail_preparation(job, message);
        }
        self.end_failed(&job.plan, message, &job.asked);
    }

    /// Ends a compaction that failed.
    pub(super) fn end_failed(&mut self, plan: &Plan, message: String, asked: &Asked) {
        self.pause_automatic(Unapplied::Failed, message.clone());
        self.end_unchanged(plan, Outcome::Failed { message }, asked);
    }

    /// The same after a plan that saved too little. A task that is too small to summarize does not mean that another
    /// compaction would save too little.
    pub(super) fn pause_after(&mut self, plan: &Plan, why: Unapplied, reason: String) {
        if plan.reason != Reason::TaskTransition {
            self.pause_automatic(why, reason);
        }
    }

    /// Pauses automatic compactions, after one that failed or saved too little: without a pause the next check
    /// would start the same compaction again, in an endless loop of summarizer requests.
    pub(super) fn pause_automatic(&mut self, why: Unapplied, reason: String) {
        self.cycle.handle_unapplied(why, self.prompt_tokens(), self.policy.window);
        self.state = State::Paused { reason };
    }

    /// Ends a compaction that changed nothing.
    pub(super) fn end_unchanged(&mut self, plan: &Plan, outcome: Outcome, asked: &Asked) {
        self.end_transition(plan, &outcome);
        let tokens = self.prompt_tokens();
        let messages = self.conversation.messages();
        self.emit_report(Report {
            reason: plan.reason,
            outcome,
            tokens_before: tokens,
            tokens_after: tokens,
            messages_before: messages,
            messages_after: messages,
            reduced: 0,
            summary: None,
            summary_characters: 0,
            receipt: Receipt::default(),
            requests: asked.requests,
            summarizer: asked.report(self.policy.summary.cost),
            excerpted: None,
            waited_ms: None,
            prepared: None,
            budget_used_pct: self.percent(tokens),
            session: self.session(),
            findings: Vec::new(),
            floor: plan.floor.clone(),
        });
    }

    /// Stores the report of the compaction that has ended, and emits its last events.
    pub(super) fn emit_report(&mut self, mut report: Report) {
        let waited = self.now.zip(self.started_at.take()).map(|(now, then)| now.since_ms(then));
        report.waited_ms = waited.or(self.now.map(|_| 0));
        let wasted = self.preparations.take_waste();
        if wasted != Waste::default() {
            let used = report.prepared.and_then(|prepared| prepared.used);
            report.prepared = Some(PreparedReport { used, wasted });
        }
        self.report = Some(report.clone());
        let (messages_before, messages_after) = (report.messages_before, report.messages_after);
        // A host pairs this event with the start event. A compaction that was skipped or cancelled before it
        // started has none.
        if std::mem::take(&mut self.started) {
            let success = matches!(report.outcome, Outcome::Applied { .. });
            self.outputs.push_back(Output::Save(Save::After { session: self.session(), success }));
            self.outputs.push_back(Output::Event(Event::After {
                success,
                messages_before,
                messages_after,
                summary_characters: report.summary_characters,
            }));
        }
        let reactive = report.reason.is_reactive();
        let report = Box::new(report);
        self.outputs.push_back(Output::Event(match reactive {
            true => Event::Reacted { messages_before, messages_after, report },
            false => Event::End { report },
        }));
    }
}

/// The load that triggers would see after a checkpoint.
pub(super) fn load_after(verified: &Verified) -> Load {
    Load {
        tokens: verified.tokens_after,
        messages: verified.prospect.messages,
        // The provider has not counted a prompt with the new view yet.
        prompt_tokens: None,
    }
}
