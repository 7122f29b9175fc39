//! The last resort: the oldest exchanges are left out.

use super::draft::{Draft, Proposal, Proposals};
use crate::plan::Action;

/// Exchanges that may be left out, oldest first, until the target is met; the newest stays.
pub(super) fn propose(draft: &Draft) -> Proposals {
    let newest = draft.exchanges.last().map_or(0, |exchange| exchange.start);
    let list = draft
        .free_exchanges()
        .filter(|exchange| exchange.start < newest)
        .map(|exchange| Proposal::LeaveOut { exchange: exchange.clone() })
        .collect();
    Proposals { action: Action::DropOldest, list, until_target: true }
}
