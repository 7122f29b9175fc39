//! Coding sessions with summaries that were written in them: how many of the names in such a summary are in ours.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::data;
use crate::engine;
use crate::tokens;

/// The most tokens of our summary.
const BUDGET: usize = 4_000;

/// The summaries that were written in the recorded session.
pub(crate) fn recorded(folder: &Path) -> Vec<Value> {
    let path = folder.join("retention/pi-real-compaction-summaries.json");
    let text = std::fs::read_to_string(&path).expect("the recorded summaries");
    serde_json::from_str(&text).expect("a list of summaries")
}

/// Our summary of what was before a recorded one.
pub(crate) struct Compared {
    own: String,
    /// The names of the recorded one that the messages before it have too.
    pub(crate) names: Vec<String>,
    /// Those that ours lacks.
    pub(crate) missing: Vec<String>,
}

/// Summarizes what was before a recorded summary.
pub(crate) fn compare(summary: &Value, messages: &[Value]) -> Compared {
    let written = summary["summary"].as_str().unwrap_or_default();
    let count = summary["index_in_openai_file"].as_u64().unwrap_or(0) as usize;
    let before = messages.get(..count).unwrap_or_default();
    let history: Vec<String> = before.iter().map(data::text_of).collect();
    let history = history.join("\n");
    let names: Vec<String> = names(written)
        .into_iter()
        .filter(|name| history.contains(*name))
        .map(str::to_owned)
        .collect();
    let own = engine::summary(before, BUDGET);
    let missing = names.iter().filter(|name| !own.contains(name.as_str())).cloned().collect();
    Compared { own, names, missing }
}

/// Prints how many names are found, and our summary with those that it lacks if `show`.
pub(crate) fn print(folder: &Path, show: bool) {
    let sessions = data::lines(&folder.join("openai/coding-pi-long-session.jsonl.gz"));
    let Some(messages) = sessions.first().map(data::messages) else { return };
    println!("\n## Names of the summaries that were written in a coding session\n");
    println!("| summary | tokens of ours | names | found in ours |\n|---|---|---|---|");
    for (number, summary) in (1..).zip(recorded(folder)) {
        let Compared { own, names, missing } = compare(&summary, messages);
        let found = names.len() - missing.len();
        println!("| {number} | {} | {} | {found} |", tokens::count(&own), names.len());
        if show {
            println!("{own}\n==== missing {missing:?}");
        }
    }
}

/// What a summary names exactly: files, paths, branches, methods and classes.
fn names(text: &str) -> BTreeSet<&str> {
    let delimits = |c: char| c.is_whitespace() || "`\"'()[]{}<>,;|*:?".contains(c);
    let words = text
        .split(delimits)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '_'));
    words.filter(|word| is_name(word)).collect()
}

fn is_name(word: &str) -> bool {
    let is_file = word.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && (1..=4).contains(&ending.len())
            && ending.bytes().all(|b| b.is_ascii_lowercase())
    });
    let small_then_capital =
        word.as_bytes().windows(2).any(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']));
    let is_word =
        word.len() >= 4 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b));
    is_word && (is_file || small_then_capital || word.matches('/').count() >= 2)
}
