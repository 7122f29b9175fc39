//! Machine-made messages that add nothing: health checks, and what a later message repeats.

use std::collections::BTreeSet;

use super::draft::{Draft, Proposal, Proposals};
use crate::conversation::is_alive;
use crate::history::Exchange;
use crate::message::{Message, Role};
use crate::plan::Fate;

/// Health checks with their answers, and every exchange of synthetic messages that a later one repeats.
pub(super) fn propose(draft: &Draft) -> Proposals {
    let free: Vec<Exchange> = draft.free_exchanges().cloned().collect();
    let mut list = Vec::new();
    let mut last: Option<&Exchange> = None;
    for exchange in &free {
        let answer = single(draft, exchange);
        let question = last.and_then(|last| Some((last, single(draft, last)?)));
        if let (Some(answer), Some((asked, question))) = (answer, question)
            && is_alive(answer)
            && question.role == Role::User
            && asked.end == exchange.start
        {
            list.push(Proposal::LeaveOut { exchange: asked.clone() });
            list.push(Proposal::LeaveOut { exchange: exchange.clone() });
        }
        last = Some(exchange);
    }
    let mut later: BTreeSet<(&str, String)> = BTreeSet::new();
    for exchange in free.iter().rev() {
        let Some(message) = single(draft, exchange) else { continue };
        let Some(kind) = message.synthetic.as_deref() else { continue };
        if !later.insert((kind, message.words())) {
            list.push(Proposal::LeaveOut { exchange: exchange.clone() });
        }
    }
    Proposals { fate: Fate::Trim, list, until_target: false }
}

/// The message of an exchange that has only one.
fn single<'a>(draft: &'a Draft, exchange: &Exchange) -> Option<&'a Message> {
    (exchange.len() == 1).then(|| draft.message(exchange.start)).flatten()
}
