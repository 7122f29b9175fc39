//! Reads a summary beside its conversation: what in it was never said, was joined from two messages, is stale or is noise.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::{data, engine};

/// What is wrong with a summary, each in a sentence.
pub(crate) fn faults(messages: &[Value], summary: &str) -> Vec<String> {
    let texts: Vec<String> = messages.iter().map(|message| bare(&data::text_of(message))).collect();
    let items: BTreeSet<String> = messages
        .iter()
        .flat_map(|message| data::text_of(message).lines().filter_map(done).collect::<Vec<_>>())
        .collect();
    let mut faults = Vec::new();
    let mut section = "Said:";
    for line in summary.lines().filter(|line| !line.trim().is_empty()) {
        if HEADINGS.contains(&line) {
            section = line;
            continue;
        }
        let mut fault = |what: &str| faults.push(format!("{what}: {line}"));
        if let Some(open) = line.split_once("[ ] ").map(|(_, text)| bare(text))
            && items.contains(&open)
        {
            fault("stale");
        }
        if line.contains("{vocalsound}") || line.contains("{disfmarker}") {
            fault("noise");
        }
        match section {
            "Said:" if line.starts_with("Speakers: ") => {}
            "Said:" => {
                let quoted = said(line);
                let behind = line.split_once(": ").map_or(line, |(_, quoted)| quoted);
                if behind.split(" · ").any(|piece| is_noise(piece.trim())) {
                    fault("noise");
                }
                let known = |text: &String| quoted.iter().all(|piece| text.contains(piece));
                if !texts.iter().any(known) {
                    let each =
                        quoted.iter().all(|piece| texts.iter().any(|text| text.contains(piece)));
                    fault(if each { "joined" } else { "never said" });
                }
            }
            "Requests:" | "Instructions and decisions:" | "Open:" => {
                let (said, before) = numbered(line);
                let said = match said.split_once(": ") {
                    Some((speaker, said)) if is_named(speaker) => said,
                    _ => said,
                };
                let said = said.replace(" · ", "…");
                let pieces: Vec<String> = said.split('…').map(bare).collect();
                let is_said =
                    |text: &String| pieces.iter().all(|piece| text.contains(piece.as_str()));
                if !texts.iter().any(is_said) {
                    fault("never said");
                }
                let mut before = before.split(", ").map(bare);
                if !before.all(|value| texts.iter().any(|text| text.contains(&value))) {
                    fault("never said before");
                }
            }
            "Done with tools:" => {
                let (call, _) = numbered(line);
                // A call and its subject stand before what became of it.
                let subject = call.split([' ', ':', '(']).find(|word| !word.is_empty());
                if !texts.iter().any(|text| text.contains(&bare(subject.unwrap_or_default()))) {
                    fault("never called");
                }
            }
            "Known:" => {
                let values = line.split_once(": ").map_or("", |(_, values)| values);
                for entry in values.split(", ") {
                    let (value, status) = match entry.split_once(" (") {
                        Some((value, status)) => (value, status.trim_end_matches(')')),
                        None => (entry, ""),
                    };
                    let (value, status) = (bare(value), bare(status));
                    if !texts.iter().any(|text| text.contains(&value) && text.contains(&status)) {
                        fault("never said");
                    }
                }
            }
            "Also said, word for word:" => {
                let text = line.splitn(3, ": ").last().unwrap_or_default();
                let words =
                    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let is_bare = text.is_ascii()
                    && words.clone().nth(1).is_none()
                    && line.matches(": ").count() < 2
                    && !text.bytes().any(|byte| byte.is_ascii_digit() || b"/._@".contains(&byte));
                if is_bare && !text.starts_with(char::is_uppercase) {
                    fault("says nothing");
                }
                if !texts.iter().any(|all| all.contains(&bare(text))) {
                    fault("never said");
                }
            }
            _ => {}
        }
    }
    faults
}

/// True for a role with a name.
fn is_named(speaker: &str) -> bool {
    let mut words = speaker.split(' ');
    words.next().is_some_and(|role| ["user", "assistant", "tool"].contains(&role))
        && words.next().is_some()
}

/// True for a piece that says nothing: a note of a cut, a tag, an import, a position in a file.
fn is_noise(piece: &str) -> bool {
    let starts = |starts: &[&str]| starts.iter().any(|start| piece.starts_with(start));
    let is_tag = piece.starts_with('<')
        && piece.ends_with('>')
        && piece.matches('<').count() == 1
        && !piece.contains(['@', ':', ' ']);
    let is_listed =
        piece.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['│', '→', '\t'])
            && piece.starts_with(|c: char| c.is_ascii_digit());
    is_tag
        || is_listed
        || piece.contains(" more characters]")
        || piece.contains(" more lines above)")
        || piece.contains(" more lines below)")
        || piece.contains(" lines total)]")
        || starts(&["@@ -", "#include <", "import {", "import * as", "import type", "use crate::"])
        || (starts(&["from ", "import "]) && piece.ends_with(';'))
        || (starts(&["from "]) && piece.split(' ').nth(2) == Some("import"))
        || (starts(&["import "]) && piece.split(' ').nth(1).is_some_and(|name| name.contains('.')))
}

/// Recorded chats of many kinds.
const RECORDED: [&str; 8] = [
    "coding-pi-long-session.jsonl.gz",
    "long-aider-200k.jsonl",
    "tool-chat-tau2-airline.jsonl.gz",
    "tool-chat-tau2-telecom.jsonl.gz",
    "tool-chat-taubench-airline.jsonl.gz",
    "multilingual.jsonl",
    "coding-swe-agent.jsonl",
    "coding-openhands.jsonl",
];
/// How many chats of each kind are read.
const OF_EACH: usize = 12;

/// What is wrong with the summaries of recorded chats, each with its file and the number of its chat.
pub(crate) fn recorded(folder: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    for file in RECORDED {
        let chats = data::lines(&folder.join("openai").join(file));
        // Evenly from the whole file, since the languages in one stand together.
        let step = chats.len().div_ceil(OF_EACH).max(1);
        for (number, chat) in chats.iter().enumerate().step_by(step) {
            let messages = data::messages(chat);
            // In a long summary there is room for what says little.
            for limit in [200, 800, 6_000] {
                let summary = engine::summary_of(messages, limit);
                let found = self::faults(messages, &summary);
                faults.extend(found.iter().map(|fault| format!("{file} {number}: {fault}")));
            }
        }
    }
    faults
}

const HEADINGS: [&str; 8] = [
    "Requests:",
    "Instructions and decisions:",
    "Done with tools:",
    "Known:",
    "Open:",
    "Said:",
    "Also said, word for word:",
    "Checklists and criteria, word for word:",
];

/// What stands behind the number of a message and a named speaker, and the values in brackets that it has replaced.
fn numbered(line: &str) -> (&str, &str) {
    let line = line.strip_prefix("- ").unwrap_or(line);
    let text = match line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
        Some((number, text)) if number.bytes().all(|byte| byte.is_ascii_digit()) => text,
        _ => line,
    };
    match text.split_once(" (before: ") {
        Some((text, before)) => (text, before.trim_end_matches(')')),
        None => (text, ""),
    }
}

/// The text of an item that is done.
fn done(line: &str) -> Option<String> {
    ["[x] ", "[X] "].iter().find_map(|mark| line.split_once(mark)).map(|(_, text)| bare(text))
}

/// The sentences that a line quotes, without who said them.
fn said(line: &str) -> Vec<String> {
    let quoted = match line.strip_prefix("  ") {
        Some(more) => more,
        None => line.split_once(": ").map_or(line, |(_, quoted)| quoted),
    };
    let mut pieces = vec![String::new()];
    let mut ended = false;
    for character in quoted.replace(" · ", "\n").chars() {
        if character == '\n' || (ended && character == ' ') {
            pieces.push(String::new());
        }
        let closes = matches!(character, '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»');
        ended = matches!(character, '.' | '!' | '?' | '。' | '！' | '？') || (ended && closes);
        pieces.last_mut().expect("one is there").push(character);
        if matches!(character, '。' | '！' | '？') {
            pieces.push(String::new());
        }
    }
    // A text that was cut ends with `…`.
    let pieces = pieces.iter().map(|piece| bare(piece.trim_end_matches('…')));
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// A text without blanks, escapes, fillers and tags of speech, so that it is compared as it is said.
fn bare(text: &str) -> String {
    const FILLERS: [&str; 10] =
        ["uh", "hmm", "mm", "mm-hmm", "uh-huh", "mhm", "erm", "hm", "um", "er"];
    let text = text.replace("\\n", " ").replace("\\t", " ").replace("\\\"", "\"");
    let words = text.split_whitespace().filter(|word| {
        let is_placeholder = word.starts_with('{')
            && word.ends_with('}')
            && word.len() > 2
            && !word.contains(['"', ':', ',']);
        !is_placeholder && !FILLERS.iter().any(|filler| filler.eq_ignore_ascii_case(word))
    });
    words.collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{examples, tokens};

    #[test]
    fn d10_the_checker_finds_what_is_wrong() {
        let messages = examples::messages(
            "user: It is blue. Yes.\nassistant: It is red.\nassistant: - [ ] ship\nassistant: - [x] ship",
        );
        for (summary, fault) in [
            ("user: It is blue. It is red.", "joined"),
            ("user: It is green.", "never said"),
            ("Known:\n- code: X15", "never said"),
            ("Requests:\n- [1] It is blue. It is red.", "never said"),
            ("Instructions and decisions:\n- [1] It is blue. (before: pink)", "never said before"),
            ("Done with tools:\n- [2] paint blue", "never called"),
            ("Said:\nassistant: - [ ] ship", "stale"),
            ("Also said, word for word:\n- user: yes", "says nothing"),
            ("Said:\ntool: [12 more characters]", "noise"),
            ("Said:\ntool: It is blue. … [3952 more characters]", "noise"),
            ("Said:\nuser: <uploaded_files>", "noise"),
            ("Said:\ntool: Yes. · 20│from tree_sitter_languages import get_language", "noise"),
            ("Said:\ntool: from tree_sitter_languages import get_language", "noise"),
        ] {
            let found = faults(&messages, summary);
            assert!(found.iter().any(|found| found.starts_with(fault)), "{summary}: {found:?}");
        }
        assert_eq!(
            faults(&messages, "user: It is blue. Yes.\nassistant: It is red."),
            Vec::<String>::new()
        );
    }

    #[test]
    fn d10_a_summary_of_a_recorded_chat_says_nothing_that_was_not_said() {
        let Some(folder) = data::folder().filter(|_| tokens::are_packed()) else {
            epitome_tests::skipped("no recorded conversations; see `cargo xtask fidelity`");
            return;
        };
        assert_eq!(recorded(&folder), Vec::<String>::new());
    }

    #[test]
    fn d10_a_summary_says_nothing_that_was_not_said() {
        for (title, chat) in examples::CHATS {
            let messages = examples::messages(chat);
            for limit in [60, 120, 240, 480] {
                let summary = engine::summary_of(&messages, limit);
                assert_eq!(faults(&messages, &summary), Vec::<String>::new(), "{title}: {summary}");
            }
        }
    }
}
