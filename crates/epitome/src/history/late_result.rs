//! Results that come after their calls were summarized or left out: told as texts, since no call stands before them.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::{Log, Projection};
use crate::history::tagged;
use crate::message::attachment;
use crate::message::{CallId, Message, Part, Role};

/// The calls that are not seen any more and were not answered before.
pub(crate) struct LateResults<'a> {
    log: &'a Log,
    projection: &'a Projection,
    /// Their tools, found when they are first asked for.
    open: OnceCell<BTreeMap<&'a CallId, &'a str>>,
}

impl<'a> LateResults<'a> {
    pub(crate) fn new(log: &'a Log, projection: &'a Projection) -> Self {
        Self { log, projection, open: OnceCell::new() }
    }

    /// What a result says, marked as what a tool said; `None` for one whose call is seen, was answered before,
    /// or never was. The first time costs O(n log n) in what is no longer seen.
    pub(crate) fn text(&self, message: &Message) -> Option<String> {
        message.results().next()?;
        let open = self.open.get_or_init(|| self.unseen());
        let tool = message.results().find_map(|call| open.get(call))?;
        let texts = message.parts.iter().filter_map(|part| match part {
            Part::Text { text } | Part::ToolResult { text, .. } => Some(text.clone()),
            Part::Image(media) => Some(attachment("image", media)),
            Part::File(media) => Some(attachment("file", media)),
            _ => None,
        });
        let texts: Vec<String> = texts.collect();
        Some(tagged::late_result(tool, &texts.join("\n")))
    }

    /// The same result as a message that a summarizer is told of.
    pub(crate) fn message(&self, message: &Message) -> Option<Message> {
        let text = self.text(message)?;
        Some(Message { role: Role::Tool, parts: vec![Part::text(text)], ..message.clone() })
    }

    fn unseen(&self) -> BTreeMap<&'a CallId, &'a str> {
        let mut open = BTreeMap::new();
        let Projection { covered, dropped, .. } = self.projection;
        let unseen = (0..self.log.len()).filter(|at| at < covered || dropped.contains(at));
        for message in unseen.filter_map(|at| self.log.message(at)) {
            for part in &message.parts {
                match part {
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
