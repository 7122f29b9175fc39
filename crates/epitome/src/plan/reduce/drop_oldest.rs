//! The last resort: the oldest exchanges are removed.

use super::reduction::{Proposal, Proposals, Reduction};
use crate::plan::Action;

/// Removes exchanges, oldest first, until the target is met. The newest exchange stays.
pub(super) fn propose(reduction: &Reduction) -> Proposals {
    let newest = reduction.exchanges.last().map_or(0, |exchange| exchange.start);
    let list = reduction
        .removable_exchanges()
        .filter(|exchange| exchange.start < newest)
        .map(|exchange| Proposal::Remove { exchange: exchange.clone() })
        .collect();
    Proposals { action: Action::DropOldest, list, until_target: true }
}
