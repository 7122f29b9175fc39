//! Results that come after their calls were summarized or removed: they are sent as text, since a result without a call
//! is invalid.

use std::cell::OnceCell;

use epitome_columns::SortedMap;

use super::{Log, Projection};
use crate::history::tagged;
use crate::message::attachment;
use crate::message::{CallId, Message, Part, Role};

/// Finds the calls that are no longer in the view and had no result when they left it.
pub(crate) struct LateResults<'a> {
    log: &'a Log,
    projection: &'a Projection,
    /// The names of their tools by call, computed when first needed.
    hidden_calls: OnceCell<SortedMap<&'a CallId, &'a str>>,
}

impl<'a> LateResults<'a> {
    pub(crate) fn new(log: &'a Log, projection: &'a Projection) -> Self {
        Self { log, projection, hidden_calls: OnceCell::new() }
    }

    /// The result as a tagged text; `None` if its call is in the view, had a result before, or does not exist. The first
    /// call costs O(n log n) in the messages that are not in the view.
    pub(crate) fn text(&self, message: &Message) -> Option<String> {
        message.results().next()?;
        let hidden_calls = self.hidden_calls.get_or_init(|| self.hidden_calls());
        let tool = message.results().find_map(|call| hidden_calls.get(call))?;
        let texts = message.parts.iter().filter_map(|part| match part {
            Part::Text { text } | Part::ToolResult { text, .. } => Some(text.clone()),
            Part::Image(media) => Some(attachment("image", media)),
            Part::File(media) => Some(attachment("file", media)),
            _ => None,
        });
        let texts: Vec<String> = texts.collect();
        Some(tagged::late_result(tool, &texts.join("\n")))
    }

    /// The same as a message, for the transcript of a summarizer.
    pub(crate) fn message(&self, message: &Message) -> Option<Message> {
        let text = self.text(message)?;
        Some(Message { role: Role::Tool, parts: vec![Part::text(text)], ..message.clone() })
    }

    fn hidden_calls(&self) -> SortedMap<&'a CallId, &'a str> {
        let mut open = SortedMap::new();
        let Projection { covered, dropped, .. } = self.projection;
        let hidden = (0..self.log.len()).filter(|at| at < covered || dropped.contains(at));
        for message in hidden.filter_map(|at| self.log.message(at)) {
            for part in &message.parts {
                match part {
                    // Without an id, any later result without an id would look like the late result of this
                    // call.
                    Part::ToolCall { call, name, .. } if !call.as_str().is_empty() => {
                        open.insert(call, name.as_str());
                    }
                    Part::ToolResult { call, .. } => {
                        open.remove(call);
                    }
                    _ => {}
                }
            }
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Checkpoint, Cover, Record};
    use crate::message::Media;
    use crate::test_notation::transcript;

    const TALK: &str =
        "u: hi\na: !one !two !\nt: =two\nu: so\na: !three\nt: =one\nt: =two\nt: =three\nt: =";

    /// A conversation whose first messages are summarized, up to one.
    fn summarized(through: &str) -> (Log, Projection) {
        let mut log = Log::default();
        for message in transcript(TALK) {
            log.append(Record::Message { message: message.into() }).unwrap();
        }
        let cover = Some(Cover::through(through));
        let checkpoint = Checkpoint { cover, ..Checkpoint::empty(1) };
        log.append(Record::Checkpoint { checkpoint: checkpoint.into() }).unwrap();
        let projection = Projection::of(&log);
        (log, projection)
    }

    #[test]
    fn only_a_result_whose_call_has_left_the_view_without_one_becomes_a_text() {
        let (log, projection) = summarized("m3");
        let late = LateResults::new(&log, &projection);
        let is_late = |at: usize| late.text(log.message(at).unwrap()).is_some();
        assert!(!is_late(3), "it is no result");
        assert!(is_late(5), "its call is summarized");
        assert!(!is_late(6), "its call had a result before");
        assert!(!is_late(7), "its call is in the view");
        assert!(!is_late(8), "nobody knows which call it answers");
    }

    #[test]
    fn a_late_result_names_what_it_had_beside_its_text() {
        let (log, projection) = summarized("m3");
        let mut message = log.message(5).unwrap().clone();
        message.role = Role::User;
        let named = |name: &str| Media { name: Some(name.into()), ..Media::default() };
        message.parts.push(Part::Image(named("roses.png")));
        message.parts.push(Part::File(named("roses.csv")));
        let late = LateResults::new(&log, &projection).message(&message).unwrap();
        let text = late.text();
        for words in ["late-result tool=\"tool\"", "result one", "roses.png", "roses.csv"] {
            assert!(text.contains(words), "{words} in {text}");
        }
        assert_eq!((late.role, late.parts.len()), (Role::Tool, 1));
    }
}
