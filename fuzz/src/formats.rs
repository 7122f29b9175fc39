//! Messages in any format, damaged or made up: read, validated, repaired, converted, compacted and undone.

use std::sync::OnceLock;

use epitome::{Policy, Reason};
use epitome_formats::{
    Converted, Format, IssueCode, Repaired, RepairedMessage, Strictness, convert, detect,
    messages_of, read_usage, repair, validate,
};
use epitome_tests::{App, Conversation, fixtures};
use serde_json::Value;

use crate::choices::Choices;
use crate::json::{damage, value};

/// Keys and values that the formats give a meaning.
pub(crate) const WORDS: [&str; 81] = [
    "role",
    "content",
    "type",
    "text",
    "user",
    "assistant",
    "system",
    "tool",
    "developer",
    "model",
    "id",
    "tool_calls",
    "tool_call_id",
    "function",
    "name",
    "arguments",
    "call_1",
    "call_2",
    "",
    " ",
    "{}",
    "{\"a\":1}",
    "{\"a",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "input",
    "is_error",
    "thinking",
    "signature",
    "redacted_thinking",
    "data",
    "image",
    "source",
    "base64",
    "media_type",
    "image/png",
    "url",
    "image_url",
    "https://example.org/a.png",
    "data:image/png;base64,iVBORw0KGgo=",
    "parts",
    "functionCall",
    "functionResponse",
    "response",
    "args",
    "thoughtSignature",
    "thought",
    "inlineData",
    "mimeType",
    "toolUse",
    "toolUseId",
    "toolResult",
    "json",
    "reasoningContent",
    "reasoningText",
    "tool-call",
    "tool-result",
    "toolCallId",
    "toolName",
    "output",
    "value",
    "error-text",
    "reasoning",
    "state",
    "output-available",
    "input-available",
    "call_id",
    "function_call",
    "function_call_output",
    "message",
    "summary",
    "encrypted_content",
    "output_text",
    "input_text",
    "lc_kwargs",
    "additional_kwargs",
    "usage",
    "unparsed",
    "cachePoint",
    "__proto__",
];

/// The first byte says where the messages come from, the rest makes or damages them.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let (messages, format) = messages(&mut choices);
    let Some(messages) = messages else { return };
    let _ = detect(&messages);
    let _ = messages.iter().map(read_usage).count();
    let refused = validate(&messages, format, Strictness::Provider);
    let strict = validate(&messages, format, Strictness::Strictest);
    assert!(strict.len() >= refused.len(), "the strictest check finds less: {strict:?}");

    let repaired = repair(&messages, format);
    let values = values(&messages, &repaired);
    nothing_vanishes(&messages, &repaired);
    let left = validate(&values, format, Strictness::Provider);
    let codes = |issues: &[epitome_formats::Issue]| {
        let mut codes: Vec<String> =
            issues.iter().map(|issue| format!("{:?}", issue.code)).collect();
        codes.sort();
        codes
    };
    assert_eq!(
        codes(&left),
        codes(&repaired.left),
        "{format:?}: what is left is listed\n{values:#?}"
    );
    compact_and_undo(&messages, format, false);

    let other = choices.one_of(&Format::ALL);
    let _ = converted(&messages, format, other);
    if !left.is_empty() {
        return;
    }
    compact_and_undo(&values, format, true);
    let converted = converted(&values, format, other);
    let codes: Vec<IssueCode> = converted.left.iter().map(|issue| issue.code).collect();
    // The other format may hold nothing of the messages, or only system messages.
    let all_lost = codes == [IssueCode::NothingSaid] && !converted.lost.is_empty();
    assert!(codes.is_empty() || all_lost, "{format:?} to {other:?}: {converted:#?}");
}

/// The messages in another format. What is left to repair is listed.
fn converted(messages: &[Value], from: Format, to: Format) -> Converted {
    let converted = convert(messages, from, to);
    let found = validate(&converted.messages, to, Strictness::Provider);
    assert_eq!(converted.left, found, "{from:?} to {to:?}: {:#?}", converted.messages);
    converted
}

/// Messages of a format, as the next bytes choose.
pub(crate) fn messages(choices: &mut Choices<'_>) -> (Option<Vec<Value>>, Format) {
    match choices.below(4) {
        0 => {
            let format = choices.one_of(&Format::ALL);
            let document = serde_json::from_str(&choices.rest_as_text()).ok();
            (document.and_then(|document| messages_of(document).ok()), format)
        }
        1 => {
            let format = choices.one_of(&Format::ALL);
            let length = choices.below(6);
            (Some((0..length).map(|_| value(choices, &WORDS, 4)).collect()), format)
        }
        _ => {
            let fixture = &fixture_list()[choices.below(fixture_list().len())];
            let first = choices.below(fixture.messages.len());
            let length = choices.below(12) + 1;
            let some = fixture.messages.iter().skip(first).take(length).cloned();
            let mut document = Value::Array(some.collect());
            damage(&mut document, choices, &WORDS);
            let Value::Array(messages) = document else { return (None, fixture.format) };
            (Some(messages), fixture.format)
        }
    }
}

/// Fixtures that are made for tests; recordings would make inputs depend on what is installed.
pub(crate) fn fixture_list() -> &'static [Conversation] {
    static FIXTURES: OnceLock<Vec<Conversation>> = OnceLock::new();
    FIXTURES.get_or_init(fixtures)
}

fn values(messages: &[Value], repaired: &Repaired) -> Vec<Value> {
    let value = |message: &RepairedMessage| match message {
        RepairedMessage::Keep(index) => messages[*index].clone(),
        RepairedMessage::Composed { message, .. } => message.clone(),
    };
    repaired.messages.iter().map(value).collect()
}

/// Every message is in the result, or an issue names it.
fn nothing_vanishes(messages: &[Value], repaired: &Repaired) {
    let mut is_named = vec![false; messages.len()];
    for message in &repaired.messages {
        match message {
            RepairedMessage::Keep(index) => is_named[*index] = true,
            RepairedMessage::Composed { sources, .. } => {
                sources.iter().for_each(|index| is_named[*index] = true);
            }
        }
    }
    for issue in repaired.done.iter().filter(|issue| issue.path.starts_with("messages[")) {
        is_named[issue.message_index()] = true;
    }
    let vanished = is_named.iter().position(|named| !named);
    assert_eq!(
        vanished, None,
        "the message at this index has vanished: {messages:#?} {repaired:#?}"
    );
}

fn compact_and_undo(messages: &[Value], format: Format, is_legal: bool) {
    let Ok(mut app) = App::new(format, Policy::recommended(400)) else { return };
    for message in messages {
        // What is not a message is refused, and leaves the conversation as it was.
        let _ = app.append(message.clone());
    }
    let before = app.messages();
    legal(&before, format, is_legal, "as appended");
    let report = app.compact(Reason::Manual);
    assert!(report.is_ok(), "{report:?}");
    legal(&app.messages(), format, is_legal, "after a compaction");
    if app.undo().is_ok() {
        assert_eq!(app.messages(), before, "undone");
    }
}

fn legal(messages: &[Value], format: Format, is_legal: bool, when: &str) {
    if is_legal {
        let found = validate(messages, format, Strictness::Provider);
        assert_eq!(found, [], "{format:?} {when}: {messages:#?}");
    }
}
