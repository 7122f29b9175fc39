//! From a complete summary to the record of its compaction, in slices: which facts the summary has lost, and whether all of its
//! names are from the conversation.

use super::commit::{Rejected, load_after};
use super::cycle::Unapplied;
use super::job::Job;
use super::unsupported::{Checked, check_unsupported};
use super::{Compactor, Event, Outcome, Output, State};
use crate::conversation::Conversation;
use crate::facts::{Claims, Fact, FactBudget, Facts, Kind, Lookup, RetainedText, build_receipt};
use crate::message::{Message, Role};
use crate::plan::WrittenSummary;
use epitome_text::search::Search;

/// A complete summary, and how far it is known which of its names nobody has said.
pub(super) struct Conclusion {
    pub(super) job: Box<Job>,
    summary: String,
    notes: String,
    claims: Claims,
    /// Their texts that no fact contains, in the order of `search`.
    wanted: Vec<String>,
    search: Search,
    /// The message that is searched next.
    position: usize,
    /// How many bytes of it were searched.
    offset: usize,
    /// What the summary says; `None` until it is read.
    said: Option<RetainedText>,
    /// What the new view has beside the summary and the messages that stay; `None` until the facts are looked up there.
    added: Option<RetainedText>,
    /// Whether all of that is known, and only the result is to be made.
    is_known: bool,
}

/// To look up a fact takes about as long as to read so many bytes.
const FACT: usize = 32;

/// What the view has beside the summary and the messages that stay: requests and the structured state. Without them, the ledger would
/// repeat the facts of the last request.
fn added_by(job: &Job, conversation: &Conversation) -> RetainedText {
    let mut added = RetainedText::default();
    added.add(&job.plan.appendix(conversation, &job.policy), Role::User);
    added.add(&job.structured_state(conversation).to_text(), Role::Assistant);
    added
}

/// What a summary says that has to be in the messages. A summarizer with notes quotes them, and is only checked for names.
fn claims_of(summary: &str, notes: &str, facts: &Facts) -> Claims {
    match notes.is_empty() {
        true => Claims::of(summary, facts),
        false => Claims::names(summary, facts),
    }
}

/// With more facts than this, each step of a conclusion is a slice of its own.
const MANY_FACTS: usize = 1_000;

impl Conclusion {
    /// Linear in the summary and in the facts.
    fn new(mut job: Box<Job>, summary: String, notes: String) -> Self {
        job.lookup = Lookup::default();
        let claims = claims_of(&summary, &notes, &job.facts);
        let wanted = claims.not_in_facts(&job.facts);
        let search = Search::new(wanted.iter().map(String::as_str));
        Self {
            job,
            summary,
            notes,
            claims,
            wanted,
            search,
            position: 0,
            offset: 0,
            said: None,
            added: None,
            is_known: false,
        }
    }

    /// True if the steps take so long that the page should be drawn between them.
    fn is_large(job: &Job) -> bool {
        job.facts.texts().nth(MANY_FACTS).is_some()
    }

    /// Goes on by a slice. True if it is known what the view will have of the facts, and which names nobody has said.
    fn advance(&mut self, conversation: &Conversation, slice: usize) -> bool {
        if self.said.is_none() {
            self.said.insert(RetainedText::default()).add_summary(&self.summary);
            if Self::is_large(&self.job) {
                return false;
            }
        }
        // A message that stays can be edited between two slices. All of them are read again then.
        self.job.read_staying(conversation, slice)
            && self.find_names(conversation, slice)
            && self.look_up(conversation, slice)
    }

    /// Looks up facts in the new view. True if this is done.
    fn look_up(&mut self, conversation: &Conversation, slice: usize) -> bool {
        let job = &mut self.job;
        let added = added_by(job, conversation);
        // What is added was changed between two slices.
        if self.added.as_ref().is_some_and(|before| *before != added) {
            job.lookup = Lookup::default();
        }
        let texts = [self.said.as_ref(), Some(&*self.added.insert(added)), Some(&job.retained)];
        let texts: Vec<&RetainedText> = texts.into_iter().flatten().collect();
        job.lookup.advance(&job.facts, &texts, (slice / FACT).max(1))
    }

    /// Looks for the names in the covered messages: the facts may have one only as a part of another name, and the transcript
    /// may have cut it off. True if this is done.
    fn find_names(&mut self, conversation: &Conversation, slice: usize) -> bool {
        let mut left = slice;
        while left > 0 && self.position < self.job.plan.tail_start && !self.search.is_done() {
            let Some(message) = conversation.log().message(self.position) else { break };
            let mut before: usize = 0;
            for text in message.readable_texts() {
                let begins = self.offset.saturating_sub(before);
                before += text.len();
                let Some(rest) = text.as_bytes().get(begins..).filter(|rest| !rest.is_empty())
                else {
                    continue;
                };
                if begins == 0 {
                    self.search.begin();
                }
                let part = rest.get(..left).unwrap_or(rest);
                // As the claims are written.
                self.search.read_on_loosely(part);
                self.offset += part.len();
                left -= part.len();
                if left == 0 {
                    break;
                }
            }
            if left > 0 {
                (self.position, self.offset) = (self.position + 1, 0);
                // Many short messages take time too.
                left = left.saturating_sub(1);
            }
        }
        self.search.is_done() || left > 0
    }
}

impl Compactor {
    /// What a summary says that no message does, sorted, as the receipt of a compaction with this summary and these notes would
    /// have it: for an app that shows a summary before it hands it over. While a summarizer is asked, the messages are those that
    /// its summary covers, and otherwise all. Linear in the summary and in these messages.
    pub fn unsupported_in(&self, summary: &str, notes: &str) -> Vec<String> {
        let claims = claims_of(summary, notes, &Facts::default());
        let wanted = claims.not_in_facts(&Facts::default());
        let mut search = Search::new(wanted.iter().map(String::as_str));
        let covered = match &self.state {
            State::Summarizing { job, .. } => job.plan.tail_start,
            _ => self.log().len(),
        };
        let messages = self.log().messages().take(covered);
        for text in messages.flat_map(Message::readable_texts) {
            if search.is_done() {
                break;
            }
            search.begin();
            // As the claims are written.
            search.read_on_loosely(text.as_bytes());
        }
        claims.unsupported(&search.not_found(wanted))
    }

    /// Works out the result of a complete summary, and commits it. After a result that is too large, the compaction is
    /// repeated at the next fallback level.
    pub(super) fn apply_summary(&mut self, job: Box<Job>, summary: String, notes: String) {
        let is_large = Conclusion::is_large(&job);
        let conclusion = Box::new(Conclusion::new(job, summary, notes));
        match is_large {
            true => self.state = State::Concluding { conclusion },
            false => self.conclude(conclusion),
        }
    }

    /// Goes on with that by a slice.
    pub(super) fn conclude(&mut self, mut conclusion: Box<Conclusion>) {
        let is_next = conclusion.is_known || !Conclusion::is_large(&conclusion.job);
        // Asked again, since a message that stays may have been edited in between.
        conclusion.is_known = conclusion.advance(&self.conversation, self.slice);
        match conclusion.is_known && is_next {
            true => self.finish(*conclusion),
            false => self.state = State::Concluding { conclusion },
        }
    }

    /// Verifies the view, and commits it.
    fn finish(&mut self, conclusion: Conclusion) {
        let Conclusion { mut job, summary, notes, claims, wanted, search, said, added, .. } =
            conclusion;
        let unsupported = claims.unsupported(&search.not_found(wanted));
        let summary = match check_unsupported(&job, summary, &notes, &unsupported) {
            Checked::Summary(summary) => summary,
            Checked::AskAgain(stage) => {
                (job.stage, job.attempts) = (stage, 0);
                return self.request_summary(job);
            }
        };
        let meter = self.conversation.meter();
        let state = job.structured_state(&self.conversation);
        // Another attempt needs the facts again.
        let facts = match job.fallbacks.is_empty() {
            true => std::mem::take(&mut job.facts),
            false => job.facts.clone(),
        };
        let budget = FactBudget {
            ledger: job.plan.ledger_budget(),
            lists: &|| self.list_budget(&job.plan, &job.policy, &summary),
        };
        let lookup = std::mem::take(&mut job.lookup);
        let texts = [said.as_ref(), added.as_ref(), Some(&job.retained)];
        let texts: Vec<&RetainedText> = texts.into_iter().flatten().collect();
        let mut receipt = build_receipt(facts, lookup, &texts, &budget, meter, &|number| {
            self.conversation.message_numbered(number).map(|message: &Message| message.id.clone())
        });
        receipt.unsupported = unsupported;
        let is_item = |fact: &&Fact| fact.kind == Kind::Checklist;
        let left_out = match job.policy.summary.checklist_tokens {
            0 => Vec::new(),
            _ => receipt.given_up.iter().filter(is_item).cloned().collect(),
        };
        let ledger = receipt.appended.clone();
        // A summarizer with notes reads its text again, as it has written it.
        let summary = match notes.is_empty() {
            true => self.attributed(&job, summary, &mut receipt),
            false => summary,
        };
        self.note_pinned(&mut receipt);
        let is_shared = job.is_shared;
        let written = WrittenSummary { summary, notes, ledger, left_out, state, is_shared };
        let verified = match self.verify(&job.plan, Some(written)) {
            Ok(verified) => verified,
            Err(Rejected::InvalidView(message)) => return self.fail_job(&job, message),
            Err(Rejected::SavesTooLittle(message)) => {
                if !self.next_fallback(&mut job) {
                    self.pause_after(&job.plan, Unapplied::SavedTooLittle, message.clone());
                    self.end_unchanged(&job.plan, Outcome::Skipped { message }, &job.asked);
                    return;
                }
                return self.request_summary(job);
            }
        };
        let over = self.policy.is_due(&load_after(&verified));
        if over && self.next_fallback(&mut job) {
            return self.request_summary(job);
        }
        if over {
            let message =
                "the conversation is still too large after everything that can be left out; \
                           compact manually with other instructions, or begin a new session"
                    .to_owned();
            self.outputs.push_back(Output::Event(Event::TooLarge { message }));
        }
        let report = self.report_of(&job.plan, &verified, receipt, &job.asked);
        self.commit_checkpoint(verified, report);
    }
}
