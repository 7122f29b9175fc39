//! Notes in place of text that has left the view, where the model has no tool to get the text back.

use std::ops::Range;

use epitome_text::note::Note;
use serde_json::Value;

use crate::content::ContentPart;
use crate::issue::{Issue, IssueCode};
use crate::parsed::ParsedMessages;
use crate::registry::Format;
use crate::slices::{Slices, at_once};

/// What the model's tools get back of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nothing.
    Nothing,
    /// Tool results that were offloaded, by the path in their note.
    PutAside,
}

impl Reach {
    fn has(self, note: Note<'_>) -> bool {
        self == Self::PutAside && matches!(note, Note::PutAside { .. })
    }
}

/// The notes of reducers in these messages that stand for more than the model can get back. With a tool that searches the
/// conversation it gets back everything, and there is nothing to check. Linear.
pub fn validate_notes(messages: &[Value], format: Format, reach: Reach) -> Vec<Issue> {
    at_once(validate_notes_in_slices(messages, format, reach, &mut Slices::none()))
}

/// The same in slices.
pub async fn validate_notes_in_slices(
    messages: &[Value],
    format: Format,
    reach: Reach,
    slices: &mut Slices,
) -> Vec<Issue> {
    let parsed = ParsedMessages::in_slices(format, messages, slices).await;
    let mut issues = Vec::new();
    let find = &mut |positions| find_notes(&mut issues, &parsed, positions, reach);
    slices.each(parsed.steps.len(), find).await;
    issues
}

fn find_notes(
    issues: &mut Vec<Issue>,
    parsed: &ParsedMessages<'_>,
    positions: Range<usize>,
    reach: Reach,
) {
    for position in positions {
        for item in parsed.step(position).into_iter().flat_map(|step| &step.items) {
            let note = match &item.part {
                ContentPart::Result { text, .. } => {
                    text.lines().filter_map(Note::of).find(|note| !reach.has(*note)).map(said)
                }
                ContentPart::Text(text) => {
                    Note::of(text).filter(|note| !reach.has(*note)).map(said)
                }
                ContentPart::Call { arguments, .. } => {
                    let arguments: Result<Value, _> = serde_json::from_str(arguments);
                    arguments.ok().and_then(|value| left_out(&value, reach))
                }
                _ => None,
            };
            if let Some(message) = note {
                let path = parsed.path(position, &item.at);
                issues.push(Issue::new(&path, IssueCode::Unreachable, message));
            }
        }
    }
}

/// The first note among the values of arguments.
fn left_out(value: &Value, reach: Reach) -> Option<String> {
    match value {
        Value::String(text) => Note::of(text).filter(|note| !reach.has(*note)).map(said),
        Value::Array(items) => items.iter().find_map(|item| left_out(item, reach)),
        Value::Object(map) => map.values().find_map(|item| left_out(item, reach)),
        _ => None,
    }
}

fn said(note: Note<'_>) -> String {
    match note {
        Note::PutAside { path } => format!(
            "the model has no tool to read {path}; give it the tool of `recallTool`, or one that returns what \
             `offloaded` does"
        ),
        Note::LeftOut => {
            "the model has no tool to find what is left out here; give it the tool of `recallTool`"
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(reach: Reach) -> Vec<(String, bool)> {
        let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "read", "arguments": arguments } });
        let cleared = r#"{"path":"a.rs","text":{"lines":["[900 characters left out]"]}}"#;
        let messages = [
            json!({ "role": "user", "content": "[what was said before is left out]" }),
            json!({ "role": "assistant", "tool_calls": [call("1", cleared), call("2", "{}"), call("3", "{")] }),
            json!({ "role": "tool", "tool_call_id": "1", "content": "one\n[put aside: all 900 tokens are in tool-results/1.txt]\nten" }),
            json!({ "role": "tool", "tool_call_id": "2", "content": "[truncated: 900 tokens at first, at most 50 now]" }),
            json!({ "role": "tool", "tool_call_id": "3", "content": "[cleared]" }),
            json!({ "role": "assistant", "content": "It says [cleared] there." }),
        ];
        let issues = validate_notes(&messages, Format::OpenAiChat, reach);
        issues
            .into_iter()
            .map(|issue| (issue.path, issue.message.contains("tool-results/1.txt")))
            .collect()
    }

    #[test]
    fn l7_a_note_for_what_no_tool_gets_back_is_found() {
        let others = ["messages[0]", "messages[1].tool_calls[0]", "messages[3]", "messages[4]"];
        let at = |found: &[(String, bool)]| -> Vec<String> {
            found.iter().map(|(path, _)| path.clone()).collect()
        };
        let without = found(Reach::Nothing);
        assert_eq!(without.len(), 5, "{without:?}");
        assert!(
            without.iter().any(|(path, put_aside)| path.starts_with("messages[2]") && *put_aside)
        );
        let with = found(Reach::PutAside);
        assert_eq!(with.len(), 4, "{with:?}");
        for (path, expected) in at(&with).iter().zip(others) {
            assert!(path.starts_with(expected), "{path}");
        }
    }
}
