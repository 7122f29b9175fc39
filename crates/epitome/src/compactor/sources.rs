//! From a line of a summary back to the messages that it is from.

use epitome_columns::sort;

use super::Compactor;
use crate::facts::{SaidFact, Sources, Thing};
use crate::message::{Message, MessageId};
use epitome_text::sentence::says;

impl Compactor {
    /// The messages that a line of the summary is from, in order: those whose numbers it names (`- [4, 9] …`), else the latest
    /// one that says the same, else the latest one for each of its facts or of the things that it lists, at most four. Of a text,
    /// the first line is read.
    ///
    /// Without numbers, the messages up to the last one that the model does not get any more are looked through. Empty if none says
    /// the line, as for a heading. Constant time for each number; without one, linear in the texts of these messages.
    pub fn sources(&self, line: &str) -> Vec<MessageId> {
        let mut found = match Sources::of(line) {
            Sources::Numbers(numbers) => self.numbered(&numbers),
            Sources::Said { sentences, facts, things } => {
                self.that_say(&sentences, &facts, &things)
            }
        };
        sort(&mut found);
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

    /// The position of the latest message with all these sentences, or of the latest one for each of the facts, or else of the
    /// things.
    fn that_say(&self, sentences: &[String], facts: &[SaidFact], things: &[Thing]) -> Vec<usize> {
        if sentences.is_empty() {
            return Vec::new();
        }
        // A line may be from a request that stays, too. What stays behind them all is not what the summary is about.
        let end = self.conversation.projection().compacted().last().map_or(0, |last| last + 1);
        let latest = |is_wanted: &dyn Fn(&Message) -> bool| {
            (0..end).rev().find(|at| self.log().message(*at).is_some_and(is_wanted))
        };
        let has =
            |it: &Message, sentence: &String| it.readable_texts().any(|text| says(text, sentence));
        if let Some(position) = latest(&|it| sentences.iter().all(|sentence| has(it, sentence))) {
            return vec![position];
        }
        let of_fact = |fact: &SaidFact| latest(&|it| fact.is_in(it.readable_texts(), it.role));
        let found: Vec<usize> = facts.iter().filter_map(of_fact).collect();
        if !found.is_empty() {
            return found;
        }
        let of_thing = |thing: &Thing| latest(&|it| it.readable_texts().any(|it| thing.is_in(it)));
        things.iter().filter_map(of_thing).collect()
    }
}
