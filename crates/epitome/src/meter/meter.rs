//! The meter: each message is counted once, and any stretch of them is a subtraction away.

use std::ops::Range;

use super::{Tariff, Tokenizer};
use crate::message::{Message, Part, Role};

/// A tokenizer that a compactor owns.
pub type BoxedTokenizer = Box<dyn Tokenizer + Send + Sync>;

/// What one message costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Tokens in all, with overhead.
    pub tokens: u32,
    /// Tokens of its largest part.
    pub largest: u32,
    /// Tokens of each part.
    pub parts: Box<[u32]>,
}

/// Tokens by who they belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of system messages.
    pub system: u32,
    /// Of user messages.
    pub user: u32,
    /// Of assistant messages, their tool calls included.
    pub assistant: u32,
    /// Of tool results.
    pub tool: u32,
    /// How many messages these are, system messages aside.
    pub spoken: u32,
}

impl Totals {
    /// All of them together.
    pub fn sum(&self) -> u32 {
        self.system
            .saturating_add(self.user)
            .saturating_add(self.assistant)
            .saturating_add(self.tool)
    }

    /// Adds a message's tokens to its role's.
    pub fn add(&mut self, role: Role, tokens: u32) {
        let total = match role {
            Role::System => &mut self.system,
            Role::User => &mut self.user,
            Role::Assistant => &mut self.assistant,
            Role::Tool => &mut self.tool,
        };
        *total = total.saturating_add(tokens);
        self.spoken = self.spoken.saturating_add(u32::from(role != Role::System));
    }

    /// Adds tokens to a role's, and no message.
    pub fn save(&mut self, role: Role, tokens: u32) {
        let spoken = self.spoken;
        self.add(role, tokens);
        self.spoken = spoken;
    }

    /// What is left without some of them.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        Self {
            system: self.system.saturating_sub(earlier.system),
            user: self.user.saturating_sub(earlier.user),
            assistant: self.assistant.saturating_sub(earlier.assistant),
            tool: self.tool.saturating_sub(earlier.tool),
            spoken: self.spoken.saturating_sub(earlier.spoken),
        }
    }
}

/// Costs of a growing list of messages.
pub struct Meter {
    tokenizer: BoxedTokenizer,
    tariff: Tariff,
    costs: Vec<Cost>,
    /// `totals[n]` covers the first `n` messages.
    totals: Vec<Totals>,
}

impl Meter {
    /// An empty meter.
    pub fn new(tokenizer: BoxedTokenizer) -> Self {
        let tariff = tokenizer.tariff();
        Self { tokenizer, tariff, costs: Vec::new(), totals: vec![Totals::default()] }
    }

    /// The tokenizer it counts with.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        self.tokenizer.as_ref()
    }

    /// What it counts besides texts.
    pub fn tariff(&self) -> &Tariff {
        &self.tariff
    }

    /// Counts a message at the end. Linear in the message, whatever came before.
    pub fn append(&mut self, message: &Message) {
        let cost = self.measure(message);
        let mut total = self.totals.last().copied().unwrap_or_default();
        total.add(message.role, cost.tokens);
        self.costs.push(cost);
        self.totals.push(total);
    }

    /// Counts a message that takes the place of an earlier one. `before` is that one's role. Linear in
    /// the messages behind it.
    pub fn replace(&mut self, position: usize, before: Role, message: &Message) {
        let cost = self.measure(message);
        let Some(slot) = self.costs.get_mut(position) else { return };
        let mut old = Totals::default();
        old.add(before, slot.tokens);
        let mut new = Totals::default();
        new.add(message.role, cost.tokens);
        *slot = cost;
        for total in self.totals.iter_mut().skip(position + 1) {
            let rest = total.minus(&old);
            *total = Totals {
                system: rest.system.saturating_add(new.system),
                user: rest.user.saturating_add(new.user),
                assistant: rest.assistant.saturating_add(new.assistant),
                tool: rest.tool.saturating_add(new.tool),
                spoken: rest.spoken.saturating_add(new.spoken),
            };
        }
    }

    /// How many messages it has counted.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// True where it has counted none.
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// What the message at a position costs.
    pub fn cost(&self, position: usize) -> Option<&Cost> {
        self.costs.get(position)
    }

    /// Tokens of the message at a position; 0 where there is none.
    pub fn tokens(&self, position: usize) -> u32 {
        self.cost(position).map_or(0, |cost| cost.tokens)
    }

    /// Tokens of the text of a tool result: that part of the message at a position.
    pub fn result_tokens(&self, position: usize, part: usize) -> u32 {
        let tokens = self.cost(position).and_then(|cost| cost.parts.get(part));
        tokens.map_or(0, |tokens| tokens.saturating_sub(self.tariff.result))
    }

    /// Tokens of a stretch of messages. Costs O(1).
    pub fn span(&self, range: Range<usize>) -> Totals {
        let upto = |count: usize| self.totals.get(count).or(self.totals.last()).copied();
        let end = upto(range.end).unwrap_or_default();
        end.minus(&upto(range.start.min(range.end)).unwrap_or_default())
    }

    /// Counts a message without keeping it.
    pub fn measure(&self, message: &Message) -> Cost {
        measure(message, self.tokenizer(), &self.tariff)
    }

    /// Tokens of a message, without a meter.
    pub fn cost_of(message: &Message, tokenizer: &dyn Tokenizer) -> u32 {
        measure(message, tokenizer, &tokenizer.tariff()).tokens
    }
}

fn measure(message: &Message, tokenizer: &dyn Tokenizer, tariff: &Tariff) -> Cost {
    let parts: Box<[u32]> =
        message.parts.iter().map(|part| part_tokens(part, tokenizer, tariff)).collect();
    let name = |author: &str| tokenizer.count(author).saturating_add(tariff.author);
    let around = tariff.message.saturating_add(message.author.as_deref().map_or(0, name));
    let tokens = parts.iter().fold(around, |sum, part| sum.saturating_add(*part));
    let largest = parts.iter().copied().max().unwrap_or(0);
    Cost { tokens, largest, parts }
}

fn part_tokens(part: &Part, tokenizer: &dyn Tokenizer, tariff: &Tariff) -> u32 {
    let count = |text: &str| tokenizer.count(text);
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => count(text),
        Part::ToolCall { name, arguments, .. } => {
            count(name).saturating_add(count(arguments)).saturating_add(tariff.call)
        }
        Part::ToolResult { text, .. } => count(text).saturating_add(tariff.result),
        Part::Approval { .. } => tariff.call,
        Part::Image(media) => tariff.picture(media),
        Part::File(media) => tariff.file(media),
        Part::Other { characters, .. } => characters.div_ceil(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::{CharactersPer, WithTariff};
    use crate::notation::transcript;

    fn meter() -> Meter {
        let tariff = Tariff { message: 1, ..Tariff::USUAL };
        Meter::new(Box::new(WithTariff { tokenizer: CharactersPer(1), tariff }))
    }

    #[test]
    fn b1_any_stretch_costs_the_sum_of_its_messages() {
        let mut meter = meter();
        for message in transcript("s: abc\nu: de\na: f !one\nt: =one\nu: gh") {
            meter.append(&message);
        }
        let single: Vec<u32> = (0..5).map(|position| meter.tokens(position)).collect();
        assert_eq!(single, [4, 3, 16, 19, 3]);
        assert_eq!(
            meter.span(1..4),
            Totals { system: 0, user: 3, assistant: 16, tool: 19, spoken: 3 }
        );
        assert_eq!(meter.span(0..99).sum(), 45);
        let backwards = std::ops::Range { start: 3, end: 2 };
        assert_eq!(meter.span(backwards), Totals::default());
        assert_eq!(meter.cost(2).map(|cost| cost.parts.to_vec()), Some(vec![1, 14]));
    }

    #[test]
    fn a_replaced_message_changes_every_later_sum() {
        let mut meter = meter();
        let messages = transcript("u: a\nu: b\nu: c");
        for message in &messages {
            meter.append(message);
        }
        meter.replace(1, Role::User, &Message::new("m1", Role::Assistant, "longer"));
        assert_eq!(
            meter.span(0..3),
            Totals { user: 4, assistant: 7, spoken: 3, ..Totals::default() }
        );
        assert_eq!(meter.span(2..3).sum(), 2);
    }
}
