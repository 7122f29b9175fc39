//! The meter: each message is counted once, and any stretch of them is a subtraction away.

use std::ops::Range;

use super::mix::{Mix, PartCost, Weights};
use super::peaks::Peaks;
use super::weighing::Weighing;
use super::{TokenOverhead, Tokenizer};
use crate::message::{Message, Part, Role};

/// A tokenizer that a compactor owns.
pub type BoxedTokenizer = Box<dyn Tokenizer + Send + Sync>;

/// What one message costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Tokens in all, with overhead, as they weigh.
    pub tokens: u32,
    /// Tokens of its largest part, as they weigh.
    pub largest: u32,
    /// Tokens of each part, by script.
    pub parts: Box<[PartCost]>,
    /// Tokens around the parts: the message's own, and its author's name.
    pub around: u32,
    /// Whose message it is.
    pub role: Role,
}

impl Cost {
    fn new(role: Role, around: u32, parts: Box<[PartCost]>, weights: &Weights) -> Self {
        let mut cost = Self { tokens: 0, largest: 0, parts, around, role };
        cost.weigh(weights);
        cost
    }

    fn weigh(&mut self, weights: &Weights) {
        (self.tokens, self.largest) = (self.around, 0);
        for part in &self.parts {
            let tokens = weights.part(part);
            self.tokens = self.tokens.saturating_add(tokens);
            self.largest = self.largest.max(tokens);
        }
    }

    /// Its tokens by script.
    pub(crate) fn mix(&self) -> Mix {
        let mut mix = Mix::latin(self.around);
        self.parts.iter().for_each(|part| mix.add(part));
        mix
    }
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

    /// Both together.
    #[must_use]
    fn plus(&self, later: &Self) -> Self {
        Self {
            system: self.system.saturating_add(later.system),
            user: self.user.saturating_add(later.user),
            assistant: self.assistant.saturating_add(later.assistant),
            tool: self.tool.saturating_add(later.tool),
            spoken: self.spoken.saturating_add(later.spoken),
        }
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
    tokenizer: Weighing,
    overhead: TokenOverhead,
    costs: Vec<Cost>,
    /// Tokens of each message once more, by themselves: whoever looks at all of them reads nothing else.
    tokens: Vec<u32>,
    /// Tokens of the largest part of each message.
    largest: Peaks,
    /// `totals[n]` covers the first `n` messages.
    totals: Vec<Totals>,
    /// The same by script; nothing as long as all of it is in Latin.
    mixes: Vec<Mix>,
}

impl Meter {
    /// An empty meter.
    pub fn new(tokenizer: BoxedTokenizer) -> Self {
        let overhead = tokenizer.overhead();
        Self {
            tokenizer: Weighing::new(tokenizer),
            overhead,
            costs: Vec::new(),
            tokens: Vec::new(),
            largest: Peaks::default(),
            totals: vec![Totals::default()],
            mixes: Vec::new(),
        }
    }

    /// The tokenizer it counts with: what it says of a text is what the text weighs here.
    pub fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    /// What it counts besides texts.
    pub fn overhead(&self) -> &TokenOverhead {
        &self.overhead
    }

    /// What a token in each script weighs.
    pub(crate) fn weights(&self) -> Weights {
        self.tokenizer.weights
    }

    /// Weighs everything anew, and counts nothing. Linear in the number of messages, where not all are in Latin.
    pub(crate) fn weigh(&mut self, weights: Weights) {
        self.tokenizer.weights = weights;
        let mut total = Totals::default();
        let mixes = self.mixes.iter().zip(self.mixes.iter().skip(1));
        let totals = self.totals.iter_mut().skip(1);
        let costs = self.costs.iter_mut().zip(&mut self.tokens).enumerate();
        for (((position, (cost, tokens)), (before, behind)), slot) in costs.zip(mixes).zip(totals) {
            if behind.minus(before).is_foreign() {
                cost.weigh(&weights);
                *tokens = cost.tokens;
                self.largest.replace(position, cost.largest);
            }
            total.add(cost.role, cost.tokens);
            *slot = total;
        }
    }

    /// Counts a message at the end. Linear in the message, whatever came before.
    pub fn append(&mut self, message: &Message) {
        let cost = self.measure(message);
        let mix = cost.mix();
        if mix.is_foreign() {
            self.tell_scripts_apart();
        }
        if let Some(last) = self.mixes.last() {
            self.mixes.push(last.plus(&mix));
        }
        let mut total = self.totals.last().copied().unwrap_or_default();
        total.add(message.role, cost.tokens);
        self.tokens.push(cost.tokens);
        self.largest.push(cost.largest);
        self.costs.push(cost);
        self.totals.push(total);
    }

    /// Counts a message that takes the place of an earlier one. Linear in the messages behind it.
    pub fn replace(&mut self, position: usize, message: &Message) {
        let cost = self.measure(message);
        if cost.mix().is_foreign() {
            self.tell_scripts_apart();
        }
        let Some(slot) = self.costs.get_mut(position) else { return };
        let (old_mix, new_mix) = (slot.mix(), cost.mix());
        let (mut old, mut new) = (Totals::default(), Totals::default());
        old.add(slot.role, slot.tokens);
        new.add(message.role, cost.tokens);
        self.largest.replace(position, cost.largest);
        if let Some(tokens) = self.tokens.get_mut(position) {
            *tokens = cost.tokens;
        }
        *slot = cost;
        for total in self.totals.iter_mut().skip(position + 1) {
            *total = total.minus(&old).plus(&new);
        }
        for mix in self.mixes.iter_mut().skip(position + 1) {
            *mix = mix.minus(&old_mix).plus(&new_mix);
        }
    }

    /// From here on there are sums by script. Linear the first time, and nothing after that.
    fn tell_scripts_apart(&mut self) {
        if self.mixes.is_empty() {
            self.mixes = self.totals.iter().map(|total| Mix::latin(total.sum())).collect();
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
        self.tokens.get(position).copied().unwrap_or(0)
    }

    /// Tokens of every message, by position.
    pub(crate) fn all_tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// Where messages of a range are that have a part of more tokens than these, newest first. Costs little for
    /// those that have none.
    pub(crate) fn exceeding(
        &self,
        range: Range<usize>,
        tokens: u32,
    ) -> impl Iterator<Item = usize> + '_ {
        self.largest.above(range, tokens)
    }

    /// Tokens of the text of a tool result: that part of the message at a position.
    pub fn result_tokens(&self, position: usize, part: usize) -> u32 {
        let part = self.cost(position).and_then(|cost| cost.parts.get(part));
        let tokens = part.map(|part| self.tokenizer.weights.part(part));
        tokens.map_or(0, |tokens| tokens.saturating_sub(self.overhead.result))
    }

    /// Tokens of a stretch of messages. Costs O(1).
    pub fn span(&self, range: Range<usize>) -> Totals {
        let upto = |count: usize| self.totals.get(count).or(self.totals.last()).copied();
        let end = upto(range.end).unwrap_or_default();
        end.minus(&upto(range.start.min(range.end)).unwrap_or_default())
    }

    /// Tokens of a stretch of messages by script, before they are weighed. Costs O(1).
    pub(crate) fn mix(&self, range: Range<usize>) -> Mix {
        let upto = |count: usize| self.mixes.get(count).or(self.mixes.last());
        match (upto(range.end), upto(range.start.min(range.end))) {
            (Some(end), Some(start)) => end.minus(start),
            _ => Mix::latin(self.span(range).sum()),
        }
    }

    /// Counts a message without keeping it.
    pub fn measure(&self, message: &Message) -> Cost {
        let (tokenizer, overhead) = (&self.tokenizer, &self.overhead);
        let name = |name: &str| tokenizer.name(name);
        let part = |part| part_cost(part, |text| tokenizer.text(text), name, overhead);
        let parts = message.parts.iter().map(part).collect();
        Cost::new(message.role, around(message, name, overhead), parts, &tokenizer.weights)
    }

    /// Tokens of a message, without a meter.
    pub fn cost_of(message: &Message, tokenizer: &dyn Tokenizer) -> u32 {
        let overhead = &tokenizer.overhead();
        let name = |name: &str| tokenizer.count(name);
        let text = |text: &str| PartCost::plain(tokenizer.count(text));
        let parts = message.parts.iter().map(|part| part_cost(part, text, name, overhead).latin);
        parts.fold(around(message, name, overhead), u32::saturating_add)
    }
}

/// Tokens of a message besides its parts.
fn around(message: &Message, name: impl Fn(&str) -> u32, overhead: &TokenOverhead) -> u32 {
    let author = message.author.as_deref();
    let author = author.map_or(0, |author| name(author).saturating_add(overhead.author));
    overhead.message.saturating_add(author)
}

fn part_cost(
    part: &Part,
    text: impl Fn(&str) -> PartCost,
    name: impl Fn(&str) -> u32,
    overhead: &TokenOverhead,
) -> PartCost {
    match part {
        Part::Text { text: said } | Part::Reasoning { text: said, .. } => text(said),
        Part::ToolCall { name: tool, arguments, .. } => {
            text(arguments).beside(name(tool).saturating_add(overhead.call))
        }
        Part::ToolResult { text: told, .. } => text(told).beside(overhead.result),
        Part::Approval { .. } => PartCost::plain(overhead.call),
        Part::Image(media) => PartCost::plain(overhead.picture(media)),
        Part::File(media) => PartCost::plain(overhead.file(media)),
        Part::Other { characters, .. } => PartCost::plain(characters.div_ceil(4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::transcript;
    use crate::tokens::{CharactersPer, WithOverhead};

    fn meter() -> Meter {
        let overhead = TokenOverhead { message: 1, ..TokenOverhead::USUAL };
        Meter::new(Box::new(WithOverhead { tokenizer: CharactersPer(1), overhead }))
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
        assert_eq!(
            meter.cost(2).map(|cost| cost.parts.to_vec()),
            Some([1, 14].map(PartCost::plain).to_vec())
        );
    }

    #[test]
    fn a_replaced_message_changes_every_later_sum() {
        let mut meter = meter();
        let messages = transcript("u: a\nu: b\nu: c");
        for message in &messages {
            meter.append(message);
        }
        meter.replace(1, &Message::new("m1", Role::Assistant, "longer"));
        assert_eq!(
            meter.span(0..3),
            Totals { user: 4, assistant: 7, spoken: 3, ..Totals::default() }
        );
        assert_eq!(meter.span(2..3).sum(), 2);
    }
}
