//! Every recorded conversation, whatever its format, comes back as it was; compacted, what is kept is.

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
use epitome_tests::{Conversation, Host, answers, recordings};
use serde_json::Value;

fn load(conversation: &Conversation) -> Host {
    let mut host = Host::new(conversation.format, Policy::recommended(u32::MAX)).unwrap();
    for message in &conversation.messages {
        host.append(message.clone()).unwrap();
    }
    host
}

#[test]
fn every_recorded_message_comes_back_as_it_was() {
    let (Some(mut recordings), Some(answers)) = (recordings(), answers()) else { return };
    recordings.extend(answers);
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for conversation in &recordings {
        let name = &conversation.name;
        assert_eq!(load(conversation).messages(), conversation.messages, "{name}");
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
fn every_recorded_format_is_told_from_the_others() {
    let Some(recordings) = recordings() else { return };
    for Conversation { name, format, messages } in &recordings {
        let detected = detect(messages);
        // A conversation of plain texts is the same in several formats.
        let plain = messages.iter().all(|message| match &message["content"] {
            Value::Array(parts) => parts.iter().all(|part| part["type"] == "text"),
            other => other.is_string() || message["parts"].is_null(),
        });
        let alike = plain && detected == Detection::Known(Format::OpenAiChat);
        let nothing = messages.is_empty() || detected == Detection::Unclear;
        assert!(detected == Detection::Known(*format) || alike || nothing, "{name}: {detected:?}");
    }
}

/// What is kept of a compacted conversation is as it came, and the provider takes the whole.
fn check(conversation: &Conversation, share: u64) -> bool {
    let Conversation { name, format, messages } = conversation;
    let mut host = load(conversation);
    let tokens = u64::from(host.compactor.pressure().tokens);
    let window = u32::try_from(tokens * share / 100).unwrap().max(300);
    host.compactor.set_policy(Policy::recommended(window)).unwrap();
    let report = host.compact(Reason::Manual).unwrap().unwrap();
    if !matches!(report.outcome, Outcome::Applied { .. }) {
        assert_eq!(host.messages(), *messages, "{name}");
        return false;
    }
    for (value, original) in host.composed() {
        if let Some(original) = original {
            assert_eq!(value, messages[original], "{name}: kept");
        }
    }
    let found = validate(&host.messages(), *format, Strictness::Provider);
    assert_eq!(found, [], "{name} in {window} tokens");
    host.undo().unwrap();
    assert_eq!(host.messages(), *messages, "{name}: undone");
    true
}

#[test]
fn every_recorded_conversation_is_legal_after_a_compaction() {
    let Some(recordings) = recordings() else { return };
    let others = recordings.iter().filter(|conversation| conversation.format != Format::OpenAiChat);
    let mut applied = 0;
    for conversation in others {
        for share in [30, 60] {
            applied += usize::from(check(conversation, share));
        }
    }
    println!("{applied} compactions of conversations in other formats");
    assert!(applied > 0);
}

#[test]
fn real_conversations_can_be_compacted_in_every_format() {
    let Some(recordings) = recordings() else { return };
    let chats = recordings.iter().filter(|conversation| conversation.format == Format::OpenAiChat);
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    for chat in chats.step_by(9) {
        let legal = validate(&chat.messages, Format::OpenAiChat, Strictness::Provider).is_empty();
        for format in Format::ALL {
            let converted = convert(&chat.messages, Format::OpenAiChat, format);
            let name = format!("{} as {}", chat.name, format.as_str());
            let found = validate(&converted.messages, format, Strictness::Provider);
            assert!(!legal || found.is_empty(), "{name}: {found:?}");
            texts_are_kept(&name, &chat.messages, &converted.messages);
            let conversation = Conversation { name, format, messages: converted.messages };
            *applied.entry(format.as_str()).or_default() += usize::from(check(&conversation, 50));
        }
    }
    println!("{applied:?}");
    assert!(applied.values().all(|count| *count > 0));
}

/// Whatever was said is said in the other format too.
fn texts_are_kept(name: &str, before: &[Value], after: &[Value]) {
    let all: String = after.iter().map(Value::to_string).collect();
    for message in before {
        let Some(text) = message["content"].as_str() else { continue };
        let quoted = Value::from(text.trim()).to_string();
        assert!(all.contains(quoted.trim_matches('"')), "{name}: {text:?} is lost");
    }
}
