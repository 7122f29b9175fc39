//! Machine-made messages that add nothing: health checks, and what a later message repeats.

use std::collections::BTreeSet;

use super::draft::{Draft, Proposal, Proposals};
use crate::history::Exchange;
use crate::message::{Message, Role};
use crate::plan::Action;

/// Health checks with their answers, and every exchange of synthetic messages that a later one repeats.
pub(super) fn propose(draft: &Draft) -> Proposals {
    let outline = draft.conversation.outline();
    let mut list = Vec::new();
    for position in &outline.alive {
        let Some((answer, _)) = single(draft, *position) else { continue };
        let question = position.checked_sub(1).and_then(|before| single(draft, before));
        if let Some((asked, message)) = question
            && message.role == Role::User
        {
            list.push(Proposal::LeaveOut { exchange: asked.clone() });
            list.push(Proposal::LeaveOut { exchange: answer.clone() });
        }
    }
    let mut later: BTreeSet<(&str, String)> = BTreeSet::new();
    for position in outline.synthetic.iter().rev() {
        let Some((exchange, message)) = single(draft, *position) else { continue };
        let Some(kind) = message.synthetic.as_deref() else { continue };
        if !later.insert((kind, message.words())) {
            list.push(Proposal::LeaveOut { exchange: exchange.clone() });
        }
    }
    Proposals { action: Action::Deduplicate, list, until_target: false }
}

/// The exchange of a message, where it has no other and may be left out, and the message.
fn single<'a>(draft: &'a Draft, position: usize) -> Option<(&'a Exchange, &'a Message)> {
    let exchange = draft.exchange_of(position).filter(|exchange| exchange.len() == 1)?;
    let free = draft.is_free(exchange);
    free.then(|| draft.message(position)).flatten().map(|message| (exchange, message))
}
