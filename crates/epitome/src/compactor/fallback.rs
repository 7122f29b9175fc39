//! What a compaction tries when its summarizer fails or writes no summary: the request once more with a reminder, smaller
//! chunks, and the next summarizer of the policy.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::job::{Job, Stage};
use super::{Compactor, GivenState};
use crate::conversation::Conversation;
use crate::message::RequestId;
use crate::overflow::ContextOverflow;
use crate::policy::{
    FailureKind, Keep, Policy, Summarizer, SummaryInput, SummarySettings, WindowTooSmall,
};
use crate::transcript::chunk::characters;
use crate::transcript::prompt::{OTHER_ANSWER, REMINDER, SHORTER_ANSWER};

/// The smallest chunk that is asked for, in characters.
const SMALLEST_CHUNK: usize = 500;
/// How often chunks become smaller because of a server's limit.
const MAX_DIVISIONS: u32 = 8;
/// How often they do so because an answer was cut off: each time the answer has less to say.
const MAX_TRUNCATED: u32 = 3;

/// What was tried to get a summary after all. One flat shape, since it is stored: reading an enum with its tag inside takes 30 kB
/// of code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct SummarizerStep {
    /// What it was.
    pub step: SummarizerStepKind,
    /// Why, as a sentence for the user.
    pub because: String,
    /// Of smaller chunks: the longest one from then on, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub chunk_characters: Option<u32>,
    /// Of the next summarizer: its name in `summary.fallbackSummarizers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub summarizer: Option<String>,
}

/// A way to get a summary after all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub enum SummarizerStepKind {
    /// The same request with a reminder.
    AskAgain,
    /// A transcript in place of messages.
    Transcript,
    /// Smaller chunks.
    SmallerChunks,
    /// The next one of `summary.fallbackSummarizers`.
    NextSummarizer,
}

impl SummarizerStep {
    /// One with nothing more to say about it.
    pub(super) fn new(step: SummarizerStepKind, because: String) -> Self {
        Self { step, because, chunk_characters: None, summarizer: None }
    }
}

/// Why there is no summary.
pub(super) enum Problem {
    /// The answer is none.
    NoSummary,
    /// It has none of the headings.
    NoHeadings,
    /// The prompt does not fit.
    TooLong(ContextOverflow),
    /// The answer lacks its end.
    Truncated,
    /// The summarizer cannot answer in this form.
    Unsuitable,
    /// It cannot answer at all.
    Failed,
}

impl Problem {
    /// The problem that a failure is, if the request is not repeated.
    pub(super) fn of(kind: FailureKind) -> Self {
        match kind {
            FailureKind::TooLong(overflow) => Self::TooLong(overflow),
            FailureKind::Truncated => Self::Truncated,
            FailureKind::Unsuitable => Self::Unsuitable,
            FailureKind::Transient { .. } | FailureKind::Permanent | FailureKind::Cancelled => {
                Self::Failed
            }
        }
    }
}

/// What a job has tried so far.
pub(super) struct Tries {
    /// Who is asked; `None`: whom the settings select.
    summarizer: Option<Summarizer>,
    /// Who is asked after that.
    next: VecDeque<String>,
    /// What is appended to the instructions.
    pub(super) reminder: Option<&'static str>,
    is_asked_again: bool,
    divisions: u32,
    truncated: u32,
    /// The summarizer's window as its server has said.
    window_tokens: Option<u32>,
    /// How many tokens the summary of the present request is to have.
    pub(super) target_tokens: u32,
    /// True if the summarizer of the present request was given the instructions.
    pub(super) is_instructed: bool,
}

impl Tries {
    pub(super) fn new(settings: &SummarySettings) -> Self {
        Self {
            summarizer: None,
            next: settings.fallback_summarizers.iter().cloned().collect(),
            reminder: None,
            is_asked_again: false,
            divisions: 0,
            truncated: 0,
            window_tokens: None,
            target_tokens: u32::MAX,
            is_instructed: false,
        }
    }

    /// The summarizer that is asked in place of the one that the settings select.
    pub(super) fn summarizer(&self) -> Option<&Summarizer> {
        self.summarizer.as_ref()
    }

    /// True if an answer without headings has to do: the summarizer was reminded of them, and nobody says that it was given
    /// them before.
    pub(super) fn accepts_without_headings(&self) -> bool {
        self.is_asked_again && !self.is_instructed
    }

    /// What the model knows of the state of the messages.
    pub(super) fn given_state(&self) -> GivenState {
        match self.is_asked_again || self.truncated > 0 {
            true => GivenState::Hidden,
            false => GivenState::Shown,
        }
    }

    /// The most tokens that an answer may be asked for.
    pub(super) fn most_tokens(&self) -> u32 {
        // Half of the window for the answer before and for the answer, each half longer than asked for; the other half
        // for instructions and messages.
        self.window_tokens.map_or(u32::MAX, |window| (window / 6).max(1))
    }

    /// Goes on to the next summarizer; `None` if there is none.
    fn next_summarizer(&mut self) -> Option<String> {
        let name = self.next.pop_front()?;
        let next = std::mem::take(&mut self.next);
        let none = Self::new(&SummarySettings::default());
        *self = Self { summarizer: Some(Summarizer::named(&name)), next, ..none };
        Some(name)
    }
}

impl Job {
    /// What to try next; `None` if nothing is left.
    fn next_step(
        &mut self,
        conversation: &Conversation,
        problem: &Problem,
        because: &str,
    ) -> Result<Option<SummarizerStep>, WindowTooSmall> {
        let because = because.to_owned();
        let may_be_form = match problem {
            Problem::NoHeadings => self.tries.is_asked_again,
            Problem::Failed => false,
            _ => true,
        };
        if may_be_form && self.fall_back_to_transcript(conversation, because.clone())? {
            return Ok(Some(SummarizerStep::new(SummarizerStepKind::Transcript, because)));
        }
        let reminder = match problem {
            Problem::NoSummary => Some(OTHER_ANSWER),
            Problem::NoHeadings => Some(REMINDER),
            _ => None,
        };
        if let Some(reminder) = reminder.filter(|_| !self.tries.is_asked_again) {
            self.tries.is_asked_again = true;
            self.tries.reminder = Some(reminder);
            return Ok(Some(SummarizerStep::new(SummarizerStepKind::AskAgain, because)));
        }
        if let Some(chunk_characters) = self.divide(conversation, problem) {
            let step = SummarizerStep::new(SummarizerStepKind::SmallerChunks, because);
            return Ok(Some(SummarizerStep { chunk_characters: Some(chunk_characters), ..step }));
        }
        let Some(name) = self.tries.next_summarizer() else { return Ok(None) };
        if !self.fall_back_to_transcript(conversation, because.clone())?
            && let Stage::Chunks(fold) = &mut self.stage
        {
            fold.divide(&SummarySettings { chunks: 1, ..self.policy.summary.clone() });
        }
        let step = SummarizerStep::new(SummarizerStepKind::NextSummarizer, because);
        Ok(Some(SummarizerStep { summarizer: Some(name), ..step }))
    }

    /// Divides what is left into smaller chunks, and returns the longest from then on, in characters; `None` if that does not
    /// help any more.
    fn divide(&mut self, conversation: &Conversation, problem: &Problem) -> Option<u32> {
        let Stage::Chunks(fold) = &self.stage else { return None };
        if self.asked.input != SummaryInput::Transcript {
            return None;
        }
        let present = characters(&fold.envelope().entries);
        let half = present / 2;
        let wanted = match problem {
            Problem::NoSummary | Problem::NoHeadings if self.tries.divisions == 0 => half,
            Problem::Truncated if self.tries.truncated < MAX_TRUNCATED => {
                self.tries.truncated += 1;
                self.tries.reminder = Some(SHORTER_ANSWER);
                half
            }
            Problem::TooLong(overflow) if self.tries.divisions < MAX_DIVISIONS => {
                self.fitting_characters(conversation, *overflow, present).unwrap_or(half)
            }
            _ => return None,
        };
        // A server's numbers may not add up.
        let wanted = if wanted < present { wanted } else { half };
        if wanted < SMALLEST_CHUNK {
            return None;
        }
        self.tries.divisions += 1;
        let characters = u32::try_from(wanted).ok()?;
        let settings = SummarySettings {
            chunk_characters: Some(characters),
            chunks: 1,
            ..self.policy.summary.clone()
        };
        if let Stage::Chunks(fold) = &mut self.stage {
            fold.divide(&settings);
        }
        Some(characters)
    }

    /// How long a chunk may be so that its request fits the window that a server names; `None` if it names none. `present` is
    /// the length of the chunk that did not fit.
    fn fitting_characters(
        &mut self,
        conversation: &Conversation,
        overflow: ContextOverflow,
        present: usize,
    ) -> Option<usize> {
        let window = overflow.limit_tokens.filter(|limit| *limit > 0)?;
        let before = self.request(RequestId(0), conversation);
        self.tries.window_tokens = Some(window);
        let after = self.request(RequestId(0), conversation);
        let sent = before.system.chars().count() + before.input.chars().count();
        let fixed = sent.saturating_sub(present);
        let requested = overflow.requested_tokens.filter(|requested| *requested > window);
        let requested = requested.unwrap_or_else(|| {
            let meter = conversation.meter();
            let tokens = meter.count(&before.system) + meter.count(&before.input);
            conversation.summarizer_scale(&self.policy).to_provider(tokens)
        });
        // Tokens are taken to be equally long everywhere in the request. A tenth is for where they are not.
        let characters = |tokens: u32| -> Option<usize> {
            let sent = u64::try_from(sent).ok()?;
            usize::try_from(u64::from(tokens) * sent / u64::from(requested.max(1))).ok()
        };
        let room = characters(window.saturating_sub(after.max_tokens))? / 10 * 9;
        let previous = match &self.stage {
            Stage::Chunks(fold) => fold.envelope().previous_summary.chars().count(),
            _ => 0,
        };
        // The summary so far is at most as long as an answer.
        let growth = characters(after.max_tokens)?.saturating_sub(previous);
        Some(room.saturating_sub(fixed).saturating_sub(growth))
    }
}

impl Compactor {
    /// Tries to get the summary otherwise, or ends the compaction with this message.
    pub(super) fn try_otherwise(&mut self, mut job: Box<Job>, problem: &Problem, message: String) {
        match job.next_step(&self.conversation, problem, &message) {
            Ok(Some(step)) => {
                job.attempts = 0;
                job.asked.steps.push(step);
                self.request_summary(job);
            }
            Ok(None) => self.fail_job(&job, message),
            Err(error) => self.fail_job(&job, error.to_string()),
        }
    }
}

/// Stricter settings for another attempt.
#[derive(Clone, Copy)]
pub(super) struct FallbackLevel {
    pub(super) tool_result_max_characters: u32,
    pub(super) keep: Keep,
}

/// The fallback levels of a policy: first shorter tool results, then shorter tails as well, down to none.
pub(super) fn fallbacks(policy: &Policy) -> VecDeque<FallbackLevel> {
    let lengths = &policy.summary.fallback_levels;
    let Some(shortest) = lengths.last().copied() else { return VecDeque::new() };
    let results = lengths.iter().map(|tool_result_max_characters| FallbackLevel {
        tool_result_max_characters: *tool_result_max_characters,
        keep: policy.keep,
    });
    let mut fallbacks: VecDeque<FallbackLevel> = results.collect();
    // A tail in rounds or tokens has no number of messages to halve. With 1, its only shorter tail is none at all.
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
