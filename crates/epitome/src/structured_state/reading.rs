//! Changes to a state in the answer of a summarizer. A model may write them in many ways, so that they are read leniently: what
//! cannot be read is left out, and never the summary.

use serde_json::{Map, Value};
use strum::EnumCount as _;

use super::{StateChange, StateDelta, StateEntry, StateList};
use crate::message::MessageId;

/// Is appended to the instructions of a summarizer that is asked for changes to the state.
pub(crate) const FORMAT: &str = "\n\nBehind the notes, and as the only addition to them, write what changes \
    in the lists of <current_state>: one JSON object in a ```json fence. Its keys are decisions, constraints, \
    tasks, questions, risks, artifacts and contributions; each holds a list of objects with the field \
    \"text\", and, where they apply, \"by\" (who), \"sources\" (numbers of messages), \"done\" (true for a \
    finished task) and \"replaces\" (the text of an entry that this one contradicts). The key settled holds \
    the texts of entries that are answered or no longer hold. Leave out what is unchanged; to update an entry, \
    repeat its text exactly.";

/// Other names of the lists, in the same order as [`StateList::ALL`].
const OTHER_KEYS: [&str; StateList::COUNT] = [
    "keyDecisions",
    "activeConstraints",
    "openTasks",
    "openQuestions",
    "activeRisks",
    "files",
    "agentContributions",
];
const SETTLED: [&str; 3] = ["settled", "resolved", "removed"];
const NESTED: [&str; 4] = ["state", "stateDelta", "delta", "changes"];
const TEXT: [&str; 5] = ["text", "title", "description", "content", "name"];
const BY: [&str; 4] = ["by", "agent", "author", "owner"];
const REPLACES: [&str; 3] = ["replaces", "supersedes", "previous"];
const DONE: [&str; 5] = ["done", "completed", "complete", "closed", "resolved"];
const FENCE: &str = "```";
/// The most entries that are read of one list, as a multiple of its limit.
const MOST: usize = 4;
/// The most brackets that are open in a broken object.
const MAX_DEPTH: usize = 8;

/// The summary in an answer, and the changes to the state that stand beside it. `source` finds a message by its number.
/// Linear in the answer.
pub(crate) fn read_answer(
    answer: &str,
    source: &dyn Fn(u32) -> Option<MessageId>,
) -> (String, StateDelta) {
    let read = |object: &Map<String, Value>| read_delta(object, source);
    // Everything as one object, as an endpoint with a JSON schema writes it.
    if let Some(whole) = object(unfenced(answer.trim()))
        && let Some(Value::String(summary)) = whole.get("summary")
    {
        return (summary.trim().to_owned(), read(&whole));
    }
    let Some((before, block, after)) = fenced(answer).or_else(|| bare(answer)) else {
        return (answer.trim().to_owned(), StateDelta::default());
    };
    let delta = object(block).map(|object| read(&object)).unwrap_or_default();
    let summary = [before.trim_end(), after.trim_start()].join("\n");
    (summary.trim().to_owned(), delta)
}

/// The text inside of a fence that is around all of it.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix(FENCE).and_then(|text| text.strip_suffix(FENCE));
    inner.map_or(text, |inner| inner.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim())
}

/// The last fence with an object that may be a state, and what stands around the fence.
fn fenced(answer: &str) -> Option<(&str, &str, &str)> {
    let mut end = answer.len();
    while let Some(at) = answer.get(..end)?.rfind(FENCE) {
        let (before, rest) = answer.split_at(at);
        let inside = rest.strip_prefix(FENCE)?;
        let inside = inside.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start();
        if inside.starts_with('{') {
            // An answer that was cut off has no closing fence.
            let (block, after) = inside.split_once(FENCE).unwrap_or((inside, ""));
            return names_a_list(block).then_some((before, block, after));
        }
        end = at;
    }
    None
}

/// An object at the end that may be a state, without a fence.
fn bare(answer: &str) -> Option<(&str, &str, &str)> {
    let at = answer.rfind("\n{").map_or_else(|| answer.starts_with('{').then_some(0), Some)?;
    let (before, block) = answer.split_at(at);
    names_a_list(block).then_some((before, block, ""))
}

fn names_a_list(block: &str) -> bool {
    let mut keys = StateList::ALL.into_iter().map(StateList::key).chain(OTHER_KEYS).chain(SETTLED);
    keys.any(|key| block.contains(&format!("\"{key}\"")))
}

/// A JSON object; if it ends too early or is not JSON from some place on, as much of it as is whole.
fn object(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    let parse = |text: &str| match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    };
    parse(text).or_else(|| parse(&whole_part(text)?))
}

/// The text up to the last value that is whole, with the brackets that are open there closed. Linear.
fn whole_part(text: &str) -> Option<String> {
    let mut open = Vec::new();
    // Behind the last whole value: its end, and what was open there.
    let mut whole: Option<(usize, Vec<char>)> = None;
    let (mut in_string, mut escaped, mut is_value) = (false, false, false);
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if in_string {
            match (escaped, character) {
                (true, _) => escaped = false,
                (false, '\\') => escaped = true,
                (false, '"') => {
                    in_string = false;
                    // A string in a list is whole; in an object it may be a key, until something follows.
                    if open.last() == Some(&']') || is_value {
                        whole = Some((end, open.clone()));
                    }
                }
                _ => {}
            }
            continue;
        }
        match character {
            '"' => in_string = true,
            // No state is nested as deeply, and each value copies the list of open brackets.
            '{' | '[' if open.len() > MAX_DEPTH => break,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                if open.pop() != Some(character) {
                    break;
                }
                whole = Some((end, open.clone()));
                if open.is_empty() {
                    break;
                }
            }
            _ => {}
        }
        is_value = match character {
            ':' => true,
            character if character.is_whitespace() => is_value,
            '"' => is_value,
            _ => false,
        };
    }
    let (end, open) = whole?;
    let mut part = text.get(..end)?.to_owned();
    part.extend(open.into_iter().rev());
    Some(part)
}

fn read_delta(
    object: &Map<String, Value>,
    source: &dyn Fn(u32) -> Option<MessageId>,
) -> StateDelta {
    let nested = NESTED.iter().find_map(|key| object.get(*key)?.as_object());
    let object = nested.unwrap_or(object);
    let mut changes = Vec::new();
    for (list, other) in StateList::ALL.into_iter().zip(OTHER_KEYS) {
        let items = object.get(list.key()).or_else(|| object.get(other));
        let put = |item: &Value| put(list, item, source);
        changes.extend(items_of(items).take(MOST * list.limit()).filter_map(put));
    }
    let settled = SETTLED.iter().find_map(|key| object.get(*key));
    let settled = items_of(settled).take(MOST * StateList::Tasks.limit());
    changes.extend(settled.filter_map(|item| {
        let text = item.as_str().or_else(|| field(item.as_object()?, &TEXT))?;
        Some(StateChange::Settle { text: text.to_owned() })
    }));
    StateDelta(changes)
}

/// The items of a list; one that is not in a list is an item too.
fn items_of(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(item) => std::slice::from_ref(item),
        None => &[],
    }
    .iter()
}

fn put(
    list: StateList,
    item: &Value,
    source: &dyn Fn(u32) -> Option<MessageId>,
) -> Option<StateChange> {
    let Value::Object(item) = item else {
        let text = item.as_str()?.to_owned();
        let entry = StateEntry { text, ..StateEntry::default() };
        return Some(StateChange::Put { list, entry, replaces: None });
    };
    let status = item.get("status").and_then(Value::as_str);
    let is_done = status.is_some_and(|status| DONE.contains(&status.to_lowercase().as_str()))
        || item.get("done").and_then(Value::as_bool) == Some(true);
    let numbers = items_of(item.get("sources"));
    let numbers = numbers.filter_map(|number| u32::try_from(number.as_u64()?).ok());
    let entry = StateEntry {
        text: field(item, &TEXT)?.to_owned(),
        earlier: None,
        by: field(item, &BY).map(str::to_owned),
        done: list == StateList::Tasks && is_done,
        sources: numbers.filter_map(source).collect(),
    };
    Some(StateChange::Put { list, entry, replaces: field(item, &REPLACES).map(str::to_owned) })
}

fn field<'a>(item: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    let text = names.iter().find_map(|name| item.get(*name)?.as_str())?.trim();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structured_state::StructuredState;

    fn read(answer: &str) -> (String, StructuredState) {
        let source = |number: u32| (number < 10).then(|| MessageId::from(format!("m{number}")));
        let (summary, delta) = read_answer(answer, &source);
        let mut state = StructuredState::default();
        state.apply(&delta);
        (summary, state)
    }

    #[test]
    fn e1_changes_beside_a_summary_are_read_however_they_are_written() {
        let delta = r#"{"decisions": [{"text": "Use oak.", "by": "Ada", "sources": [3, 77], "more": 1}], "new": 2}"#;
        for answer in [
            format!("They planned.\n\n```json\n{delta}\n```"),
            format!("They planned.\n```\n{delta}\n```\n"),
            format!("```json\n{delta}\n```\nThey planned."),
            format!("They planned.\n{delta}"),
            format!("They planned.\n```json\n{delta}"),
            format!(r#"{{"summary": "They planned.", "state": {delta}}}"#),
            format!("```json\n{{\"summary\": \"They planned.\", \"delta\": {delta}}}\n```"),
        ] {
            let (summary, state) = read(&answer);
            assert_eq!(summary, "They planned.", "{answer}");
            let [entry] = state.decisions.as_slice() else { panic!("{answer}: {state:?}") };
            assert_eq!((entry.text.as_str(), entry.by.as_deref()), ("Use oak.", Some("Ada")));
            assert_eq!(entry.sources, [MessageId::from("m3".to_owned())]);
        }
    }

    #[test]
    fn e1_a_list_may_have_texts_and_other_names() {
        let (_, state) = read(
            "Notes.\n{\"keyDecisions\": \"Oak\", \"tasks\": [\"plant\", {\"title\": \"dig\", \"status\": \"Done\"}], \
             \"risks\": [7, null, {\"text\": \" \"}, \"rain\"]}",
        );
        assert_eq!(
            state.to_text(),
            "Decisions:\n- Oak\nTasks:\n- [ ] plant\n- [x] dig\nRisks:\n- rain"
        );
    }

    #[test]
    fn e1_changes_that_are_broken_never_lose_the_summary() {
        let whole = r#"{"decisions": [{"text": "Use oak."}, {"text": "Ship \"soon\"."}], "risks": ["rain"]}"#;
        let mut most = 0;
        for cut in (0..whole.len()).filter_map(|end| whole.get(..end)) {
            let (summary, state) = read(&format!("They planned.\n```json\n{cut}\n```"));
            if names_a_list(cut) {
                assert_eq!(summary, "They planned.", "{cut}");
            } else {
                assert!(summary.starts_with("They planned."), "{cut}");
            }
            let read = state.decisions.len() + state.risks.len();
            assert!(read >= most, "what was whole stays: {cut}");
            most = read;
        }
        assert_eq!(most, 3);
        for broken in
            ["{\"tasks\": [}", "{\"tasks\": 5}", "{\"tasks\": [\"a\"] oops", "{\"tasks\"}"]
        {
            let (summary, _) = read(&format!("They planned.\n```json\n{broken}\n```"));
            assert_eq!(summary, "They planned.", "{broken}");
        }
    }

    #[test]
    fn e1_a_summary_without_changes_stays_as_it_is() {
        for answer in [
            "They planned.",
            "They ran:\n```json\n{\"beds\": 3}\n```\nand went.",
            "{\"summary\": 7}",
            "A fence ``` alone",
            "",
        ] {
            assert_eq!(read(answer), (answer.to_owned(), StructuredState::default()));
        }
    }
}
