//! A part of the measurement as a test: what the default summary still says may not fall below these shares.

use serde_json::Value;

use crate::evidence::Meeting;
use crate::goals::Chat;
use crate::identifiers::Cut;
use crate::standing::{self, Talk};
use crate::{baselines, data, engine, recall, sessions, tokens};

/// The recorded conversations of a file; `None`, which is reported, where they or the vocabulary are not there.
fn recorded(file: &str) -> Option<Vec<Value>> {
    let folder = data::folder().filter(|_| tokens::are_packed());
    if folder.is_none() {
        epitome_tests::skipped(
            "no recorded conversations or no vocabulary; see `cargo xtask fidelity`",
        );
    }
    folder.map(|folder| data::lines(&folder.join(file)))
}

fn mean(scores: impl IntoIterator<Item = f64>) -> f64 {
    let scores: Vec<f64> = scores.into_iter().collect();
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

fn share(tokens: usize, percent: usize) -> usize {
    tokens * percent / 100
}

#[test]
fn d10_a_summary_of_a_meeting_keeps_more_than_simple_ways_to_shorten_it() {
    let Some(lines) = recorded("retention/qmsum-product-meetings.jsonl.gz") else { return };
    let meetings: Vec<Meeting> = lines.iter().take(8).map(Meeting::read).collect();
    let score = |make: &dyn Fn(&Meeting) -> String| {
        mean(meetings.iter().flat_map(|meeting| meeting.score(&make(meeting)).ag))
    };
    let own = score(&|meeting| engine::alone(&meeting.messages, share(meeting.tokens, 10)));
    let random = score(&|meeting| baselines::random(&meeting.texts, share(meeting.tokens, 10), 1));
    let tail = score(&|meeting| baselines::tail(&meeting.texts, share(meeting.tokens, 10)));
    assert!(own >= MEETINGS && own > random && own > tail, "{own:.3}, {random:.3}, {tail:.3}");
}

#[test]
fn d10_a_short_summary_of_work_with_tools_has_the_identifiers_that_are_needed_later() {
    for (file, least) in [("airline", AIRLINE), ("telecom", TELECOM)] {
        let Some(lines) = recorded(&format!("openai/tool-chat-tau2-{file}.jsonl.gz")) else {
            return;
        };
        let cuts = lines.iter().take(10).flat_map(|chat| Cut::of(data::messages(chat)));
        let own = mean(cuts.map(|cut| {
            let budget = share(cut.tokens, 5);
            let (before, tail) = cut.tail(budget / 2);
            let summary = engine::summary(before, budget - tokens::count(&tail));
            cut.score(&tail, &summary, true)
        }));
        assert!(own >= least, "{file}: {own:.3}");
    }
}

#[test]
fn d10_a_summary_of_a_booking_chat_in_chinese_or_japanese_says_what_was_wanted() {
    let Some(lines) = recorded("openai/multilingual.jsonl") else { return };
    let chats: Vec<Chat> = lines.iter().map(Chat::read).collect();
    for (language, least) in [("zh", CHINESE), ("ja", JAPANESE)] {
        let chats = chats.iter().filter(|chat| chat.language == language);
        let own = mean(
            chats.map(|chat| chat.score(&engine::alone(&chat.messages, share(chat.tokens, 10)))),
        );
        assert!(own >= least, "{language}: {own:.3}");
    }
}

#[test]
fn d10_a_summary_of_a_coding_session_has_the_names_of_the_one_that_was_written_in_it() {
    let Some(lines) = recorded("openai/coding-pi-long-session.jsonl.gz") else { return };
    let Some(folder) = data::folder() else { return };
    let recorded = sessions::recorded(&folder);
    let found: Vec<(usize, usize)> = recorded
        .iter()
        .take(1)
        .map(|summary| {
            let compared = sessions::compare(summary, data::messages(&lines[0]));
            (compared.names.len() - compared.missing.len(), compared.names.len())
        })
        .collect();
    assert!(found.iter().all(|(found, all)| found * 58 >= all * 50), "{found:?}");
}

#[test]
fn l1_recall_finds_the_messages_that_answer_a_question() {
    let Some(chats) = recorded("recall/locomo.jsonl.gz") else { return };
    let found = recall::answered(&chats);
    let [_, _, ten] = found.any;
    assert!(ten >= 0.75 && found.reciprocal >= 0.51, "{found:?}");
}

#[test]
fn l1_a_recall_brings_back_what_a_summary_of_meetings_lacks() {
    for (file, least) in [("meetings", RECALL_MEETINGS), ("CONCAT-200k", RECALL_LONG)] {
        let Some(lines) = recorded(&format!("retention/qmsum-product-{file}.jsonl.gz")) else {
            return;
        };
        let own = mean(lines.iter().map(Meeting::read).flat_map(|one| recall::with_summary(&one)));
        assert!(own >= least, "{file}: {own:.3}");
    }
}

#[test]
fn l5_the_index_of_a_million_tokens_takes_less_than_a_third_of_their_text() {
    let Some(lines) = recorded("openai/long-aider-1M.jsonl.gz") else { return };
    let share = recall::stored_share(data::messages(&lines[0]));
    assert!(share <= 0.3, "{share:.3}");
}

#[test]
fn l8_instructions_and_preferences_are_there_when_a_request_needs_them() {
    if recorded("openai/long-aider-200k.jsonl").is_none() {
        return;
    }
    let Some(folder) = data::folder() else { return };
    let cases = standing::cases();
    for talk in Talk::recorded(&folder) {
        let found = talk.find_all(&cases);
        for kind in ["instruction", "preference"] {
            let of_kind = found.iter().filter(|(case, _)| case.kind == kind);
            let own = mean(of_kind.map(|(_, found)| f64::from(u8::from(found.either()))));
            assert!(own >= STANDING, "{}, {kind}: {own:.3}", talk.name);
        }
    }
}

const RECALL_MEETINGS: f64 = 0.48;
const RECALL_LONG: f64 = 0.62;
const STANDING: f64 = 0.85;
const MEETINGS: f64 = 0.32;
const AIRLINE: f64 = 0.62;
const TELECOM: f64 = 0.6;
const CHINESE: f64 = 0.15;
const JAPANESE: f64 = 0.26;
