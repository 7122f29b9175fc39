//! How a compaction ends: verified, committed and reported, or left as it was.

use super::job::{Job, Stage};
use super::{Compactor, Event, Output, State, SummaryRequest};
use super::{Outcome, Report};
use crate::calibration::Scale;
use crate::conversation::Prospect;
use crate::facts::{Receipt, build_receipt};
use crate::history::{Checkpoint, Cover, Record};
use crate::message::{CheckpointId, RequestId, Role};
use crate::plan::{Plan, WrittenSummary};
use crate::policy::{Load, WindowTooSmall, share};
use crate::transcript::Envelope;

/// A checkpoint that has been verified, with tokens of the next prompt before and after.
struct Verified {
    checkpoint: Checkpoint,
    prospect: Prospect,
    tokens_before: u32,
    tokens_after: u32,
}

/// Why a step is not taken.
enum Refused {
    /// It gains too little.
    Worthless(String),
    /// The provider would refuse the result.
    Illegal(String),
}

impl Refused {
    fn message(&self) -> &str {
        match self {
            Self::Worthless(message) | Self::Illegal(message) => message,
        }
    }

    fn into_outcome(self) -> Outcome {
        match self {
            Self::Worthless(message) => Outcome::Skipped { message },
            Self::Illegal(message) => Outcome::Failed { message },
        }
    }
}

impl Compactor {
    pub(super) fn ask(&mut self, mut job: Box<Job>) {
        let id = RequestId(self.next_request);
        let request = job.request(id);
        if let Some(error) = self.unfit(&request) {
            return self.fail(&job, error.to_string());
        }
        job.attempts += 1;
        job.requests += 1;
        self.next_request += 1;
        self.outputs.push_back(Output::Summarize(request));
        self.state = State::Summarizing { job, in_flight: id };
    }

    /// Why a question does not fit the summarizer's window, where that is known and it does not.
    fn unfit(&self, request: &SummaryRequest) -> Option<WindowTooSmall> {
        let window_tokens = self.policy.summarizer_window()?;
        let (meter, scale) =
            (self.conversation.meter(), self.conversation.summarizer_scale(&self.policy));
        let prompt = meter.count(&request.system) + meter.count(&request.input);
        let needed_tokens = scale.to_provider(prompt).saturating_add(request.max_tokens);
        (needed_tokens > window_tokens).then_some(WindowTooSmall { window_tokens, needed_tokens })
    }

    /// Does what a plan does without a summary.
    pub(super) fn reduce(&mut self, plan: &Plan) {
        if plan.idle.is_some() {
            self.cycle.trimmed_at = Some(self.log().len());
            let message = plan.idle.clone().unwrap_or_default();
            self.finish(plan, Outcome::Skipped { message }, 0);
            return;
        }
        match self.verify(plan, None) {
            Ok(verified) => {
                self.cycle.trimmed_at = Some(self.log().len());
                let report = self.report_of(plan, &verified, Receipt::default(), 0);
                self.commit_step(verified, report);
            }
            Err(refused) => {
                self.cycle.trimmed_at = Some(self.log().len());
                self.finish(plan, refused.into_outcome(), 0);
            }
        }
    }

    /// Verifies what a summary would make of the view, and only then has it stored.
    pub(super) fn conclude(&mut self, mut job: Job, summary: String) {
        let rollup = job.policy.summary.rollup_tokens;
        let meter = self.conversation.meter();
        if rollup > 0
            && matches!(job.stage, Stage::Chunks(_))
            && self.scale().to_provider(meter.count(&summary)) > rollup
        {
            job.stage =
                Stage::Rollup(Envelope { previous_summary: summary, ..Envelope::default() });
            job.attempts = 0;
            self.ask(Box::new(job));
            return;
        }
        let mut there = std::mem::take(&mut job.there);
        there.add(&job.plan.appendix(&self.conversation, &job.policy), Role::User);
        let facts = match job.fallbacks.is_empty() {
            true => std::mem::take(&mut job.facts),
            false => job.facts.clone(),
        };
        let mut receipt =
            build_receipt(facts, &summary, there, job.plan.ledger_budget(), meter, &|number| {
                self.log().message_numbered(number).map(|message| message.id.clone())
            });
        // A name may stand in the middle of what was taken for another one, or behind an excerpt.
        let told = |name: &String| {
            self.log().messages().take(job.plan.tail_start).any(|message| message.contains(name))
        };
        receipt.unsupported.retain(|name| !told(name));
        let written = WrittenSummary { summary, ledger: receipt.appended.clone() };
        let verified = match self.verify(&job.plan, Some(written)) {
            Ok(verified) => verified,
            Err(Refused::Illegal(message)) => return self.fail(&job, message),
            Err(Refused::Worthless(message)) => {
                if !self.climb(&mut job) {
                    self.exhaust(message.clone());
                    self.finish(&job.plan, Outcome::Skipped { message }, job.requests);
                    return;
                }
                return self.ask(Box::new(job));
            }
        };
        let over = self.policy.is_due(&load_after(&verified));
        if over && self.climb(&mut job) {
            return self.ask(Box::new(job));
        }
        if over {
            let message =
                "the conversation is still too large after everything that can be left out; \
                           compact by hand with other instructions, or begin a new session"
                    .to_owned();
            self.outputs.push_back(Output::Event(Event::TooLarge { message }));
        }
        let report = self.report_of(&job.plan, &verified, receipt, job.requests);
        self.commit_step(verified, report);
    }

    /// Ends a compaction that no summary could bring to a good end, before one is asked for. Where even the
    /// shortest would gain too little, less is tried, as far as the policy has a fallback_levels. True where it ended.
    pub(super) fn ends_early(&mut self, job: &mut Job) -> bool {
        loop {
            let shortest = WrittenSummary { summary: ".".into(), ledger: Vec::new() };
            let refused = match self.verify(&job.plan, Some(shortest)) {
                Ok(_) => return false,
                Err(Refused::Worthless(_)) if job.climb(&self.conversation).is_some() => continue,
                Err(refused) => refused,
            };
            self.exhaust(refused.message().to_owned());
            self.finish(&job.plan, refused.into_outcome(), 0);
            return true;
        }
    }

    /// Goes on to the next fallback of the job's fallback_levels, where there is one that leads somewhere.
    fn climb(&mut self, job: &mut Job) -> bool {
        let Some(fallback) = job.climb(&self.conversation) else { return false };
        self.outputs.push_back(Output::Event(Event::Shorter {
            tool_result_max_characters: fallback.tool_result_max_characters,
            keep: fallback.keep,
        }));
        true
    }

    fn verify(&self, plan: &Plan, written: Option<WrittenSummary>) -> Result<Verified, Refused> {
        let made = u32::try_from(self.log().checkpoints_committed()).unwrap_or(u32::MAX);
        let id = CheckpointId(made.saturating_add(1));
        let checkpoint = plan.checkpoint(&self.conversation, &self.policy, id, written);
        let prospect = self.conversation.with(&checkpoint);
        let before = self.prompt_tokens();
        let after = self.scale().prompt_tokens(prospect.tokens);
        let fits = before > self.policy.window && after <= self.policy.window;
        let least = match checkpoint.cover {
            Some(_) if !fits => share(before, self.policy.min_saving),
            _ => 0,
        };
        if after >= before {
            return Err(Refused::Worthless(format!(
                "the summary would not make the conversation smaller: {before} tokens before, {after} \
                 after"
            )));
        }
        if before - after < least {
            return Err(Refused::Worthless(format!(
                "the result would save too little to be worth it: {before} tokens before, {after} after, \
                 and policy.minSaving asks for {least} fewer"
            )));
        }
        if let Err(violation) = self.provider.accepts(self.log(), &prospect.view) {
            let message = format!("the result would be refused by the provider: {violation}");
            return Err(Refused::Illegal(message));
        }
        Ok(Verified { checkpoint, prospect, tokens_before: before, tokens_after: after })
    }

    /// The conversion between tokens of the engine's meter and of the provider, as learned so far. Costs O(1).
    pub fn scale(&self) -> Scale {
        self.conversation.scale(&self.policy)
    }

    /// Tokens of the next prompt by the engine's own count, in the provider's tokens.
    pub(super) fn prompt_tokens(&self) -> u32 {
        self.scale().prompt_tokens(self.conversation.counted_tokens())
    }

    fn report_of(
        &self,
        plan: &Plan,
        verified: &Verified,
        receipt: Receipt,
        requests: u32,
    ) -> Report {
        let Verified { checkpoint, prospect, tokens_before, tokens_after } = verified;
        let after = load_after(verified);
        let summary = checkpoint.cover.as_ref().map(Cover::text);
        let over = match summary.is_some() {
            true => format!(
                "the summary is longer than the {} tokens that were asked for; name another summarizer, \
                 or compact by hand",
                plan.summary_tokens
            ),
            false => {
                "what needs no model does not save enough; have the rest summarized".to_owned()
            }
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
            requests,
            budget_used_pct: self.percent(after.tokens),
            session: self.session(),
            floor: self.policy.is_due(&after).then(|| plan.floor.clone().unwrap_or(over)),
            findings: prospect.view.findings.clone(),
        }
    }

    fn commit_step(&mut self, verified: Verified, report: Report) {
        let checkpoint = verified.checkpoint;
        self.commit(Record::Checkpoint { checkpoint }, Some(Box::new(report)));
    }

    pub(super) fn commit(&mut self, record: Record, report: Option<Box<Report>>) {
        self.outputs.push_back(Output::Persist(record.clone()));
        self.state = State::Committing { record, report };
    }

    pub(super) fn fail(&mut self, job: &Job, message: String) {
        self.give_up(&job.plan, message, job.requests);
    }

    /// Ends a compaction that did not work out.
    pub(super) fn give_up(&mut self, plan: &Plan, message: String, requests: u32) {
        self.exhaust(message.clone());
        self.finish(plan, Outcome::Failed { message }, requests);
    }

    /// Keeps compactions from being due until there is reason to hope for more.
    pub(super) fn exhaust(&mut self, reason: String) {
        self.cycle.fail(self.prompt_tokens());
        self.state = State::Exhausted { reason };
    }

    /// Ends a compaction that left everything as it was.
    pub(super) fn finish(&mut self, plan: &Plan, outcome: Outcome, requests: u32) {
        let tokens = self.prompt_tokens();
        let messages = self.conversation.messages();
        self.end(Report {
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
            requests,
            budget_used_pct: self.percent(tokens),
            session: self.session(),
            findings: Vec::new(),
            floor: plan.floor.clone(),
        });
    }

    pub(super) fn end(&mut self, report: Report) {
        self.report = Some(report.clone());
        let (messages_before, messages_after) = (report.messages_before, report.messages_after);
        if std::mem::take(&mut self.began) {
            self.outputs.push_back(Output::Event(Event::After {
                success: matches!(report.outcome, Outcome::Applied { .. }),
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

/// What triggers would look at after a checkpoint.
fn load_after(verified: &Verified) -> Load {
    Load {
        tokens: verified.tokens_after,
        messages: verified.prospect.messages,
        prompt_tokens: None,
    }
}
