//! The next request as a turn makes it: what each step adds or takes, in tokens.

use epitome::message::Message;
use epitome::policy::Phase;
use epitome::turn::ContextPart;
use epitome::{Compactor, Reason};

/// A text for each of [`ContextPart::ALL`].
pub(crate) type ContextTexts = [String; ContextPart::ALL.len()];

/// The steps of the next request, in the provider's tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NextRequest {
    /// The view of the conversation, with what every request has.
    pub(crate) view: u32,
    /// What each of [`ContextPart::ALL`] adds.
    pub(crate) provided: [u32; ContextPart::ALL.len()],
    /// What the messages add that were brought back.
    pub(crate) brought_back: u32,
    /// All of that, as the meter shows it.
    pub(crate) counted: u32,
    /// The compaction that comes before the request, if it was looked for.
    pub(crate) due: Option<Due>,
}

/// A compaction that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// Why.
    pub(crate) reason: Reason,
    /// What the reducers take.
    pub(crate) reduced: u32,
    /// What the summary takes of the rest.
    pub(crate) summarized: u32,
}

impl NextRequest {
    /// Has the engine count these texts as the context of the next request, part by part, and behind them the quotes of what
    /// was brought back. Linear in them.
    pub(super) fn with_context(
        compactor: &mut Compactor,
        texts: &ContextTexts,
        quotes: Option<&Message>,
    ) -> Self {
        let parts = ContextPart::ALL.into_iter().zip(texts);
        let messages: Vec<Option<Message>> = parts.map(|(part, text)| part.message(text)).collect();
        compactor.set_request_context([], []);
        let view = compactor.pressure().tokens;
        let mut counted = view;
        let mut provided = [0; ContextPart::ALL.len()];
        for (end, tokens) in (1..).zip(&mut provided) {
            compactor.set_request_context(messages.iter().take(end).flatten(), []);
            let sum = compactor.pressure().tokens;
            *tokens = sum.saturating_sub(counted);
            counted = sum;
        }
        compactor.set_request_context(messages.iter().flatten().chain(quotes), []);
        let sum = compactor.pressure().tokens;
        let brought_back = sum.saturating_sub(counted);
        Self { view, provided, brought_back, counted: sum, due: None }
    }

    /// The same with the compaction that comes before it. Costs as much as a few plans.
    pub(super) fn with_due(self, compactor: &Compactor) -> Self {
        Self { due: Due::of(compactor), ..self }
    }

    /// The tokens of the request that is sent.
    pub(crate) fn sent(&self) -> u32 {
        let taken = self.due.map_or(0, |due| due.reduced.saturating_add(due.summarized));
        self.counted.saturating_sub(taken)
    }
}

impl Due {
    /// What a turn would do before its request.
    fn of(compactor: &Compactor) -> Option<Self> {
        let phases = [compactor.phase(), Phase::TurnStart];
        let reason = phases.into_iter().find_map(|phase| compactor.due(phase))?;
        let saving = |reason| {
            let plan = compactor.plan(reason);
            match plan.idle {
                Some(_) => 0,
                None => plan.tokens_before.saturating_sub(plan.tokens_after),
            }
        };
        let all = saving(reason);
        let reduced = saving(Reason::Reduce).min(all);
        Some(Self { reason, reduced, summarized: all - reduced })
    }
}
