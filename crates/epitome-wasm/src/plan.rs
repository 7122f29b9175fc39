//! What a compaction would do to every message.

use epitome::Conversation;
use serde::Serialize;
use tsify::Tsify;

use crate::reason::Reason;

/// What becomes of a message: it stays word for word, a summary is to stand for it, or one already does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It stays word for word.
    Keep,
    /// The summary is to stand for it.
    Summarize,
    /// The summary in force already stands for it.
    Summarized,
}

/// One message and what becomes of it.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct MessageFate {
    /// The message's id, as `append` gave it.
    pub id: String,
    /// What becomes of it.
    pub fate: Fate,
    /// Its tokens in the view now; 0 where a summary already stands for it.
    pub tokens_before: u32,
    /// Its tokens afterwards; 0 where a summary stands for it.
    pub tokens_after: u32,
}

/// A compaction, thought through but not done.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Why it would be made.
    pub reason: Reason,
    /// The fate of every message, in order.
    pub fates: Vec<MessageFate>,
    /// Tokens of the view now, tool schemas included.
    pub tokens_before: u32,
    /// Tokens of the view afterwards, with a summary of `summaryTokens`.
    pub tokens_after: u32,
    /// How many tokens the summary may take.
    pub summary_tokens: u32,
    /// How often the summarizer would be asked.
    pub requests: u32,
    /// Why there is nothing to do, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Why the threshold cannot be met, where that is so: what cannot be removed, item by item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

impl From<epitome::Fate> for Fate {
    fn from(fate: epitome::Fate) -> Self {
        match fate {
            epitome::Fate::Keep => Self::Keep,
            epitome::Fate::Summarize => Self::Summarize,
            epitome::Fate::Summarized => Self::Summarized,
        }
    }
}

impl Plan {
    /// The plan with the names and the tokens of the messages it is about.
    pub(crate) fn of(plan: epitome::Plan, conversation: &Conversation) -> Self {
        let epitome::Plan {
            reason,
            fates,
            tail_start: _,
            summary_tokens,
            ledger_tokens: _,
            tokens_before,
            tokens_after,
            requests,
            idle,
            floor,
        } = plan;
        let fates = fates.into_iter().enumerate().filter_map(|(position, fate)| {
            let id = conversation.log().message(position)?.id.as_str().to_owned();
            let tokens = conversation.meter().tokens(position);
            let fate = Fate::from(fate);
            let tokens_before = if fate == Fate::Summarized { 0 } else { tokens };
            let tokens_after = if fate == Fate::Keep { tokens } else { 0 };
            Some(MessageFate { id, fate, tokens_before, tokens_after })
        });
        Self {
            reason: reason.into(),
            fates: fates.collect(),
            tokens_before,
            tokens_after,
            summary_tokens,
            requests,
            idle,
            floor,
        }
    }
}
