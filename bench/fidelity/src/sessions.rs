//! Coding sessions with summaries that were written in them: how many of the names in such a summary are in ours, and how much of
//! what it says was decided and comes next.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::words::{terms, words};
use crate::{baselines, data, engine, tokens};

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

/// The messages before a recorded summary.
fn before<'a>(summary: &Value, messages: &'a [Value]) -> &'a [Value] {
    let count = summary["index_in_openai_file"].as_u64().unwrap_or(0) as usize;
    messages.get(..count).unwrap_or_default()
}

/// Summarizes what was before a recorded summary.
pub(crate) fn compare(summary: &Value, messages: &[Value]) -> Compared {
    let written = summary["summary"].as_str().unwrap_or_default();
    let before = before(summary, messages);
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
    println!("\n## Decisions and next steps of these summaries\n");
    println!(
        "| summary | section | lines | epitome | tail | random sentences | cover |\n|---|---|---|---|---|---|---|"
    );
    for (number, summary) in (1..).zip(recorded(folder)) {
        let before = before(&summary, messages);
        let texts: Vec<String> = before.iter().map(data::text_of).collect();
        let own = engine::summary(before, BUDGET);
        let kept = [
            own,
            baselines::tail(&texts, BUDGET),
            baselines::random(&texts, BUDGET, SEED),
            baselines::cover(&texts, BUDGET),
        ];
        let history = texts.join("\n");
        let written = summary["summary"].as_str().unwrap_or_default();
        for (section, headings) in SECTIONS {
            let lines = lines_of(written, headings);
            if lines.is_empty() {
                continue;
            }
            let found = kept.iter().map(|text| format!(" {:.3} |", said(&lines, &history, text)));
            println!("| {number} | {section} | {} |{}", lines.len(), found.collect::<String>());
        }
    }
}

/// The sections that are compared, by words of their headings.
const SECTIONS: [(&str, &[&str]); 2] =
    [("decisions", &["decision", "preference"]), ("next steps", &["next step", "current task"])];
const SEED: u64 = 1;

/// The items of lists in the sections whose headings have one of these words.
fn lines_of<'a>(summary: &'a str, headings: &[&str]) -> Vec<&'a str> {
    let (mut is_wanted, mut in_code) = (false, false);
    let mut lines = Vec::new();
    for line in summary.lines() {
        in_code ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix("## ") {
            let heading = heading.to_lowercase();
            is_wanted = headings.iter().any(|word| heading.contains(word));
        } else if is_wanted && !in_code {
            let text = line.trim_start();
            let is_numbered =
                text.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
            if is_numbered || text.starts_with("- ") {
                lines.push(text);
            }
        }
    }
    lines
}

/// How much of these lines a text says: the share of the words of each, of those that the messages have, that are in the one
/// line of the text that has most of them.
fn said(lines: &[&str], history: &str, text: &str) -> f64 {
    let set = |text: &str| -> BTreeSet<String> { terms(&words(text)).into_iter().collect() };
    let known = set(history);
    let kept: Vec<BTreeSet<String>> = text.lines().map(set).collect();
    let shares = lines.iter().filter_map(|line| {
        let wanted: BTreeSet<String> = set(line).intersection(&known).cloned().collect();
        let best = kept.iter().map(|line| wanted.intersection(line).count()).max().unwrap_or(0);
        (!wanted.is_empty()).then(|| best as f64 / wanted.len() as f64)
    });
    let shares: Vec<f64> = shares.collect();
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_section_are_found_in_the_line_that_says_most_of_them() {
        let summary = "## Key Decisions Made\n1. **Use oaks** along the wall\n## Files\n- wall.ts\n\
            ## Next Steps (W2)\n### Later\n- Paint the fence\n```\n- no line\n```\nText.";
        let decisions = lines_of(summary, SECTIONS[0].1);
        assert_eq!(decisions, ["1. **Use oaks** along the wall"]);
        let next = lines_of(summary, SECTIONS[1].1);
        assert_eq!(next, ["- Paint the fence"]);
        let history = "We use oaks along the wall. Who paints the fence?";
        assert_eq!(said(&next, history, "Oaks.\nThe fence needs to be painted."), 1.0);
        assert_eq!(said(&next, history, "The fence.\nPaint it."), 0.5);
        assert_eq!(said(&next, history, ""), 0.0);
    }
}
