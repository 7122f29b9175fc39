//! The meter: counts each message once, and keeps running sums, so that the tokens of any range of messages
//! are one subtraction.

use std::ops::Range;
use std::sync::Arc;

use super::WeightedTokenizer;
use super::block_maxima::BlockMaxima;
use super::script_tokens::{PartCost, ScriptTokens, Weights};
use super::{MeterTokens, TokenOverhead, Tokenizer};
use crate::message::{Message, Part, Role};

/// A tokenizer owned by a meter.
pub type BoxedTokenizer = Box<dyn Tokenizer + Send + Sync>;

/// A tokenizer that several meters use.
pub(crate) type SharedTokenizer = Arc<dyn Tokenizer + Send + Sync>;

/// The tokens of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// All of its tokens, its overhead included, with script weights applied.
    pub tokens: MeterTokens,
    /// Tokens of its largest part, with script weights applied.
    pub largest_part: MeterTokens,
    /// Tokens of each part by script, before weights are applied.
    pub parts: Arc<[PartCost]>,
    /// Tokens in addition to the parts: the overhead of a message, and its author's name.
    pub overhead: u32,
    /// Tokens that its reasoning may have which only the provider can read. They are in no other count.
    pub hidden: u32,
    /// The role of the message.
    pub role: Role,
}

impl Cost {
    pub(super) fn new(
        message: &Message,
        overhead: u32,
        parts: Arc<[PartCost]>,
        weights: &Weights,
    ) -> Self {
        let (tokens, largest_part) = (MeterTokens::ZERO, MeterTokens::ZERO);
        let hidden = message.parts.iter().map(hidden_tokens).fold(0, u32::saturating_add);
        let mut cost = Self { tokens, largest_part, parts, overhead, hidden, role: message.role };
        cost.apply_weights(weights);
        cost
    }

    fn apply_weights(&mut self, weights: &Weights) {
        (self.tokens, self.largest_part) = (MeterTokens::new(self.overhead), MeterTokens::ZERO);
        for part in &*self.parts {
            let tokens = weights.part(part);
            self.tokens += tokens;
            self.largest_part = self.largest_part.max(tokens);
        }
    }

    /// Its tokens by script, before weights are applied.
    pub(crate) fn by_script(&self) -> ScriptTokens {
        let mut by_script = ScriptTokens::latin(self.overhead);
        self.parts.iter().for_each(|part| by_script.add(part));
        by_script
    }
}

/// Tokens of several messages, by role.
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
    /// Tokens that reasoning may have which only the provider can read; in none of the others.
    pub hidden: u32,
    /// How many messages these are, not counting system messages.
    pub non_system_messages: u32,
}

impl Totals {
    /// The tokens of all roles.
    pub fn sum(&self) -> MeterTokens {
        self.system + self.user + self.assistant + self.tool
    }

    /// Adds a message's tokens to those of its role.
    pub fn add(&mut self, role: Role, tokens: MeterTokens) {
        self.add_tokens(role, tokens);
        let counted = u32::from(role != Role::System);
        self.non_system_messages = self.non_system_messages.saturating_add(counted);
    }

    fn add_cost(&mut self, cost: &Cost) {
        self.add(cost.role, cost.tokens);
        self.hidden = self.hidden.saturating_add(cost.hidden);
    }

    /// Adds tokens to those of a role, without counting a message.
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
            hidden: self.hidden.saturating_add(later.hidden),
            non_system_messages: self.non_system_messages.saturating_add(later.non_system_messages),
        }
    }

    /// The difference to an earlier total.
    #[must_use]
    pub fn minus(&self, earlier: &Self) -> Self {
        Self {
            system: self.system - earlier.system,
            user: self.user - earlier.user,
            assistant: self.assistant - earlier.assistant,
            tool: self.tool - earlier.tool,
            hidden: self.hidden.saturating_sub(earlier.hidden),
            non_system_messages: self
                .non_system_messages
                .saturating_sub(earlier.non_system_messages),
        }
    }
}

/// The token costs of a growing list of messages.
///
/// A message is tokenized once, when it is appended. A tokenizer with an error is corrected by script weights,
/// which change as the provider reports counts; the meter then applies the new weights to the stored counts.
pub struct Meter {
    pub(super) tokenizer: WeightedTokenizer,
    pub(super) overhead: TokenOverhead,
    costs: Vec<Cost>,
    /// The `tokens` of each cost again, side by side: reading all of them touches 4 bytes per message, and copying them is one
    /// instruction for many.
    tokens: Vec<u32>,
    /// Tokens of the largest part of each message.
    largest_parts: BlockMaxima,
    /// `totals[n]` covers the first `n` messages.
    totals: Vec<Totals>,
    /// The same by script, before weights are applied; empty while all tokens are in Latin, as in most
    /// conversations.
    totals_by_script: Vec<ScriptTokens>,
}

impl Meter {
    /// An empty meter.
    pub fn new(tokenizer: BoxedTokenizer) -> Self {
        Self::sharing(tokenizer.into())
    }

    /// An empty meter with a tokenizer of another one.
    pub(crate) fn sharing(tokenizer: SharedTokenizer) -> Self {
        let overhead = tokenizer.overhead();
        Self {
            tokenizer: WeightedTokenizer::new(tokenizer),
            overhead,
            costs: Vec::new(),
            tokens: Vec::new(),
            largest_parts: BlockMaxima::default(),
            totals: vec![Totals::default()],
            totals_by_script: Vec::new(),
        }
    }

    /// Tokens of a text, as the meter would count them in a message. Linear in the text.
    pub fn count(&self, text: &str) -> MeterTokens {
        self.tokenizer.count(text)
    }

    /// Half-width of the relative error of its counts, as its tokenizer states it; 0 if they are exact.
    pub fn error_band(&self) -> f64 {
        self.tokenizer.error_band()
    }

    /// The tokens it counts in addition to texts.
    pub fn overhead(&self) -> &TokenOverhead {
        &self.overhead
    }

    /// The weight of a token of each script.
    pub(crate) fn weights(&self) -> Weights {
        self.tokenizer.weights
    }

    /// Applies other weights to all counts, without tokenizing anything. Linear in the number of messages; O(1)
    /// if all tokens are in Latin, whose weight is always 1.
    pub(crate) fn apply_weights(&mut self, weights: Weights) {
        self.tokenizer.weights = weights;
        let mut total = Totals::default();
        let totals_by_script =
            self.totals_by_script.iter().zip(self.totals_by_script.iter().skip(1));
        let totals = self.totals.iter_mut().skip(1);
        // The list of sums by script is empty while all tokens are in Latin. The zipped loop then has no
        // iteration, and nothing has to be counted again.
        let costs = self.costs.iter_mut().zip(&mut self.tokens).enumerate();
        for (((position, (cost, tokens)), (before, behind)), slot) in
            costs.zip(totals_by_script).zip(totals)
        {
            if behind.minus(before).has_non_latin() {
                cost.apply_weights(&weights);
                *tokens = cost.tokens.get();
                self.largest_parts.replace(position, cost.largest_part.get());
            }
            total.add_cost(cost);
            *slot = total;
        }
    }

    /// Its tokenizer with the present weights.
    pub(crate) fn weighted_tokenizer(&self) -> WeightedTokenizer {
        self.tokenizer.clone()
    }

    /// Its tokenizer, for another meter.
    pub(crate) fn tokenizer(&self) -> &SharedTokenizer {
        self.tokenizer.inner()
    }

    /// True if another meter has the same tokenizer, so that counts of one hold for both.
    pub(crate) fn counts_as(&self, other: &Self) -> bool {
        self.is_of(other.tokenizer())
    }

    /// True if it counts by this tokenizer.
    pub(crate) fn is_of(&self, tokenizer: &SharedTokenizer) -> bool {
        Arc::ptr_eq(self.tokenizer(), tokenizer)
    }

    /// Adds the next message as a meter with the same tokenizer has counted it, without reading its text. Linear in the
    /// number of its parts.
    pub(crate) fn append_counted(&mut self, mut cost: Cost) {
        cost.apply_weights(&self.tokenizer.weights);
        self.push(cost);
    }

    /// Counts the next message. Linear in the message.
    pub fn append(&mut self, message: &Message) {
        self.push(self.measure(message));
    }

    /// Adds the cost of the next message.
    fn push(&mut self, cost: Cost) {
        let by_script = cost.by_script();
        // Before the new total is added: until now every total is all Latin, which is what the new list is made
        // from.
        if by_script.has_non_latin() {
            self.begin_script_totals();
        }
        if let Some(last) = self.totals_by_script.last() {
            self.totals_by_script.push(last.plus(&by_script));
        }
        let mut total = self.totals.last().copied().unwrap_or_default();
        total.add_cost(&cost);
        self.tokens.push(cost.tokens.get());
        self.largest_parts.push(cost.largest_part.get());
        self.costs.push(cost);
        self.totals.push(total);
    }

    /// Forgets all messages from a position on. Linear in these.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.split_off(len);
    }

    /// Counts a message that comes before another one. Linear in it and in the number of messages behind it.
    pub(crate) fn insert(&mut self, position: usize, message: &Message) {
        let behind = self.split_off(position);
        self.append(message);
        behind.into_iter().for_each(|cost| self.push(cost));
    }

    /// Forgets one message. Linear in the number of messages behind it.
    pub(crate) fn remove(&mut self, position: usize) {
        let behind = self.split_off(position);
        behind.into_iter().skip(1).for_each(|cost| self.push(cost));
    }

    fn split_off(&mut self, position: usize) -> Vec<Cost> {
        self.tokens.truncate(position);
        self.largest_parts.truncate(position);
        // Each has one more element, for no messages; the second may be empty.
        self.totals.truncate(position + 1);
        self.totals_by_script.truncate(position + 1);
        self.costs.split_off(position.min(self.costs.len()))
    }

    /// Counts a message that replaces an earlier one. Linear in the message and in the number of messages
    /// after it.
    pub fn replace(&mut self, position: usize, message: &Message) {
        let cost = self.measure(message);
        if cost.by_script().has_non_latin() {
            self.begin_script_totals();
        }
        let Some(slot) = self.costs.get_mut(position) else { return };
        let (old_by_script, new_by_script) = (slot.by_script(), cost.by_script());
        let (mut old, mut new) = (Totals::default(), Totals::default());
        old.add_cost(slot);
        new.add_cost(&cost);
        self.largest_parts.replace(position, cost.largest_part.get());
        if let Some(tokens) = self.tokens.get_mut(position) {
            *tokens = cost.tokens.get();
        }
        *slot = cost;
        for total in self.totals.iter_mut().skip(position + 1) {
            *total = total.minus(&old).plus(&new);
        }
        for by_script in self.totals_by_script.iter_mut().skip(position + 1) {
            *by_script = by_script.minus(&old_by_script).plus(&new_by_script);
        }
    }

    /// Keeps sums by script from now on; so far all tokens were in Latin. Linear the first time.
    fn begin_script_totals(&mut self) {
        if self.totals_by_script.is_empty() {
            self.totals_by_script =
                self.totals.iter().map(|total| ScriptTokens::latin(total.sum().get())).collect();
        }
    }

    /// How many messages it has counted.
    pub fn len(&self) -> usize {
        self.costs.len()
    }

    /// True if it has counted none.
    pub fn is_empty(&self) -> bool {
        self.costs.is_empty()
    }

    /// The cost of the message at a position.
    pub fn cost(&self, position: usize) -> Option<&Cost> {
        self.costs.get(position)
    }

    /// Tokens of the message at a position; 0 if there is none.
    pub fn tokens(&self, position: usize) -> MeterTokens {
        self.tokens.get(position).copied().map_or(MeterTokens::ZERO, MeterTokens::new)
    }

    /// Tokens of every message, by position: the numbers of [`MeterTokens`].
    pub(crate) fn all_tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The positions in a range of messages with a part of more than `tokens` tokens, newest first. Messages
    /// without one are skipped in blocks; see [`BlockMaxima::above`].
    pub(crate) fn with_part_above(
        &self,
        range: Range<usize>,
        tokens: MeterTokens,
    ) -> impl Iterator<Item = usize> + '_ {
        self.largest_parts.above(range, tokens.get())
    }

    /// Tokens of the text of a tool result, which is part `part` of the message at a position.
    pub fn result_tokens(&self, position: usize, part: usize) -> MeterTokens {
        let part = self.cost(position).and_then(|cost| cost.parts.get(part));
        let tokens = part.map(|part| self.tokenizer.weights.part(part));
        // The stored cost of a result has the overhead in it. A limit for a text must not include it, or short
        // results would be cut for nothing.
        tokens.unwrap_or_default() - MeterTokens::new(self.overhead.result)
    }

    /// Tokens of a range of messages; positions past the end are ignored. Costs O(1).
    pub fn span(&self, range: Range<usize>) -> Totals {
        let upto = |count: usize| self.totals.get(count).or(self.totals.last()).copied();
        let end = upto(range.end).unwrap_or_default();
        end.minus(&upto(range.start.min(range.end)).unwrap_or_default())
    }

    /// Tokens of a range of messages by script, before weights are applied. Costs O(1).
    pub(crate) fn by_script(&self, range: Range<usize>) -> ScriptTokens {
        let upto = |count: usize| self.totals_by_script.get(count).or(self.totals_by_script.last());
        match (upto(range.end), upto(range.start.min(range.end))) {
            (Some(end), Some(start)) => end.minus(start),
            _ => ScriptTokens::latin(self.span(range).sum().get()),
        }
    }

    /// Tokens of one part of a message. Linear in the part.
    pub(crate) fn part_tokens(&self, part: &Part) -> MeterTokens {
        let tokenizer = &self.tokenizer;
        let name = |name: &str| tokenizer.name(name);
        let cost = part_cost(part, |text| tokenizer.text(text), name, &self.overhead);
        tokenizer.weights.part(&cost)
    }

    /// Tokens of a message, without a meter and without weights. Linear in the message.
    pub fn cost_of(message: &Message, tokenizer: &dyn Tokenizer) -> u32 {
        let overhead = &tokenizer.overhead();
        let name = |name: &str| tokenizer.count(name);
        let text = |text: &str| PartCost::plain(tokenizer.count(text));
        let parts = message.parts.iter().map(|part| part_cost(part, text, name, overhead).latin);
        parts.fold(message_overhead(message, name, overhead), u32::saturating_add)
    }
}

/// Tokens of a message in addition to its parts.
pub(super) fn message_overhead(
    message: &Message,
    name: impl Fn(&str) -> u32,
    overhead: &TokenOverhead,
) -> u32 {
    let author = message.author.as_deref();
    let author = author.map_or(0, |author| name(author).saturating_add(overhead.author));
    overhead.message.saturating_add(author)
}

/// Tokens that the reasoning in a part may have, if it is there only in a form that the provider alone can read. OpenAI
/// leaves them out of its counts, although the model reads them. The form is Base64, and four bytes are about a token.
fn hidden_tokens(part: &Part) -> u32 {
    match part {
        Part::Reasoning { text, signature: Some(signature) } if text.trim().is_empty() => {
            u32::try_from(signature.len() / 16 * 3).unwrap_or(u32::MAX)
        }
        _ => 0,
    }
}

pub(super) fn part_cost(
    part: &Part,
    text: impl Fn(&str) -> PartCost,
    name: impl Fn(&str) -> u32,
    overhead: &TokenOverhead,
) -> PartCost {
    match part {
        Part::Text { text: content } | Part::Reasoning { text: content, .. } => text(content),
        Part::ToolCall { name: tool, arguments, .. } => {
            text(arguments).plus_overhead(name(tool).saturating_add(overhead.call))
        }
        Part::ToolResult { text: result, .. } => text(result).plus_overhead(overhead.result),
        Part::Approval { .. } => PartCost::plain(overhead.call),
        Part::Image(media) => PartCost::plain(overhead.image_tokens(media)),
        Part::File(media) => PartCost::plain(overhead.file_tokens(media)),
        // A part of an unknown type is in no known encoding; four characters per token is the usual estimate.
        Part::Other { characters, .. } => PartCost::plain(characters.div_ceil(4)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_notation::transcript;
    use crate::tokens::{CharactersPer, WithOverhead};

    fn meter() -> Meter {
        let overhead = TokenOverhead { message: 1, ..TokenOverhead::DEFAULT };
        Meter::new(Box::new(WithOverhead { tokenizer: CharactersPer(1), overhead }))
    }

    #[test]
    fn b1_any_range_costs_the_sum_of_its_messages() {
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
                non_system_messages: 3,
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
                non_system_messages: 3,
                ..Totals::default()
            }
        );
        assert_eq!(meter.span(2..3).sum(), MeterTokens::new(2));
    }
}
