//! The meter: each message is counted once, and any interval of them is a subtraction away.

use std::ops::Range;

use super::WeightedTokenizer;
use super::block_maxima::Peaks;
use super::script_tokens::{PartCost, ScriptTokens, Weights};
use super::{MeterTokens, TokenOverhead, Tokenizer};
use crate::message::{Message, Part, Role};

/// A tokenizer that a compactor owns.
pub type BoxedTokenizer = Box<dyn Tokenizer + Send + Sync>;

/// What one message costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// All of its tokens, its overhead included, weighted by script.
    pub tokens: MeterTokens,
    /// Tokens of its largest part, weighted by script.
    pub largest: MeterTokens,
    /// Tokens of each part, by script.
    pub parts: Box<[PartCost]>,
    /// Tokens around the parts: the message's own, and its author's name.
    pub around: u32,
    /// Whose message it is.
    pub role: Role,
}

impl Cost {
    fn new(role: Role, around: u32, parts: Box<[PartCost]>, weights: &Weights) -> Self {
        let mut cost =
            Self { tokens: MeterTokens::ZERO, largest: MeterTokens::ZERO, parts, around, role };
        cost.apply(weights);
        cost
    }

    fn apply(&mut self, weights: &Weights) {
        (self.tokens, self.largest) = (MeterTokens::new(self.around), MeterTokens::ZERO);
        for part in &self.parts {
            let tokens = weights.part(part);
            self.tokens += tokens;
            self.largest = self.largest.max(tokens);
        }
    }

    /// Its tokens by script.
    pub(crate) fn by_script(&self) -> ScriptTokens {
        let mut by_script = ScriptTokens::latin(self.around);
        self.parts.iter().for_each(|part| by_script.add(part));
        by_script
    }
}

/// Tokens by the role of their messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Of system messages.
    pub system: MeterTokens,
    /// Of user messages.
    pub user: MeterTokens,
    /// Of assistant messages, their tool calls included.
    pub assistant: MeterTokens,
    /// Of tool results.
    pub tool: MeterTokens,
    /// How many messages these are, system messages aside.
    pub spoken: u32,
}

impl Totals {
    /// The tokens of all roles.
    pub fn sum(&self) -> MeterTokens {
        self.system + self.user + self.assistant + self.tool
    }

    /// Adds a message's tokens to those of its role.
    pub fn add(&mut self, role: Role, tokens: MeterTokens) {
        self.add_tokens(role, tokens);
        self.spoken = self.spoken.saturating_add(u32::from(role != Role::System));
    }

    /// Adds tokens to those of a role, and no message.
    pub fn add_tokens(&mut self, role: Role, tokens: MeterTokens) {
        *match role {
            Role::System => &mut self.system,
            Role::User => &mut self.user,
            Role::Assistant => &mut self.assistant,
            Role::Tool => &mut self.tool,
        } += tokens;
    }

    /// The sum of two totals.
    #[must_use]
    fn plus(&self, later: &Self) -> Self {
        Self {
            system: self.system + later.system,
            user: self.user + later.user,
            assistant: self.assistant + later.assistant,
            tool: self.tool + later.tool,
            spoken: self.spoken.saturating_add(later.spoken),
        }
    }

    /// What is left without an earlier total.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        Self {
            system: self.system - earlier.system,
            user: self.user - earlier.user,
            assistant: self.assistant - earlier.assistant,
            tool: self.tool - earlier.tool,
            spoken: self.spoken.saturating_sub(earlier.spoken),
        }
    }
}

/// Costs of a growing list of messages.
pub struct Meter {
    tokenizer: WeightedTokenizer,
    overhead: TokenOverhead,
    costs: Vec<Cost>,
    /// Tokens of each message once more, by themselves: whoever looks at all of them reads nothing else.
    tokens: Vec<MeterTokens>,
    /// Tokens of the largest part of each message.
    largest: Peaks,
    /// `totals[n]` covers the first `n` messages.
    totals: Vec<Totals>,
    /// The same by script; nothing as long as all of it is in Latin.
    totals_by_script: Vec<ScriptTokens>,
}

impl Meter {
    /// An empty meter.
    pub fn new(tokenizer: BoxedTokenizer) -> Self {
        let overhead = tokenizer.overhead();
        Self {
            tokenizer: WeightedTokenizer::new(tokenizer),
            overhead,
            costs: Vec::new(),
            tokens: Vec::new(),
            largest: Peaks::default(),
            totals: vec![Totals::default()],
            totals_by_script: Vec::new(),
        }
    }

    /// Tokens of a text, as the meter would count them in a message. Linear in the text.
    pub fn count(&self, text: &str) -> MeterTokens {
        self.tokenizer.count(text)
    }

    /// Half-width of the relative error of its counts, as its tokenizer states it; 0 if that is exact.
    pub fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
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
    pub(crate) fn apply(&mut self, weights: Weights) {
        self.tokenizer.weights = weights;
        let mut total = Totals::default();
        let totals_by_script =
            self.totals_by_script.iter().zip(self.totals_by_script.iter().skip(1));
        let totals = self.totals.iter_mut().skip(1);
        let costs = self.costs.iter_mut().zip(&mut self.tokens).enumerate();
        for (((position, (cost, tokens)), (before, behind)), slot) in
            costs.zip(totals_by_script).zip(totals)
        {
            if behind.minus(before).is_foreign() {
                cost.apply(&weights);
                *tokens = cost.tokens;
                self.largest.replace(position, cost.largest.get());
            }
            total.add(cost.role, cost.tokens);
            *slot = total;
        }
    }

    /// Counts a message at the end. Linear in the message, whatever came before.
    pub fn append(&mut self, message: &Message) {
        let cost = self.measure(message);
        let by_script = cost.by_script();
        if by_script.is_foreign() {
            self.tell_scripts_apart();
        }
        if let Some(last) = self.totals_by_script.last() {
            self.totals_by_script.push(last.plus(&by_script));
        }
        let mut total = self.totals.last().copied().unwrap_or_default();
        total.add(message.role, cost.tokens);
        self.tokens.push(cost.tokens);
        self.largest.push(cost.largest.get());
        self.costs.push(cost);
        self.totals.push(total);
    }

    /// Counts a message that takes the place of an earlier one. Linear in the messages behind it.
    pub fn replace(&mut self, position: usize, message: &Message) {
        let cost = self.measure(message);
        if cost.by_script().is_foreign() {
            self.tell_scripts_apart();
        }
        let Some(slot) = self.costs.get_mut(position) else { return };
        let (old_by_script, new_by_script) = (slot.by_script(), cost.by_script());
        let (mut old, mut new) = (Totals::default(), Totals::default());
        old.add(slot.role, slot.tokens);
        new.add(message.role, cost.tokens);
        self.largest.replace(position, cost.largest.get());
        if let Some(tokens) = self.tokens.get_mut(position) {
            *tokens = cost.tokens;
        }
        *slot = cost;
        for total in self.totals.iter_mut().skip(position + 1) {
            *total = total.minus(&old).plus(&new);
        }
        for by_script in self.totals_by_script.iter_mut().skip(position + 1) {
            *by_script = by_script.minus(&old_by_script).plus(&new_by_script);
        }
    }

    /// From here on there are sums by script. Linear the first time, and nothing after that.
    fn tell_scripts_apart(&mut self) {
        if self.totals_by_script.is_empty() {
            self.totals_by_script =
                self.totals.iter().map(|total| ScriptTokens::latin(total.sum().get())).collect();
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
    pub fn tokens(&self, position: usize) -> MeterTokens {
        self.tokens.get(position).copied().unwrap_or_default()
    }

    /// Tokens of every message, by position.
    pub(crate) fn all_tokens(&self) -> &[MeterTokens] {
        &self.tokens
    }

    /// Where messages of a range are that have a part of more tokens than these, newest first. Costs little for
    /// those that have none.
    pub(crate) fn exceeding(
        &self,
        range: Range<usize>,
        tokens: MeterTokens,
    ) -> impl Iterator<Item = usize> + '_ {
        self.largest.above(range, tokens.get())
    }

    /// Tokens of the text of a tool result: that part of the message at a position.
    pub fn result_tokens(&self, position: usize, part: usize) -> MeterTokens {
        let part = self.cost(position).and_then(|cost| cost.parts.get(part));
        let tokens = part.map(|part| self.tokenizer.weights.part(part));
        tokens.unwrap_or_default() - MeterTokens::new(self.overhead.result)
    }

    /// Tokens of a interval of messages. Costs O(1).
    pub fn span(&self, range: Range<usize>) -> Totals {
        let upto = |count: usize| self.totals.get(count).or(self.totals.last()).copied();
        let end = upto(range.end).unwrap_or_default();
        end.minus(&upto(range.start.min(range.end)).unwrap_or_default())
    }

    /// Tokens of a interval of messages by script, before they are weighed. Costs O(1).
    pub(crate) fn by_script(&self, range: Range<usize>) -> ScriptTokens {
        let upto = |count: usize| self.totals_by_script.get(count).or(self.totals_by_script.last());
        match (upto(range.end), upto(range.start.min(range.end))) {
            (Some(end), Some(start)) => end.minus(start),
            _ => ScriptTokens::latin(self.span(range).sum().get()),
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
        let single: Vec<u32> = (0..5).map(|position| meter.tokens(position).get()).collect();
        assert_eq!(single, [4, 3, 16, 19, 3]);
        assert_eq!(
            meter.span(1..4),
            Totals {
                user: MeterTokens::new(3),
                assistant: MeterTokens::new(16),
                tool: MeterTokens::new(19),
                spoken: 3,
                ..Totals::default()
            }
        );
        assert_eq!(meter.span(0..99).sum(), MeterTokens::new(45));
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
            Totals {
                user: MeterTokens::new(4),
                assistant: MeterTokens::new(7),
                spoken: 3,
                ..Totals::default()
            }
        );
        assert_eq!(meter.span(2..3).sum(), MeterTokens::new(2));
    }
}
