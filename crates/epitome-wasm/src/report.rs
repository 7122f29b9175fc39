//! What became of a compaction.

use epitome::history;
use serde::Serialize;
use tsify::Tsify;

use crate::reason::Reason;
use crate::receipt::Receipt;

/// How a compaction ended. In all cases but the first the messages are as they were.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It is in force.
    Applied,
    /// There was nothing to do.
    Skipped,
    /// It did not work out.
    Failed,
    /// It was called off.
    Cancelled,
}

/// What can be wrong with a message.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// A call without a result: a placeholder stands in for it.
    MissingResult,
    /// A result without a call: it is left out of what the model sees.
    OrphanResult,
    /// A second result for a call: it is left out of what the model sees.
    RepeatedResult,
    /// A result that does not follow its call: it is moved there.
    MisplacedResult,
    /// A result whose call was summarized or left out before it came: it is told as a text.
    LateResult,
    /// The first to speak, and no user where a user must: a short user message is put in front.
    NotUserFirst,
    /// A message of nothing but thoughts that no provider takes by itself: it is left out of what the model
    /// sees.
    ReasoningAlone,
    /// A message with nothing in it: it is left out of what the model sees.
    Blank,
    /// Arguments that are no JSON, as after an aborted stream: kept.
    BrokenArguments,
    /// Two calls of one message share an id: paired in order, kept.
    SharedCallId,
    /// A call or a result without an id: paired in order, kept.
    MissingCallId,
}

/// Something about a history that a provider may refuse.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The message it is about.
    pub id: String,
    /// What is wrong.
    pub defect: Defect,
}

/// What one compaction did.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Why it was made.
    pub reason: Reason,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it was skipped or failed, and what to do, for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its number, where it was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u32>,
    /// Tokens of the view before.
    pub tokens_before: u32,
    /// Tokens of the view after; the same as before unless it was applied.
    pub tokens_after: u32,
    /// Messages of the view before.
    pub messages_before: u32,
    /// Messages of the view after.
    pub messages_after: u32,
    /// Messages that are seen otherwise than before, or left out, without being summarized.
    pub reduced: u32,
    /// The summary that this has put in force, where it made one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its length in characters; 0 where there is none.
    pub summary_characters: u32,
    /// What became of the facts in what was summarized; empty unless it was applied.
    pub receipt: Receipt,
    /// How often the summarizer was asked.
    pub requests: u32,
    /// Tokens of the view after, in percent of the window.
    pub budget_used_pct: f64,
    /// The session that goes on from here, from 1: every summary that comes into force begins another.
    pub session: u32,
    /// What had to be repaired in the view.
    pub findings: Vec<Finding>,
    /// Why the view is not below the threshold, where it is not: what cannot be removed, item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

impl From<history::Defect> for Defect {
    fn from(defect: history::Defect) -> Self {
        match defect {
            history::Defect::MissingResult => Self::MissingResult,
            history::Defect::OrphanResult => Self::OrphanResult,
            history::Defect::RepeatedResult => Self::RepeatedResult,
            history::Defect::MisplacedResult => Self::MisplacedResult,
            history::Defect::LateResult => Self::LateResult,
            history::Defect::NotUserFirst => Self::NotUserFirst,
            history::Defect::ReasoningAlone => Self::ReasoningAlone,
            history::Defect::Blank => Self::Blank,
            history::Defect::BrokenArguments => Self::BrokenArguments,
            history::Defect::SharedCallId => Self::SharedCallId,
            history::Defect::MissingCallId => Self::MissingCallId,
        }
    }
}

impl From<history::Finding> for Finding {
    fn from(finding: history::Finding) -> Self {
        let history::Finding { id, defect } = finding;
        Self { id: id.as_str().to_owned(), defect: defect.into() }
    }
}

impl From<epitome::Report> for Report {
    fn from(report: epitome::Report) -> Self {
        let epitome::Report {
            reason,
            outcome,
            tokens_before,
            tokens_after,
            messages_before,
            messages_after,
            reduced,
            summary,
            summary_characters,
            receipt,
            requests,
            budget_used_pct,
            session,
            findings,
            floor,
        } = report;
        let (outcome, message, checkpoint) = match outcome {
            epitome::Outcome::Applied { checkpoint } => {
                (Outcome::Applied, None, Some(checkpoint.0))
            }
            epitome::Outcome::Skipped { message } => (Outcome::Skipped, Some(message), None),
            epitome::Outcome::Failed { message } => (Outcome::Failed, Some(message), None),
            epitome::Outcome::Cancelled => (Outcome::Cancelled, None, None),
        };
        Self {
            reason: reason.into(),
            outcome,
            message,
            checkpoint,
            tokens_before,
            tokens_after,
            messages_before,
            messages_after,
            reduced,
            summary,
            summary_characters,
            receipt: receipt.into(),
            requests,
            budget_used_pct,
            session,
            findings: findings.into_iter().map(Finding::from).collect(),
            floor,
        }
    }
}
