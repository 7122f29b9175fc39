//! Who said or found what a summary says, line by line, in a conversation of several authors.

use std::collections::{BTreeMap, BTreeSet};

use crate::message::{Entry, Role};

/// Shorter words are in most messages.
const SHORTEST_WORD: usize = 4;

/// A summary, as far as its lines name somebody.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attributed {
    /// The summary, with the author behind each line that named nobody and is what one author has written.
    pub(crate) text: String,
    /// The lines that still name nobody.
    pub(crate) nobody: Vec<String>,
}

/// Looks for one of the `names` in each line of a summary. A line without one gets the author of the message that has most of
/// its longer words, if that has at least half of them; of several, the latest. Headings, items of checklists, tables and code
/// stay as they are, and an indented line belongs to the one above it. Linear in the texts, and in the occurrences of the words
/// of such lines.
pub(crate) fn attribute(summary: &str, names: &BTreeSet<&str>, entries: &[Entry]) -> Attributed {
    let mut in_code = false;
    let mut is_named = false;
    let lines: Vec<(&str, bool)> = summary
        .lines()
        .map(|line| {
            let own = line.trim();
            in_code ^= own.starts_with("```");
            let is_inside = line.starts_with([' ', '\t']) && is_named;
            if !is_inside {
                is_named = in_code || is_frame(own) || names.iter().any(|name| has_name(own, name));
            }
            (line, is_named)
        })
        .collect();
    let open: Vec<&str> =
        lines.iter().filter(|(_, is_named)| !is_named).map(|(line, _)| *line).collect();
    let sources = sources(&open, entries);
    let mut nobody = Vec::new();
    let mut text = String::with_capacity(summary.len());
    for (line, is_named) in lines {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
        if is_named {
            continue;
        }
        let author = sources.get(line).and_then(|at| author(entries.get(*at)?));
        match author.filter(|author| names.contains(author)) {
            Some(author) => text.push_str(&format!(" ({author})")),
            None => nobody.push(line.trim().to_owned()),
        }
    }
    Attributed { text, nobody }
}

/// The author in the head of an entry, which has the role before it. A user need not have a name.
fn author(entry: &Entry) -> Option<&str> {
    let author = entry.speaker.split_once(' ').map(|(_, author)| author);
    author.or_else(|| (entry.speaker == Role::User.as_str()).then_some(&*entry.speaker))
}

/// True for a line that says nothing by itself, or has to stay as it is.
fn is_frame(line: &str) -> bool {
    let is_mark = line.starts_with(['#', '|']) || line.ends_with(':') || line.starts_with("```");
    let is_box = ["- [", "* [", "+ ["].iter().any(|start| line.starts_with(start));
    is_mark || is_box || !line.contains(char::is_alphanumeric)
}

/// True if a line has a name as words of its own, in upper or lower case.
fn has_name(line: &str, name: &str) -> bool {
    let (line, name) = (line.to_lowercase(), name.to_lowercase());
    let is_edge = |character: Option<char>| !character.is_some_and(char::is_alphanumeric);
    line.match_indices(&name).any(|(at, found)| {
        let (before, rest) = line.split_at(at);
        is_edge(before.chars().next_back()) && is_edge(rest.chars().nth(found.chars().count()))
    })
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| word.chars().count() >= SHORTEST_WORD).map(str::to_lowercase)
}

/// For each line, the index of the entry that has most of its words, if one has half of them.
fn sources<'a>(lines: &[&'a str], entries: &[Entry]) -> BTreeMap<&'a str, usize> {
    let needed = lines.iter().flat_map(|line| words(line));
    let mut places: BTreeMap<String, Vec<usize>> = needed.map(|word| (word, Vec::new())).collect();
    if places.is_empty() {
        return BTreeMap::new();
    }
    for (index, entry) in entries.iter().enumerate() {
        if author(entry).is_none() {
            continue;
        }
        for word in words(&entry.text) {
            if let Some(known) = places.get_mut(&word)
                && known.last() != Some(&index)
            {
                known.push(index);
            }
        }
    }
    let source = |line: &&'a str| {
        let own: BTreeSet<String> = words(line).collect();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for index in own.iter().filter_map(|word| places.get(word)).flatten() {
            *counts.entry(*index).or_default() += 1;
        }
        let (index, count) = counts.into_iter().max_by_key(|(index, count)| (*count, *index))?;
        (2 * count >= own.len()).then_some((*line, index))
    };
    lines.iter().filter_map(source).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u32, speaker: &str, text: &str) -> Entry {
        Entry { number, speaker: speaker.into(), time: None, text: text.into() }
    }

    fn check(summary: &str, expected: &str, nobody: &[&str]) {
        let entries = [
            entry(1, "user ann", "The export must finish within 30 seconds."),
            entry(2, "assistant ben", "I measured the export: it takes 90 seconds."),
            entry(3, "user", "Somebody without a name asks for blue buttons."),
        ];
        let names = BTreeSet::from(["ann", "ben"]);
        let attributed = attribute(summary, &names, &entries);
        assert_eq!(attributed.text, expected);
        assert_eq!(attributed.nobody, nobody);
    }

    #[test]
    fn f4_a_line_that_names_nobody_gets_the_author_of_its_words() {
        check(
            "- Export must finish within 30 seconds",
            "- Export must finish within 30 seconds (ann)",
            &[],
        );
        check(
            "The export takes 90 seconds as measured.",
            "The export takes 90 seconds as measured. (ben)",
            &[],
        );
    }

    #[test]
    fn f4_a_line_that_names_somebody_stays_as_it_is() {
        for line in [
            "Ann: export within 30 seconds",
            "export within 30 seconds, says ANN.",
            "(ben) 90 seconds",
        ] {
            check(line, line, &[]);
        }
        check("annual export takes 90 seconds", "annual export takes 90 seconds (ben)", &[]);
    }

    #[test]
    fn f4_a_line_that_nobody_has_written_is_listed() {
        check(
            "- The moon is made of cheese.",
            "- The moon is made of cheese.",
            &["- The moon is made of cheese."],
        );
    }

    #[test]
    fn f4_headings_lists_tables_and_code_stay_as_they_are() {
        let text = "## Export takes 90 seconds\n- [ ] export measured\n| export | seconds |\nann said:\n  export measured, \
                    90 seconds\n```\nexport measured\n```\n\n---";
        check(text, text, &[]);
    }
}
