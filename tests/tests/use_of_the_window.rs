//! How much of the window `recommended` uses: about half of it after a compaction, whoever speaks and however often.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use epitome::{Level, Policy, Reason};
use epitome_formats::Format;
use epitome_tests::App;
use serde_json::{Value, json};

/// Sentences of which no two are alike, of about 40 tokens together.
fn text(number: usize) -> String {
    let word = |seed: usize| -> String {
        let letters = (0..5).map(|at| (seed.wrapping_mul(2_654_435_761) >> (at * 5 + 3)) % 26);
        letters.map(|letter| char::from(b'a' + u8::try_from(letter).unwrap())).collect()
    };
    let words: Vec<String> = (0..18).map(|at| word(number * 31 + at)).collect();
    format!("The {} of part {number} is done. {}.", words[0], words[1..].join(" "))
}

/// Makes the message of a number.
type MessageOf = fn(usize) -> Value;

/// The messages of each kind of conversation.
const KINDS: [(&str, MessageOf); 3] = [
    ("a chat", |number| {
        let role = ["user", "assistant"][number % 2];
        json!({ "role": role, "content": text(number) })
    }),
    ("work with tools", |number| {
        let id = format!("call_{}", number - number % 4);
        match number % 4 {
            0 => json!({ "role": "user", "content": text(number) }),
            1 => {
                let id = format!("call_{}", number - 1);
                let function =
                    json!({ "name": "read", "arguments": format!("{{\"part\":{number}}}") });
                let call = json!({ "id": id, "type": "function", "function": function });
                json!({ "role": "assistant", "content": null, "tool_calls": [call] })
            }
            2 => json!({ "role": "tool", "tool_call_id": id, "content": text(number) }),
            _ => json!({ "role": "assistant", "content": text(number) }),
        }
    }),
    ("a meeting", |number| {
        let name = ["ann", "ben", "cleo"][number % 3];
        json!({ "role": "user", "name": name, "content": text(number) })
    }),
];

#[test]
fn d18_recommended_leaves_about_half_of_the_window_again_and_again() {
    for (kind, message) in KINDS {
        for window in [12_000, 48_000, 200_000] {
            let mut app = App::new(Format::OpenAiChat, Policy::recommended(window)).unwrap();
            let mut left = Vec::new();
            let mut number = 0;
            while left.len() < 4 {
                app.append(message(number)).unwrap();
                number += 1;
                if app.compactor.pressure().level == Level::Compact && number % 4 == 0 {
                    app.compact(Reason::Threshold).unwrap();
                    left.push(app.compactor.pressure().tokens * 100 / window);
                    assert!(number < window as usize, "{kind} in {window}: {left:?}");
                }
            }
            println!("{kind} in {window}: {left:?} % of the window");
            assert!(
                left.iter().all(|share| (37..=50).contains(share)),
                "{kind} in {window}: {left:?}"
            );
        }
    }
}

#[test]
fn d9_a_request_that_alone_exceeds_the_target_is_shown_by_its_beginning_and_its_end() {
    let window = 12_000;
    let mut app = App::new(Format::OpenAiChat, Policy::recommended(window)).unwrap();
    for number in 0..8 {
        app.append(KINDS[0].1(number)).unwrap();
    }
    let lines: Vec<String> = (0..190).map(text).collect();
    let request = format!("First words. {} Last words.", lines.join("\n"));
    app.append(json!({ "role": "user", "content": request })).unwrap();
    let before = app.messages();
    let report = app.compact(Reason::Threshold).unwrap().unwrap();
    assert_eq!(report.excerpted, Some("m8".into()));
    assert!(app.compactor.pressure().tokens <= window / 2, "{}", app.compactor.pressure().tokens);
    let messages = app.messages();
    let shown = messages.last().unwrap()["content"].as_str().unwrap();
    assert!(shown.starts_with("First words.") && shown.ends_with("Last words."), "{shown}");
    assert!(shown.contains("\n[truncated: "), "{shown}");
    assert_eq!(app.originals.last().unwrap()["content"], request, "the history has it whole");
    app.undo().unwrap();
    assert_eq!(app.messages(), before);
}

#[test]
fn d9_a_request_that_fits_the_target_stays_word_for_word() {
    let mut app = App::new(Format::OpenAiChat, Policy::recommended(12_000)).unwrap();
    for number in 0..120 {
        app.append(KINDS[0].1(number)).unwrap();
    }
    let request = (0..80).map(text).collect::<Vec<_>>().join("\n");
    app.append(json!({ "role": "user", "content": request })).unwrap();
    let report = app.compact(Reason::Threshold).unwrap().unwrap();
    assert_eq!(report.excerpted, None);
    assert_eq!(app.messages().last().unwrap()["content"], request);
}
