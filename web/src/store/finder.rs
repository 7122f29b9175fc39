//! Finds the messages that say most about a question, also those that a summary has replaced.

use epitome::Compactor;
use epitome::message::Entry;
use epitome::tokens::CharactersPer;
use epitome_recall::{Index, Quote};

use super::Session;

/// How many messages are quoted at the most, and how many tokens all quotes together have.
const MOST: usize = 5;
const TOKENS: u32 = 250;

/// What a message says about a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Match {
    /// Its position.
    pub(crate) position: usize,
    /// Who wrote it.
    pub(crate) speaker: String,
    /// True if the model does not get it any more.
    pub(crate) is_replaced: bool,
    /// True if the next request quotes it.
    pub(crate) is_brought_back: bool,
    /// Its best sentences.
    pub(crate) quote: String,
}

/// The index of a conversation, which is made when it is first searched.
#[derive(Default)]
pub(crate) struct Finder {
    index: Index,
    /// Number of changes of the log that it has seen.
    changes: usize,
    /// The last message, and where its next part begins, if it has only a part of it.
    rest: Option<(Entry, usize)>,
}

impl Finder {
    /// Adds the next message, or the next part of a long one. True if it has everything then. Takes some milliseconds.
    fn extend(&mut self, compactor: &Compactor) -> bool {
        let log = compactor.log();
        if let Some(changed) = log.changed_since(self.changes) {
            self.changes = log.changes();
            if changed < self.index.messages() {
                self.index.truncate(changed);
                self.rest = None;
            }
        }
        let next = self.rest.take();
        let next = next.or_else(|| Some((compactor.searchable(self.index.messages())?, 0)));
        let Some((entry, offset)) = next else { return true };
        let end = self.index.append_from(&entry, offset);
        if end < entry.text.len() {
            self.rest = Some((entry, end));
        }
        false
    }

    /// The messages that say most about a question, with their best sentences, the best message first.
    fn find(&self, compactor: &Compactor, question: &str) -> Vec<Quote> {
        let text = |at: usize| compactor.searchable(at).map(|entry| entry.text).unwrap_or_default();
        let mut search = self.index.search(question, |_| true);
        search.widen(&self.index, text);
        let best = search.best(&self.index, MOST);
        // Without their neighbours, which a model would need to understand them, and a reader can open.
        search.prefer(&self.index, &best.iter().copied().collect());
        let passages = search.passages(&self.index, text, TOKENS, "", &CharactersPer(4));
        let mut quotes: Vec<Quote> =
            passages.into_iter().flat_map(|passage| passage.quotes).collect();
        quotes.sort_by_key(|quote| best.iter().position(|(message, _)| *message == quote.message));
        quotes
    }
}

impl Session {
    /// Brings the index a step further. True if it has the whole conversation.
    pub(crate) fn extend_index(&mut self) -> bool {
        let Self { finder, compactor, .. } = self;
        compactor.as_ref().is_none_or(|compactor| finder.extend(compactor))
    }

    /// What the conversation says about a question, the best message first, as far as the index has it.
    pub(crate) fn matches(&self, question: &str) -> Vec<Match> {
        let Some(compactor) = self.compactor() else { return Vec::new() };
        let quotes = self.finder.find(compactor, question).into_iter().map(|quote| Match {
            position: quote.message,
            speaker: self.finder.index.speaker_of(quote.message).to_owned(),
            is_replaced: self.is_compacted(quote.message),
            is_brought_back: self.is_brought_back(quote.message),
            quote: quote.text,
        });
        quotes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::{Message, Role};
    use epitome::{Contract, Policy};

    fn append(compactor: &mut Compactor, id: &str, text: &str) {
        compactor.append(Message::new(id, Role::User, text)).unwrap();
    }

    /// What is quoted for a question once the index has everything, and the number of steps until then.
    fn quoted(finder: &mut Finder, compactor: &Compactor) -> (String, usize) {
        let steps = (0..).take_while(|_| !finder.extend(compactor)).count();
        let found = finder.find(compactor, "What was the code of the gate?");
        let quotes: Vec<String> = found.into_iter().map(|quote| quote.text).collect();
        (quotes.join("\n"), steps)
    }

    #[test]
    fn the_index_follows_what_is_appended_and_edited() {
        let tokenizer = Box::new(CharactersPer(4));
        let policy = Policy::recommended(100_000);
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        let mut finder = Finder::default();
        assert_eq!(quoted(&mut finder, &compactor), (String::new(), 0));
        append(&mut compactor, "m0", "The gate code is 4711.");
        append(&mut compactor, "m1", "I water the roses on Monday.");
        let (quotes, steps) = quoted(&mut finder, &compactor);
        assert!(quotes.contains("4711") && steps == 2, "{quotes}, {steps}");
        append(&mut compactor, "m2", "Nothing else for today.");
        assert_eq!(quoted(&mut finder, &compactor).1, 1, "only what is new");
        compactor.edit(Message::new("m0", Role::User, "We have tulips.")).unwrap();
        compactor.edit(Message::new("m1", Role::User, "The gate has the code 15.")).unwrap();
        let (quotes, steps) = quoted(&mut finder, &compactor);
        assert!(quotes.contains("15") && !quotes.contains("4711") && steps == 3, "{quotes}");
        append(&mut compactor, "m3", &"All of it is about beds. ".repeat(20_000));
        let (quotes, steps) = quoted(&mut finder, &compactor);
        assert!(quotes.contains("15"), "{quotes}");
        assert!(quotes.starts_with("The gate has the code 15."), "the best first: {quotes}");
        assert!(steps > 4, "a long message takes several steps, and not {steps}");
    }
}
