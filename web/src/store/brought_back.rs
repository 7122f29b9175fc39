//! Messages that a compaction has replaced and that the next request has again: quoted at its end, in no record of the
//! conversation.

use epitome::Provider as _;
use epitome::history::{Edit, View};
use epitome::message::{Entry, Message, MessageId, Part, Role};
use epitome::transcript::{recalled, recalled_entries};

use super::Session;

/// In front of how many of the last messages a place for the quotes is looked for.
const MOST_PLACES: usize = 64;

impl Session {
    /// Brings a replaced message back, or takes it out again. True if it is back then.
    pub(crate) fn toggle_brought_back(&mut self, position: usize) -> bool {
        let Some(id) = self.message(position).map(|message| message.id.clone()) else {
            return false;
        };
        let before = self.brought_back.len();
        self.brought_back.retain(|other| *other != id);
        let is_new = self.brought_back.len() == before && self.is_compacted(position);
        if is_new {
            self.brought_back.push(id);
        }
        is_new
    }

    /// True if the model does not get the message at a position as one of the conversation.
    pub(crate) fn is_compacted(&self, position: usize) -> bool {
        let compactor = self.compactor();
        compactor.is_some_and(|it| it.conversation().projection().is_compacted(position))
    }

    /// True if the next request quotes the message at a position.
    pub(crate) fn is_brought_back(&self, position: usize) -> bool {
        self.message(position).is_some_and(|message| self.brought_back.contains(&message.id))
    }

    /// Brings back what was back when it was stored.
    pub(super) fn set_brought_back(&mut self, ids: Vec<MessageId>) {
        self.brought_back = ids;
        self.release_brought_back();
    }

    /// Takes out what the conversation has by itself again, as after an undo.
    pub(crate) fn release_brought_back(&mut self) {
        let Some(compactor) = &self.compactor else { return };
        self.brought_back.retain(|id| compactor.is_compacted(id));
    }

    /// The message that quotes what is back; `None` if nothing is.
    pub(crate) fn quotes(&self) -> Option<Message> {
        let compactor = self.compactor()?;
        let cover = compactor.conversation().projection().cover.as_ref();
        let earlier = cover.map_or(0, |cover| cover.earlier);
        let positions = self.brought_back.iter().filter_map(|id| compactor.log().position(id));
        let mut positions: Vec<usize> = positions.collect();
        positions.sort_unstable();
        let entries = positions.into_iter().filter_map(|position| compactor.searchable(position));
        let numbered =
            |entry: Entry| Entry { number: entry.number.saturating_add(earlier + 1), ..entry };
        let entries: Vec<Entry> = entries.map(numbered).collect();
        let text = recalled(&entries);
        (!text.is_empty()).then(|| Message::new("brought-back", Role::User, text))
    }

    /// What is sent to the model: the view, and the quotes of what is back as near to its end as the provider accepts them.
    pub(crate) fn view(&self) -> View {
        let Some(compactor) = self.compactor() else { return View::default() };
        let view = compactor.view();
        let format = self.format();
        match self.quotes() {
            Some(quotes) => {
                with_at_end(&view, &quotes, |view| format.accepts(compactor.log(), view).is_ok())
            }
            None => view,
        }
    }

    /// The positions of the messages that a message quotes, if it was recalled; otherwise none. Linear in its text.
    pub(crate) fn quoted(&self, message: &Message) -> Vec<usize> {
        let numbers = message.parts.iter().filter_map(text_of).flat_map(quoted_numbers);
        numbers.filter_map(|number| self.position_of_number(number)).collect()
    }
}

/// True if a message has quotes of earlier messages for the model.
pub(crate) fn is_recalled(message: &Message) -> bool {
    message.parts.iter().filter_map(text_of).any(|text| recalled_entries(text).is_some())
}

fn text_of(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text } | Part::ToolResult { text, .. } => Some(text),
        _ => None,
    }
}

/// The numbers of the quoted messages, in a text that has nothing but them.
fn quoted_numbers(text: &str) -> Vec<u32> {
    recalled_entries(text).into_iter().flatten().map(|entry| entry.number).collect()
}

/// The view with a message at its end, or in front of calls there that have no result yet.
fn with_at_end(view: &View, message: &Message, is_accepted: impl Fn(&View) -> bool) -> View {
    let end = view.edits.len();
    let at = |place: usize| {
        let mut view = view.clone();
        let (role, parts) = (message.role, message.parts.clone());
        view.edits.insert(place.min(end), Edit::Insert { role, parts });
        view
    };
    let mut places = (0..=end).rev().take(MOST_PLACES).map(at);
    places.find(is_accepted).unwrap_or_else(|| at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32, text: &str) -> Entry {
        Entry { number, speaker: "user".to_owned(), time: None, text: text.to_owned() }
    }

    #[test]
    fn what_a_recalled_message_quotes_is_known_by_its_numbers() {
        let text = recalled(&[entry(3, "The code is 4711.\n[9] user:"), entry(12, "Roses.")]);
        assert_eq!(quoted_numbers(&text), [3, 12]);
        assert!(is_recalled(&Message::new("m", Role::User, text.clone())));
        assert_eq!(quoted_numbers(&format!("They said: {text}")), Vec::<u32>::new());
        assert!(!is_recalled(&Message::new("m", Role::User, "[3] user: hi")));
    }

    #[test]
    fn quotes_stand_at_the_end_or_in_front_of_what_has_to_end_it() {
        let keep = |id: &str| Edit::Keep(MessageId::from(id));
        let view = || View { edits: vec![keep("a"), keep("b")], ..View::default() };
        let quotes = Message::new("q", Role::User, "quotes");
        let place = |view: View| view.edits.iter().position(|edit| edit.id().is_none());
        assert_eq!(place(with_at_end(&view(), &quotes, |_| true)), Some(2));
        let ends_with_b = |view: &View| view.edits.last() == Some(&keep("b"));
        assert_eq!(place(with_at_end(&view(), &quotes, ends_with_b)), Some(1));
        assert_eq!(place(with_at_end(&view(), &quotes, |_| false)), Some(2));
    }
}
