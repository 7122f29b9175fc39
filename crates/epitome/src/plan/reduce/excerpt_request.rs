//! A last request that is longer than the target is shortened to its beginning and its end.

use super::reduction::{Proposal, Proposals, Reduction};
use super::shorten::shorten;
use crate::history::{Change, PartChange};
use crate::message::Part;
use crate::plan::Action;
use crate::plan::planner::appended_request;
use crate::tokens::MeterTokens;
use epitome_text::note::truncated;

/// The least tokens of an excerpt: fewer do not say what is asked for.
const LEAST_EXCERPT: MeterTokens = MeterTokens::new(100);

/// Shortens the texts of the last request, if it alone exceeds the target, to half of what the target leaves room for: the
/// other half is for all that was said before. Each long text keeps the same share.
pub(super) fn propose(reduction: &Reduction) -> Proposals {
    let list = proposal(reduction).into_iter().collect();
    Proposals { action: Action::ExcerptLastRequest, list, until_target: false }
}

fn proposal(reduction: &Reduction) -> Option<Proposal> {
    let (conversation, scale) = (reduction.conversation, reduction.scale);
    let position = conversation.last_request()?;
    let is_pinned = conversation.index().fixed.binary_search(&position).is_ok()
        || reduction.exempt.contains(&position);
    // One that is appended to the summary is no message of the view.
    let is_appended = appended_request(conversation, reduction.policy) == Some(position);
    if is_pinned || is_appended || !reduction.is_seen(position) {
        return None;
    }
    let room = scale.message_budget(reduction.policy.target_tokens());
    let whole = reduction.tokens_of(position);
    if whole <= room {
        return None;
    }
    let meter = conversation.meter();
    let message = conversation.log().message(position)?;
    let changes = message.parts.iter().enumerate().filter_map(|(part, original)| {
        let Part::Text { text } = original else { return None };
        let tokens = meter.count(text);
        let share = u64::from(tokens.get()) * u64::from(room.half().get()) / u64::from(whole.get());
        let limit = MeterTokens::new(u32::try_from(share).unwrap_or(u32::MAX)).max(LEAST_EXCERPT);
        if tokens <= limit {
            return None;
        }
        let note = truncated(scale.to_provider(tokens), scale.to_provider(limit));
        let text = shorten(text, tokens, limit, meter, &note);
        Some(PartChange { part, change: Change::Text { text } })
    });
    let changes: Vec<PartChange> = changes.collect();
    (!changes.is_empty()).then_some(Proposal::Rewrite { position, changes })
}
