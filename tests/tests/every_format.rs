//! Conversations in every format are given back unchanged; after a compaction, every kept message is.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use std::collections::BTreeMap;

use epitome::message::MessageId;
use epitome::{Outcome, Policy, Reason};
use epitome_formats::{Detection, Format, Strictness, convert, detect, validate};
use epitome_tests::{App, Conversation, conversations, fixtures, recordings, responses};
use serde_json::Value;

fn load(conversation: &Conversation) -> App {
    let mut app = App::new(conversation.format, Policy::recommended(u32::MAX)).unwrap();
    for message in &conversation.messages {
        app.append(message.clone()).unwrap();
    }
    app
}

#[test]
fn every_message_is_given_back_unchanged() {
    let mut all = conversations();
    all.extend(responses());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for conversation in &all {
        let name = &conversation.name;
        let Conversation { format, messages, .. } = conversation;
        if validate(messages, *format, Strictness::Provider).is_empty() {
            assert_eq!(load(conversation).messages(), *messages, "{name}");
        }
        for message in &conversation.messages {
            let same = conversation.format.rewrite(message, &[]);
            assert_eq!(same, *message, "{name}: written back");
            let read = conversation.format.read(&MessageId::from("m"), message).unwrap();
            assert!(!read.messages.is_empty(), "{name}: {message}");
        }
        let count = counts.entry(conversation.format.as_str()).or_default();
        count.0 += 1;
        count.1 += conversation.messages.len();
    }
    for (format, (conversations, messages)) in counts {
        println!("{format}: {conversations} conversations, {messages} messages");
    }
}

#[test]
fn the_format_of_every_conversation_is_detected() {
    for Conversation { name, format, messages, .. } in &conversations() {
        let detected = detect(messages);
        // A conversation of plain texts looks the same in several formats.
        let plain = messages.iter().all(|message| match &message["content"] {
            Value::Array(parts) => parts.iter().all(|part| part["type"] == "text"),
            other => other.is_string() || message["parts"].is_null(),
        });
        let alike = plain && detected == Detection::Known(Format::OpenAiChat);
        let nothing = messages.is_empty() || detected == Detection::Unclear;
        assert!(detected == Detection::Known(*format) || alike || nothing, "{name}: {detected:?}");
    }
}

/// Compacts a conversation in a window of this share of its tokens: kept messages are unchanged, and the provider
/// accepts the result. True if the compaction was applied.
fn check(conversation: &Conversation, share: u64) -> bool {
    let Conversation { name, format, messages, .. } = conversation;
    let mut app = load(conversation);
    let before = app.messages();
    let tokens = u64::from(app.compactor.pressure().tokens);
    let window = u32::try_from(tokens * share / 100).unwrap().max(300);
    app.compactor.set_policy(Policy::recommended(window)).unwrap();
    let report = app.compact(Reason::Manual).unwrap().unwrap();
    if !matches!(report.outcome, Outcome::Applied { .. }) {
        assert_eq!(app.messages(), before, "{name}");
        return false;
    }
    for (value, original) in app.composed() {
        if let Some(original) = original {
            assert_eq!(value, messages[original], "{name}: kept");
        }
    }
    let found = validate(&app.messages(), *format, Strictness::Provider);
    assert_eq!(found, [], "{name} in {window} tokens");
    app.undo().unwrap();
    assert_eq!(app.messages(), before, "{name}: undone");
    true
}

#[test]
fn every_conversation_is_legal_after_a_compaction() {
    let all = conversations();
    // Those in Chat Completions have tests of their own.
    let others = all.iter().filter(|conversation| conversation.format != Format::OpenAiChat);
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    for conversation in others {
        for share in [30, 60] {
            *applied.entry(conversation.format.as_str()).or_default() +=
                usize::from(check(conversation, share));
        }
    }
    println!("applied compactions by format: {applied:?}");
    assert!(applied.values().all(|count| *count > 0), "{applied:?}");
}

#[test]
fn every_conversation_can_be_compacted_in_every_format() {
    let (fixtures, recordings) = (fixtures(), recordings().unwrap_or_default());
    let is_chat = |conversation: &&Conversation| conversation.format == Format::OpenAiChat;
    // A ninth of the recordings, since each one is converted eight times.
    let recorded = recordings.iter().filter(is_chat).step_by(9);
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    for chat in fixtures.iter().filter(is_chat).chain(recorded) {
        let legal = validate(&chat.messages, Format::OpenAiChat, Strictness::Provider).is_empty();
        for format in Format::ALL {
            let converted = convert(&chat.messages, Format::OpenAiChat, format);
            let name = format!("{} as {}", chat.name, format.as_str());
            let found = validate(&converted.messages, format, Strictness::Provider);
            assert!(!legal || found.is_empty(), "{name}: {found:?}");
            texts_are_kept(&name, &chat.messages, &converted.messages);
            let conversation = Conversation::new(name, format, converted.messages);
            *applied.entry(format.as_str()).or_default() += usize::from(check(&conversation, 50));
        }
    }
    println!("{applied:?}");
    assert!(applied.values().all(|count| *count > 0));
}

/// Every text is in the converted messages too.
fn texts_are_kept(name: &str, before: &[Value], after: &[Value]) {
    let all: String = after.iter().map(Value::to_string).collect();
    for message in before {
        let Some(text) = message["content"].as_str() else { continue };
        let quoted = Value::from(text.trim()).to_string();
        assert!(all.contains(quoted.trim_matches('"')), "{name}: {text:?} is lost");
    }
}
