//! What the user has chosen for the next compaction alone: where it ends, and what it leaves as it is.

use std::sync::Arc;

use epitome::Scope;
use leptos::prelude::*;

/// The first and the last of some messages in a row, by position.
pub(crate) type Span = (usize, usize);

/// What is chosen. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    /// The messages that are chosen in the picture.
    pub(crate) span: RwSignal<Option<Span>>,
    /// Whether the next compaction ends behind them.
    ends: RwSignal<bool>,
    /// The positions of the messages that it leaves as they are, in order.
    exempt: RwSignal<Arc<Vec<usize>>>,
}

impl Choice {
    pub(super) fn new() -> Self {
        Self {
            span: RwSignal::new(None),
            ends: RwSignal::new(false),
            exempt: RwSignal::new(Arc::default()),
        }
    }

    /// Has the running computation repeated when the scope changes.
    pub(super) fn track(self) {
        self.end();
        self.exempt.track();
    }

    /// The last message of the next compaction, if it is chosen.
    pub(crate) fn end(self) -> Option<usize> {
        self.span.get().filter(|_| self.ends.get()).map(|(_, last)| last)
    }

    /// Has the next compaction end behind the chosen messages, or leaves that to the settings again.
    pub(crate) fn toggle_end(self) {
        self.ends.update(|ends| *ends = !*ends);
    }

    /// Has the next compaction end behind a message.
    pub(crate) fn end_behind(self, position: usize) {
        self.span.set(Some((position, position)));
        self.ends.set(true);
    }

    /// Leaves where it ends to the settings, and no message is chosen any more.
    pub(crate) fn clear_span(self) {
        self.span.set(None);
        self.ends.set(false);
    }

    /// How many messages the next compaction leaves as they are.
    pub(crate) fn exempted(self) -> usize {
        self.exempt.with(|exempt| exempt.len())
    }

    /// True if the next compaction leaves all of these messages as they are.
    pub(crate) fn exempts(self, (first, last): Span) -> bool {
        self.exempt.with(|exempt| (first..=last).all(|at| exempt.binary_search(&at).is_ok()))
    }

    /// Has the next compaction leave these messages as they are, or none of them if it leaves all of them.
    pub(crate) fn toggle_exempt(self, span: Span) {
        let (first, last) = span;
        let is_exempt = untrack(|| self.exempts(span));
        self.exempt.update(|exempt| {
            let exempt = Arc::make_mut(exempt);
            exempt.retain(|at| !(first..=last).contains(at));
            if !is_exempt {
                exempt.extend(first..=last);
                exempt.sort_unstable();
            }
        });
    }

    /// What the next compaction may replace.
    pub(crate) fn scope(self) -> Scope {
        untrack(|| Scope {
            up_to: self.end().map(|last| last + 1),
            exempt: self.exempt.with(|exempt| exempt.to_vec()),
        })
    }

    /// Leaves everything to the settings again.
    pub(crate) fn clear(self) {
        self.clear_span();
        self.exempt.set(Arc::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exempt_can_be_taken_back_by_the_same_press() {
        let owner = Owner::new();
        owner.set();
        let choice = Choice::new();
        choice.toggle_exempt((2, 4));
        choice.toggle_exempt((4, 6));
        assert_eq!(choice.scope().exempt, [2, 3, 4, 5, 6]);
        choice.toggle_exempt((3, 4));
        assert_eq!(choice.scope().exempt, [2, 5, 6]);
        choice.clear();
        assert!(choice.scope().is_default());
    }

    #[test]
    fn a_compaction_ends_behind_the_chosen_messages_only_when_asked_to() {
        let owner = Owner::new();
        owner.set();
        let choice = Choice::new();
        choice.span.set(Some((3, 7)));
        assert_eq!(choice.scope().up_to, None);
        choice.toggle_end();
        assert_eq!(choice.scope().up_to, Some(8));
        choice.span.set(Some((3, 9)));
        assert_eq!(choice.scope().up_to, Some(10));
        choice.clear_span();
        choice.span.set(Some((1, 2)));
        assert_eq!(choice.scope().up_to, None);
    }
}
