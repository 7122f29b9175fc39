//! Synthetic messages that add nothing: heartbeats, and what a later message repeats.

use epitome_columns::SortedSet;

use super::reduction::{Proposal, Proposals, Reduction};
use crate::history::Exchange;
use crate::message::{Message, Role};
use crate::plan::Action;

/// Removes heartbeats with their answers, and every synthetic message that a later one of the same kind
/// repeats word for word.
pub(super) fn propose(reduction: &Reduction) -> Proposals {
    let index = reduction.conversation.index();
    let mut list = Vec::new();
    let answers = index.one_line_answers.iter().copied();
    for position in answers.filter(|at| reduction.conversation.answers_heartbeat(*at)) {
        let Some((answer, _)) = removable_message(reduction, position) else { continue };
        let before = position.checked_sub(1);
        let heartbeat = before.and_then(|before| removable_message(reduction, before));
        // Both are removed or neither: an answer without its heartbeat would read as an answer to the message
        // before it.
        if let Some((heartbeat, message)) = heartbeat
            && message.role == Role::User
        {
            list.push(Proposal::Remove { exchange: heartbeat.clone() });
            list.push(Proposal::Remove { exchange: answer.clone() });
        }
    }
    let mut later: SortedSet<(&str, String)> = SortedSet::new();
    for position in index.synthetic.iter().rev() {
        let Some((exchange, message)) = removable_message(reduction, *position) else { continue };
        let Some(kind) = message.synthetic.as_deref() else { continue };
        if !later.insert((kind, message.readable_text())) {
            list.push(Proposal::Remove { exchange: exchange.clone() });
        }
    }
    Proposals { action: Action::Deduplicate, list, until_target: false }
}

/// A message that may be removed and is an exchange of its own, with that exchange.
fn removable_message<'a>(
    reduction: &'a Reduction,
    position: usize,
) -> Option<(&'a Exchange, &'a Message)> {
    let exchange = reduction.exchange_of(position).filter(|exchange| exchange.len() == 1)?;
    let removable = reduction.is_removable(exchange);
    removable.then(|| reduction.message(position)).flatten().map(|message| (exchange, message))
}
