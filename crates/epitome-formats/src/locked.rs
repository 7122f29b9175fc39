//! Signed reasoning that a model refuses, because what is before it is not what it was written behind.

use std::ops::Range;

use epitome::message::{Message, Part, Role};
use epitome_columns::SortedMap;
use serde_json::Value;

use crate::content::ContentPart;
use crate::issue::{Issue, IssueCode};
use crate::parsed::ParsedMessages;
use crate::registry::Format;
use crate::slices::{Slices, at_once};

/// The signed reasoning in these messages that a model which locks it to its prefix would refuse, as the requests show that
/// were sent before: `earlier` has the messages of each, oldest first. Reasoning that is in one of them has to stand behind
/// the same messages and parts now as there. What is in none of them was the answer to one, and has to stand right behind
/// that one's messages. Fields that only a format has, such as marks for caching, are not compared.
///
/// Linear in all messages; with many earlier requests, in all of theirs together.
pub fn validate_locked(messages: &[Value], earlier: &[Vec<Value>], format: Format) -> Vec<Issue> {
    let earlier = earlier.iter().map(Vec::as_slice);
    at_once(validate_locked_in_slices(messages, earlier, format, &mut Slices::none()))
}

/// The same in slices.
pub async fn validate_locked_in_slices(
    messages: &[Value],
    earlier: impl Iterator<Item = &[Value]>,
    format: Format,
    slices: &mut Slices,
) -> Vec<Issue> {
    let parsed = ParsedMessages::in_slices(format, messages, slices).await;
    let mut requests = Vec::new();
    for own in earlier {
        let own = ParsedMessages::in_slices(format, own, slices).await;
        requests.push(Request::of(&own, &parsed));
    }
    let mut issues = Vec::new();
    let find = &mut |positions| find_locked(&mut issues, &parsed, positions, &requests);
    slices.each(parsed.steps.len(), find).await;
    issues
}

fn find_locked(
    issues: &mut Vec<Issue>,
    parsed: &ParsedMessages<'_>,
    positions: Range<usize>,
    requests: &[Request],
) {
    let steps = parsed.steps.get(positions.clone()).unwrap_or_default();
    for (position, step) in positions.zip(steps) {
        let signed =
            step.message.parts.iter().enumerate().filter(|(_, part)| part.is_signed_reasoning());
        let items = parsed.step(position).into_iter().flat_map(|step| &step.items);
        let items = items
            .filter(|item| matches!(item.part, ContentPart::Reasoning { signature: Some(_), .. }));
        for ((part, reasoning), item) in signed.zip(items) {
            let mut found = requests.iter().filter_map(|request| {
                let (at, before) = request.reasoning.get(&Signed::of(reasoning)?)?;
                let is_same = *at == position && request.same >= position;
                Some(is_same && step.message.parts.get(..part) == Some(before.as_slice()))
            });
            let is_own = match found.next() {
                Some(is_own) => is_own || found.any(|is_own| is_own),
                None => requests.iter().any(|request| request.is_answered_at(position, parsed)),
            };
            if !is_own {
                let message = "the model accepts this reasoning only behind the messages that it was written behind; \
                    leave it out, with all reasoning behind it, or have the provider drop it";
                let path = parsed.path(position, &item.at);
                issues.push(Issue::new(&path, IssueCode::BoundReasoning, message));
            }
        }
    }
}

/// A request that was sent before.
struct Request {
    /// How many messages it had.
    len: usize,
    /// How many of its messages, from the first, are the same as now.
    same: usize,
    /// Its signed reasoning: the position of its message, and the parts before it there.
    reasoning: SortedMap<Signed, (usize, Vec<Part>)>,
}

/// Signed reasoning, to find it again.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Signed {
    text: String,
    signature: String,
}

impl Signed {
    fn of(part: &Part) -> Option<Self> {
        match part {
            Part::Reasoning { text, signature: Some(signature) } => {
                Some(Self { text: text.clone(), signature: signature.clone() })
            }
            _ => None,
        }
    }
}

impl Request {
    fn of(own: &ParsedMessages<'_>, now: &ParsedMessages<'_>) -> Self {
        let pairs = own.steps.iter().zip(&now.steps);
        let same = pairs.take_while(|(own, now)| is_same(&own.message, &now.message)).count();
        let mut reasoning = SortedMap::new();
        for (position, step) in own.steps.iter().enumerate() {
            for (part, content) in step.message.parts.iter().enumerate() {
                let before = step.message.parts.get(..part).unwrap_or_default();
                if let Some(signed) = Signed::of(content) {
                    reasoning.entry(signed).or_insert_with(|| (position, before.to_vec()));
                }
            }
        }
        Self { len: own.steps.len(), same, reasoning }
    }

    /// True if the message at a position may be of the answer to it.
    fn is_answered_at(&self, position: usize, now: &ParsedMessages<'_>) -> bool {
        let is_answer = |at| now.message(at).is_some_and(|message| message.role == Role::Assistant);
        self.same == self.len && self.len <= position && (self.len..position).all(is_answer)
    }
}

/// True if a provider is sent the same.
fn is_same(one: &Message, other: &Message) -> bool {
    one.role == other.role && one.parts == other.parts && one.author == other.author
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn thinking(text: &str) -> Value {
        json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": text, "signature": format!("signed {text}") },
            { "type": "text", "text": "yes" },
        ] })
    }

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": text })
    }

    fn found(now: &[Value], earlier: &[&[Value]]) -> Vec<String> {
        let earlier: Vec<Vec<Value>> = earlier.iter().map(|it| it.to_vec()).collect();
        let issues = validate_locked(now, &earlier, Format::Anthropic);
        issues.into_iter().map(|issue| issue.path).collect()
    }

    #[test]
    fn k7_reasoning_behind_other_messages_than_in_an_earlier_request_is_found() {
        let first = [user("one")];
        let second = [user("one"), thinking("a"), user("two")];
        let third = [user("one"), thinking("a"), user("two"), thinking("b"), user("three")];
        let none: [String; 0] = [];
        assert_eq!(found(&third, &[&first, &second]), none);
        assert_eq!(found(&second, &[&second]), none, "it is sent again as it was");
        let edited = [user("ONE"), thinking("a"), user("two"), thinking("b"), user("three")];
        assert_eq!(
            found(&edited, &[&first, &second]),
            ["messages[1].content[0]", "messages[3].content[0]"]
        );
        let inserted = [user("one"), thinking("a"), user("new"), user("two"), thinking("b")];
        assert_eq!(found(&inserted, &[&first, &second]), ["messages[4].content[0]"]);
        let moved = json!({ "role": "assistant", "content": [
            { "type": "text", "text": "yes" },
            { "type": "thinking", "thinking": "a", "signature": "signed a" },
        ] });
        assert_eq!(
            found(&[user("one"), moved, user("two")], &[&second]),
            ["messages[1].content[1]"]
        );
    }

    #[test]
    fn k7_reasoning_that_no_request_had_must_answer_one() {
        let sent = [user("one"), thinking("a"), user("two")];
        let summarized = [user("a summary"), user("two"), thinking("b"), user("three")];
        assert_eq!(found(&summarized, &[&sent]), ["messages[2].content[0]"]);
        let compacted = [user("a summary"), user("two")];
        let none: [String; 0] = [];
        assert_eq!(found(&summarized, &[&sent, &compacted]), none);
        let said = json!({ "role": "assistant", "content": "well" });
        let first = [user("one")];
        let later = [user("one"), said, thinking("a")];
        assert_eq!(found(&later, &[&first]), none, "an answer of two messages");
        let asked = [user("one"), user("two"), thinking("a")];
        assert_eq!(found(&asked, &[&first]), ["messages[2].content[0]"]);
    }
}
