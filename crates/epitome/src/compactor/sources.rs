//! From a line of a summary back to the messages that it is from.

use super::Compactor;
use crate::facts::{SaidFact, Sources};
use crate::message::{Message, MessageId};

impl Compactor {
    /// The messages that a line of the summary is from, in order: those whose numbers it names (`- [4, 9] …`), else the latest
    /// one that says the same, else the latest one for each of its facts, at most four. Of a text, the first line is read.
    ///
    /// Without numbers, only messages that the model does not get any more are looked through. Empty if there are none. Constant
    /// time for each number; without one, linear in the texts of these messages.
    pub fn sources(&self, line: &str) -> Vec<MessageId> {
        let mut found = match Sources::of(line) {
            Sources::Numbers(numbers) => self.numbered(&numbers),
            Sources::Said { sentences, facts } => self.that_say(&sentences, &facts),
        };
        found.sort_unstable();
        found.dedup();
        let messages = found.into_iter().filter_map(|position| self.log().message(position));
        messages.map(|message| message.id.clone()).collect()
    }

    /// The positions of the messages of these numbers.
    fn numbered(&self, numbers: &[u32]) -> Vec<usize> {
        let named = numbers.iter().filter_map(|it| self.conversation.message_numbered(*it));
        let positions = named.filter_map(|message| self.log().position(&message.id));
        positions.filter(|position| *position < self.conversation.projection().covered).collect()
    }

    /// The position of the latest message with all these sentences, or of the latest one for each of the facts.
    fn that_say(&self, sentences: &[String], facts: &[SaidFact]) -> Vec<usize> {
        if sentences.is_empty() {
            return Vec::new();
        }
        let compacted: Vec<usize> = self.conversation.projection().compacted().collect();
        let latest = |is_wanted: &dyn Fn(&Message) -> bool| {
            let wanted = |at: &usize| self.log().message(*at).is_some_and(is_wanted);
            compacted.iter().copied().rev().find(wanted)
        };
        let has = |it: &Message, sentence: &String| {
            it.readable_texts().any(|text| text.contains(sentence.as_str()))
        };
        if let Some(position) = latest(&|it| sentences.iter().all(|sentence| has(it, sentence))) {
            return vec![position];
        }
        let each = facts.iter();
        each.filter_map(|fact| latest(&|it| fact.is_in(it.readable_texts(), it.role))).collect()
    }
}
