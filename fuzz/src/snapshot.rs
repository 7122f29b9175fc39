//! Stored conversations that were damaged: refused, or restored to a conversation that works and has all its messages.

use std::sync::OnceLock;

use epitome::message::{Message, Part, Role};
use epitome::policy::Phase;
use epitome::tokens::CharactersPer;
use epitome::{
    Compactor, Contract, Failure, FailureKind, Output, Policy, Reason, Snapshot, Timestamp,
};
use serde_json::Value;

use crate::choices::Choices;
use crate::json::damage;

const WORDS: [&str; 40] = [
    "version",
    "policy",
    "records",
    "condition",
    "message",
    "edit",
    "checkpoint",
    "undo",
    "todo",
    "usage",
    "id",
    "role",
    "parts",
    "text",
    "toolCall",
    "toolResult",
    "call",
    "name",
    "arguments",
    "reasoning",
    "signature",
    "pinned",
    "synthetic",
    "cover",
    "through",
    "rewrites",
    "dropped",
    "summary",
    "changes",
    "m0",
    "m1",
    "m5",
    "m9",
    "c1",
    "user",
    "assistant",
    "system",
    "tool",
    "nextRequest",
    "",
];

/// The first byte says whether the rest is a snapshot, or damages a good one.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let text = match choices.below(3) {
        0 => choices.rest_as_text(),
        _ => {
            let mut document = good().clone();
            damage(&mut document, &mut choices, &WORDS);
            match document {
                Value::Array(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
                other => other.to_string(),
            }
        }
    };
    let Ok(snapshot) = Snapshot::from_json_lines(&text) else { return };
    let written = snapshot.to_json_lines();
    let read = written.as_ref().ok().map(|written| Snapshot::from_json_lines(written));
    assert!(matches!(&read, Some(Ok(read)) if *read == snapshot), "{written:?} {read:?}");
    let restored = Compactor::restore(snapshot, Contract::default(), tokenizer());
    let Ok(mut compactor) = restored else { return };
    let ids = ids(&compactor);
    use_it(&mut compactor, &mut choices);
    let after = self::ids(&compactor);
    assert!(after.starts_with(&ids), "messages are lost: {ids:?}, then {after:?}");
    let again = Compactor::restore(compactor.snapshot(), Contract::default(), tokenizer());
    let again = again.map_err(|error| panic!("its own snapshot is refused: {error}"));
    assert_eq!(again.ok().map(|again| again.view()), Some(compactor.view()), "restored again");
}

fn tokenizer() -> Box<CharactersPer> {
    Box::new(CharactersPer(3))
}

fn ids(compactor: &Compactor) -> Vec<String> {
    compactor.log().messages().map(|message| message.id.to_string()).collect()
}

fn use_it(compactor: &mut Compactor, choices: &mut Choices<'_>) {
    let _ = (compactor.view(), compactor.pressure(), compactor.plan(Reason::Manual));
    for turn in 0..3_u32 {
        let said = Message::new(format!("new-{turn}"), Role::User, "and what about the roses?");
        let _ = compactor.append(said);
        if let Some(reason) = compactor.check(Phase::RequestStart) {
            let _ = compactor.compact(reason, None);
            settle(compactor, choices);
        }
    }
    let before = compactor.view();
    let checkpoints = compactor.log().active_checkpoints().count();
    let _ = compactor.compact(Reason::Manual, None);
    settle(compactor, choices);
    if compactor.log().active_checkpoints().count() == checkpoints {
        assert_eq!(compactor.view(), before, "a compaction that is not applied changes nothing");
        return;
    }
    if compactor.undo().is_ok() {
        settle(compactor, choices);
        assert_eq!(compactor.view(), before, "undone");
    }
}

/// Answers every output, well or badly, until the compactor waits for its app.
pub(crate) fn settle(compactor: &mut Compactor, choices: &mut Choices<'_>) {
    for _ in 0..20_000 {
        match compactor.poll_output() {
            Output::Before(_) => drop(compactor.proceed()),
            Output::Summarize(request) => match choices.below(5) {
                3 => {
                    let kind = choices.one_of(&[
                        FailureKind::Permanent,
                        FailureKind::Transient { retry_after_ms: None },
                    ]);
                    let failure = Failure { kind, message: choices.text(20) };
                    compactor.handle_failure(request.id, failure, Timestamp(0));
                }
                4 => compactor.handle_summary(request.id, &choices.text(255)),
                _ => compactor.handle_summary(request.id, "They talked about the garden."),
            },
            Output::Persist(_) => drop(compactor.handle_persisted()),
            Output::Wait(Some(until)) => compactor.handle_timeout(until),
            Output::Wait(None) => return,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
    panic!("the compactor never waits");
}

/// A snapshot with messages of all kinds, an edit, a compaction, an undo and a usage report.
fn good() -> &'static Value {
    static GOOD: OnceLock<Value> = OnceLock::new();
    GOOD.get_or_init(|| {
        let good = Compactor::new(Policy::recommended(260), Contract::default(), tokenizer());
        let Ok(mut compactor) = good else { return Value::Null };
        for turn in 0..10_u32 {
            for message in messages(turn) {
                let _ = compactor.append(message);
            }
            if turn % 4 == 3 {
                let _ = compactor.compact(Reason::Manual, None);
                settle(&mut compactor, &mut Choices::new(&[]));
            }
        }
        let _ = compactor.edit(Message::new("m9", Role::User, "no, the tulips"));
        let _ = compactor.set_todo("- [ ] plant the roses".into());
        compactor.handle_count(300);
        let _ = compactor.undo();
        settle(&mut compactor, &mut Choices::new(&[]));
        let lines = compactor.snapshot().to_json_lines().unwrap_or_default();
        let read = |line| serde_json::from_str::<Value>(line).unwrap_or_default();
        lines.lines().map(read).collect()
    })
}

fn messages(turn: u32) -> Vec<Message> {
    let call = format!("c{turn}");
    let asked = Message::new(format!("m{turn}"), Role::User, "where are the roses? ".repeat(4));
    let reasoning = Part::Reasoning { text: "well".into(), signature: Some("signed".into()) };
    let called = Part::ToolCall {
        call: call.as_str().into(),
        name: "look".into(),
        arguments: r#"{"path":"garden.txt","lines":[1,2]}"#.into(),
    };
    let result = Part::ToolResult {
        call: call.as_str().into(),
        name: None,
        text: "In the east. ".repeat(9),
    };
    vec![
        asked,
        Message::with_parts(format!("a{turn}"), Role::Assistant, vec![reasoning, called]),
        Message::with_parts(format!("t{turn}"), Role::Tool, vec![result]),
    ]
}
