//! What a compaction would do to every message.

use epitome::Conversation;
use serde::Serialize;
use tsify::Tsify;

use crate::reason::Reason;

/// What becomes of a message. `keep`: it stays as it is seen now. `trim`: it adds nothing and is left out.
/// `truncate`: its tool results are cut by their age. `prune`: the arguments of its calls are shortened.
/// `offload`: its tool results are put aside. `strip`: its sealed thoughts are left out. `drop`: it is left
/// out to make room. `summarize`: the summary is to stand for it. `summarized`: it is not in the view any
/// more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It stays as it is seen now.
    Keep,
    /// It adds nothing, and is left out.
    Trim,
    /// Its tool results are truncated by age.
    Truncate,
    /// The arguments of its tool calls are shortened.
    Prune,
    /// Its tool results are put aside.
    Offload,
    /// Its sealed thoughts are left out.
    Strip,
    /// It is left out to make room.
    Drop,
    /// The summary is to stand for it.
    Summarize,
    /// It is not in the view any more: a summary stands for it, or it was left out.
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
    /// Its tokens in the view now; 0 where it is not in it any more.
    pub tokens_before: u32,
    /// Its tokens afterwards; 0 where it is not in the view.
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
    /// True where a summary is to be written; otherwise reducers alone work.
    pub summarizes: bool,
    /// How many messages the summary would stand for.
    pub summarized: u32,
    /// How many messages would be seen otherwise, or left out, without being summarized.
    pub reduced: u32,
    /// Tokens of the view now, tool schemas included.
    pub tokens_before: u32,
    /// Tokens of the view afterwards, with a summary of `summaryTokens`.
    pub tokens_after: u32,
    /// How many tokens the summary may take.
    pub summary_tokens: u32,
    /// How many of those are for the facts that the summary lost.
    pub ledger_tokens: u32,
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
            epitome::Fate::Trim => Self::Trim,
            epitome::Fate::Truncate => Self::Truncate,
            epitome::Fate::Prune => Self::Prune,
            epitome::Fate::Offload => Self::Offload,
            epitome::Fate::Strip => Self::Strip,
            epitome::Fate::Drop => Self::Drop,
            epitome::Fate::Summarize => Self::Summarize,
            epitome::Fate::Summarized => Self::Summarized,
        }
    }
}

impl Plan {
    /// The plan with the names and the tokens of the messages it is about.
    pub(crate) fn of(plan: epitome::Plan, conversation: &Conversation) -> Self {
        let fates = plan.fates.iter().enumerate().filter_map(|(position, fate)| {
            let id = conversation.log().message(position)?.id.as_str().to_owned();
            let (tokens_before, tokens_after) = plan.message_tokens(conversation, position);
            Some(MessageFate { id, fate: (*fate).into(), tokens_before, tokens_after })
        });
        Self {
            reason: plan.reason.into(),
            fates: fates.collect(),
            summarizes: plan.summarizes,
            summarized: plan.summarized(),
            reduced: plan.reduced(),
            tokens_before: plan.tokens_before,
            tokens_after: plan.tokens_after,
            summary_tokens: plan.summary_tokens,
            ledger_tokens: plan.ledger_tokens,
            requests: plan.requests,
            idle: plan.idle,
            floor: plan.floor,
        }
    }
}
