//! Counting a message, a very long one in slices.

use super::meter::{Cost, Meter, message_overhead, part_cost};
use super::script_tokens::PartCost;
use super::{CountState, WeightedTokenizer};
use crate::message::{Message, Part};

/// What is counted of a message that is counted in slices.
#[derive(Debug, Default)]
pub(crate) struct Measuring {
    /// The costs of its parts that are counted.
    parts: Vec<PartCost>,
    /// So many bytes of the text of the next one are counted.
    read: usize,
    /// Their tokens.
    tokens: u32,
    /// The bytes behind them that are being counted, and what is known of these.
    begun: Option<(usize, CountState)>,
}

impl Meter {
    /// Counts a message without appending it. Linear in the message.
    pub fn measure(&self, message: &Message) -> Cost {
        let mut measuring = Measuring::default();
        loop {
            if let Some(cost) = self.measure_next(message, &mut measuring) {
                return cost;
            }
        }
    }

    /// Does a part of [`Self::measure`], which reads about half a megabyte. The cost, once all is counted.
    pub(crate) fn measure_next(
        &self,
        message: &Message,
        measuring: &mut Measuring,
    ) -> Option<Cost> {
        let (tokenizer, overhead) = (&self.tokenizer, &self.overhead);
        let name = |name: &str| tokenizer.name(name);
        let mut bytes = 0;
        while let Some(part) = message.parts.get(measuring.parts.len()) {
            if bytes >= WeightedTokenizer::PART {
                return None;
            }
            let unread = counted_text(part).get(measuring.read..).unwrap_or_default();
            let begin = || (tokenizer.first_part(unread).0.len(), CountState::default());
            let (length, mut state) = measuring.begun.take().unwrap_or_else(begin);
            let counted = unread.get(..length).unwrap_or(unread);
            let Some(tokens) = tokenizer.count_on(counted, &mut state) else {
                measuring.begun = Some((length, state));
                return None;
            };
            let tokens = measuring.tokens.saturating_add(tokens);
            bytes += counted.len();
            if counted.len() < unread.len() {
                measuring.read += counted.len();
                measuring.tokens = tokens;
                continue;
            }
            let cost = part_cost(part, |text| tokenizer.by_script(text, tokens), name, overhead);
            (measuring.read, measuring.tokens) = (0, 0);
            measuring.parts.push(cost);
        }
        let parts = std::mem::take(&mut measuring.parts).into();
        let own = message_overhead(message, name, overhead);
        Some(Cost::new(message, own, parts, &tokenizer.weights))
    }
}

/// The text of a part whose tokens are counted, besides names.
fn counted_text(part: &Part) -> &str {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } | Part::ToolResult { text, .. } => text,
        Part::ToolCall { arguments, .. } => arguments,
        Part::Approval { .. } | Part::Image(_) | Part::File(_) | Part::Other { .. } => "",
    }
}
