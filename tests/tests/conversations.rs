//! Every conversation in OpenAI's Chat Completions format is compacted to one that the API accepts, and undone.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use std::collections::BTreeSet;

use epitome::Level;
use epitome::{Outcome, Policy, Reason};
use epitome_formats::{Format, Strictness, validate};
use epitome_tests::{App, Conversation, chats, defects, has_fact, readable, role};
use serde_json::Value;

/// An app with all messages of a conversation, in a window of 60 % of their tokens.
fn load(conversation: &Conversation) -> App {
    let mut app = App::new(Format::OpenAiChat, Policy::recommended(u32::MAX)).unwrap();
    for message in &conversation.messages {
        app.append(message.clone()).unwrap();
    }
    let size = u64::from(app.compactor.pressure().tokens);
    let window = u32::try_from(size * 6 / 10).unwrap();
    app.compactor.set_policy(Policy::recommended(window)).unwrap();
    app
}

#[test]
fn every_conversation_fits_after_compaction_and_is_restored_by_undo() {
    let conversations = chats();
    let (mut floors, mut impossible) = (0, 0);
    let mut facts = (0, 0, 0);
    for conversation in &conversations {
        let name = &conversation.name;
        let originals = &conversation.messages;
        let mut app = load(conversation);
        let sent = app.messages();
        if validate(originals, conversation.format, Strictness::Provider).is_empty() {
            assert_eq!(sent, *originals, "{name}: untouched before");
        }
        assert_eq!(app.compactor.pressure().level, Level::Compact, "{name}");

        let report = app.compact(Reason::Threshold).unwrap().unwrap();
        let pressure = app.compactor.pressure();
        assert!(matches!(report.outcome, Outcome::Applied { .. }), "{name}: {:?}", report.outcome);
        assert!(report.tokens_after < report.tokens_before, "{name}");
        assert_eq!(report.tokens_after, pressure.tokens, "{name}");
        if pressure.level == Level::Compact {
            assert!(report.floor.is_some(), "{name}: unexplained {pressure:?}");
            let conversation = app.compactor.conversation();
            let scale = app.compactor.scale();
            let protected = scale.to_provider(conversation.protected().sum());
            let threshold = pressure.threshold.unwrap();
            // The remaining tokens would not hold the tags of a summary and one line between them.
            assert!(protected + 100 > threshold, "{name}: {protected} leave space in {threshold}");
            let possible = protected + 100 <= pressure.window;
            assert!(!possible || pressure.tokens <= pressure.window, "{name}: it fits the window");
            floors += 1;
            impossible += usize::from(protected >= pressure.window);
        }

        let compacted = app.messages();
        assert_eq!(defects(&compacted), Vec::<String>::new(), "{name}");
        if role(&originals[0]) == "system" {
            assert_eq!(compacted[0], originals[0], "{name}: the system prompt is first");
        }
        let request = originals.iter().rev().find(|message| {
            role(message) == "user"
                && message["content"].as_str().is_none_or(|text| !text.trim().is_empty())
        });
        if let Some(request) = request {
            assert!(compacted.contains(request), "{name}: the last request is kept word for word");
        }
        let texts: BTreeSet<String> = originals.iter().map(Value::to_string).collect();
        let inserted = compacted.iter().filter(|message| !texts.contains(&message.to_string()));
        let summaries = inserted.filter(|message| role(message) != "tool").count();
        assert_eq!(summaries, 1, "{name}: every message but the summary is an original");

        let all = compacted.iter().map(readable).collect::<Vec<String>>().join("\n");
        let retained = report.receipt.kept.iter().chain(&report.receipt.appended);
        for fact in retained {
            assert!(
                has_fact(&all, &fact.text),
                "{name}: the receipt lists {fact:?}, which is missing"
            );
        }
        facts.0 += report.receipt.kept.len();
        facts.1 += report.receipt.appended.len();
        facts.2 += report.receipt.given_up.len();
        assert_eq!(
            report.receipt.unsupported,
            Vec::<String>::new(),
            "{name}: the summary invents nothing"
        );

        let again = app.compact(Reason::Threshold).unwrap().unwrap();
        assert!(matches!(again.outcome, Outcome::Skipped { .. }), "{name}: {:?}", again.outcome);
        assert_eq!(app.messages(), compacted, "{name}: a second compaction changes nothing");

        app.undo().unwrap();
        assert_eq!(app.messages(), sent, "{name}: undo");
    }
    println!(
        "{} conversations: {} below the threshold, {floors} kept above it by system prompt and last \
         request (in {impossible} of them these alone exceed the window)",
        conversations.len(),
        conversations.len() - floors,
    );
    println!("facts: {} kept, {} appended, {} given up", facts.0, facts.1, facts.2);
}
