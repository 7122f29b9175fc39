//! The plan message by message: how large each one is, what happens to it, and what would fill the window afterwards.

use epitome::{Action, Columns, Compactor, Plan};

use super::choice::Span;
use super::fill::{Apart, Fill, part};
pub(crate) use crate::label::Treatment;
use crate::number::{count, share};

/// The number of bars in the picture. A longer conversation has several messages in one bar.
const MAX_BARS: usize = 360;

impl Treatment {
    /// What happens to the message at a position by this plan; without a plan it stays, unless it is gone.
    pub(crate) fn at(compactor: &Compactor, plan: Option<&Plan>, position: usize) -> Self {
        match compactor.conversation().projection().dropped.contains(&position) {
            true => Self::Gone,
            false => Self::of(plan.map_or(Action::Keep, |plan| plan.action(position))),
        }
    }
}

/// One or more messages in a row, as one bar of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    /// The tokens of the largest of its messages.
    pub(crate) tokens: u32,
    /// What happens to that message.
    pub(crate) treatment: Treatment,
}

/// The plan, message by message.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outlook {
    /// The bars, from the first message to the last.
    pub(crate) bars: Vec<Bar>,
    /// The number of messages.
    pub(crate) messages: usize,
    /// The number of messages with each of [`Treatment::ALL`].
    pub(crate) numbers: [u32; Treatment::ALL.len()],
    /// What would fill the window after the compaction.
    pub(crate) after: Fill,
}

impl Outlook {
    /// How many messages a bar stands for; the last one may have fewer.
    pub(crate) fn per_bar(&self) -> usize {
        per_bar(self.messages)
    }

    /// Where the bar of a position begins, from 0 to 1 along the picture.
    pub(crate) fn begin(&self, position: usize) -> f64 {
        share(count(position / self.per_bar()), count(self.bars.len()))
    }

    /// Where the bar of a position ends.
    pub(crate) fn end(&self, position: usize) -> f64 {
        share(count(position / self.per_bar() + 1), count(self.bars.len()))
    }

    /// The first and the last position of the bar that is at this share of the picture, from 0 to 1.
    pub(crate) fn bar_at(&self, share: f64) -> Span {
        let bars = self.bars.len();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a few hundred bars"
        )]
        let bar = (share * f64::from(count(bars))) as usize;
        let first = bar.min(bars.saturating_sub(1)) * self.per_bar();
        (first, (first + self.per_bar()).min(self.messages).saturating_sub(1))
    }

    /// Linear in the conversation.
    pub(crate) fn of(compactor: &Compactor, plan: &Plan, apart: &Apart) -> Self {
        let (conversation, scale) = (compactor.conversation(), compactor.scale());
        let mut columns = Columns::default();
        columns.update(plan, conversation, &scale);
        let rows = plan.actions.len();
        let (_, tokens) = columns.numbers().split_at(rows.min(columns.numbers().len()));
        let (before, after) = tokens.split_at(rows.min(tokens.len()));
        let dropped = &conversation.projection().dropped;
        let mut left = compactor.pressure().breakdown;
        if plan.summarizes {
            left.summary = plan.summary_tokens;
        }
        let mut bars = Bars::of(rows);
        let mut numbers = [0; Treatment::ALL.len()];
        for (position, ((action, before), after)) in
            plan.actions.iter().zip(before).zip(after).enumerate()
        {
            let treatment = match dropped.contains(&position) {
                true => Treatment::Gone,
                false => Treatment::of(*action),
            };
            for (number, counted) in numbers.iter_mut().zip(Treatment::ALL) {
                *number += u32::from(counted == treatment);
            }
            bars.add(position, scale.to_provider(conversation.meter().tokens(position)), treatment);
            if before != after
                && let Some(message) = compactor.log().message(position)
            {
                let part = part(&mut left, message.role);
                *part = part.saturating_sub(before.saturating_sub(*after));
            }
        }
        let after = Fill::after(compactor, left, apart, plan);
        Self { bars: bars.done, messages: rows, numbers, after }
    }
}

/// How many messages a bar of a conversation stands for.
fn per_bar(messages: usize) -> usize {
    messages.div_ceil(MAX_BARS).max(1)
}

/// Bars while they are made.
struct Bars {
    per_bar: usize,
    done: Vec<Bar>,
}

impl Bars {
    fn of(messages: usize) -> Self {
        Self { per_bar: per_bar(messages), done: Vec::with_capacity(messages.min(MAX_BARS)) }
    }

    /// A bar is as high as its largest message, so that no large message disappears between small ones.
    fn add(&mut self, position: usize, tokens: u32, treatment: Treatment) {
        let bar = Bar { tokens, treatment };
        match self.done.last_mut() {
            Some(last) if !position.is_multiple_of(self.per_bar) => {
                if tokens > last.tokens {
                    *last = bar;
                }
            }
            _ => self.done.push(bar),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_conversation_has_as_many_bars_as_fit_and_each_shows_its_largest_message() {
        let mut bars = Bars::of(1_000);
        for position in 0..1_000 {
            let treatment = if position == 500 { Treatment::Summarized } else { Treatment::Kept };
            bars.add(position, if position == 500 { 9_000 } else { 10 }, treatment);
        }
        assert_eq!(bars.done.len(), 334);
        let large: Vec<&Bar> = bars.done.iter().filter(|bar| bar.tokens > 10).collect();
        assert_eq!(large, [&Bar { tokens: 9_000, treatment: Treatment::Summarized }]);
    }

    #[test]
    fn a_place_in_the_picture_is_that_of_the_messages_of_its_bar() {
        let outlook = |messages: usize| {
            let mut bars = Bars::of(messages);
            (0..messages).for_each(|position| bars.add(position, 1, Treatment::Kept));
            Outlook { bars: bars.done, messages, ..Outlook::default() }
        };
        let short = outlook(4);
        assert_eq!([0.0, 0.24, 0.26, 1.0].map(|at| short.bar_at(at).0), [0, 0, 1, 3]);
        assert_eq!((short.begin(1), short.end(1)), (0.25, 0.5));
        let long = outlook(1_000);
        assert_eq!(long.per_bar(), 3);
        assert_eq!((long.bar_at(0.0), long.bar_at(1.0)), ((0, 2), (999, 999)));
        assert_eq!(long.begin(5), long.begin(3));
    }

    #[test]
    fn a_short_conversation_has_a_bar_for_each_message() {
        let mut bars = Bars::of(3);
        for position in 0..3 {
            bars.add(position, 7, Treatment::Kept);
        }
        assert_eq!(bars.done.len(), 3);
    }
}
