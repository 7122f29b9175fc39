//! Who said or found what a summary says, line by line, in a conversation of several authors.

use epitome_columns::{SortedMap, SortedSet};

use crate::message::{Entry, Role};

/// Shorter words are in most messages.
const SHORTEST_WORD: usize = 4;

/// A line with fewer words that tell messages apart says too little to show whose it is.
const LEAST_WORDS: usize = 3;

/// A word in more messages tells none of them apart.
const MOST_PLACES: usize = 64;

/// A summary, as far as its lines name somebody.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attributed {
    /// The summary, with the author behind each line that named nobody and is what one author has written.
    pub(crate) text: String,
    /// The lines that still name nobody, and those that begin with the name of somebody else than who has written them.
    pub(crate) unattributed: Vec<String>,
}

/// Looks for one of the `names` in each line of a summary. A line without one gets the author of the message that has most of
/// its longer words, if that has at least half of them; of several, the latest. Headings, items of checklists, tables and code
/// stay as they are, and an indented line belongs to the one above it. Linear in the texts, and in the occurrences of the words
/// of the lines.
pub(crate) fn attribute(summary: &str, names: &SortedSet<&str>, entries: &[Entry]) -> Attributed {
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
    let claims: Vec<Option<(&str, &str)>> =
        lines.iter().map(|(line, is_named)| claim(line, names).filter(|_| *is_named)).collect();
    let open = lines.iter().filter(|(_, is_named)| !is_named).map(|(line, _)| *line);
    let words = Words::of(open.chain(claims.iter().flatten().map(|(_, said)| *said)), entries);
    let mut unattributed = Vec::new();
    let mut text = String::with_capacity(summary.len());
    for ((line, is_named), claim) in lines.into_iter().zip(claims) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
        if is_named {
            if claim.is_some_and(|(name, said)| words.is_of_another(name, said, names)) {
                unattributed.push(line.trim().to_owned());
            }
            continue;
        }
        match words.author_of(line).filter(|author| names.contains(author)) {
            Some(author) => text.push_str(&format!(" ({author})")),
            None => unattributed.push(line.trim().to_owned()),
        }
    }
    Attributed { text, unattributed }
}

/// For a line that begins with a name, behind its mark and numbers of messages: the name, and what it is said to have said.
fn claim<'a>(line: &'a str, names: &SortedSet<&'a str>) -> Option<(&'a str, &'a str)> {
    let is_before = |character: char| !character.is_alphabetic();
    let said = line.trim_start_matches(is_before);
    names.iter().find_map(|name| {
        let (start, rest) = said.split_at_checked(name.len())?;
        let is_name = start.to_lowercase() == name.to_lowercase()
            && !rest.chars().next().is_some_and(char::is_alphanumeric);
        is_name.then_some((*name, rest))
    })
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

/// The longer words of some lines, and the entries that have them.
struct Words<'a> {
    places: SortedMap<String, Vec<usize>>,
    entries: &'a [Entry],
}

impl<'a> Words<'a> {
    fn of<'t>(lines: impl Iterator<Item = &'t str>, entries: &'a [Entry]) -> Self {
        let needed = lines.flat_map(words);
        let mut places: SortedMap<String, Vec<usize>> =
            SortedMap::from_iter(needed.map(|word| (word, Vec::new())));
        let read = if places.is_empty() { &[] } else { entries };
        let of_authors = read.iter().enumerate().filter(|(_, entry)| author(entry).is_some());
        for (index, entry) in of_authors {
            for word in words(&entry.text) {
                if let Some(known) = places.get_mut(&word)
                    && known.last() != Some(&index)
                {
                    known.push(index);
                }
            }
        }
        Self { places, entries }
    }

    /// How many of these words each entry has.
    fn counts(&self, own: &SortedSet<String>) -> SortedMap<usize, usize> {
        let mut counts: SortedMap<usize, usize> = SortedMap::new();
        for index in own.iter().filter_map(|word| self.places.get(word)).flatten() {
            *counts.entry(*index).or_default() += 1;
        }
        counts
    }

    /// The author of the entry that has most of a line's words, if it has half of them.
    fn author_of(&self, line: &str) -> Option<&'a str> {
        self.author_with(&SortedSet::from_iter(words(line)))
    }

    fn author_with(&self, own: &SortedSet<String>) -> Option<&'a str> {
        let counts = self.counts(own).into_iter();
        let (index, count) = counts.max_by_key(|(index, count)| (*count, *index))?;
        (2 * count >= own.len()).then(|| author(self.entries.get(index)?))?
    }

    /// True if one other author has written half of the words that somebody is said to have said, and this one has not, in
    /// all messages together. A line that names the other one too may be about both.
    fn is_of_another(&self, name: &str, said: &str, names: &SortedSet<&str>) -> bool {
        let is_telling =
            |word: &String| self.places.get(word).is_none_or(|at| at.len() <= MOST_PLACES);
        let own = SortedSet::from_iter(words(said).filter(is_telling));
        let other = self
            .author_with(&own)
            .filter(|other| *other != name && names.contains(other) && !has_name(said, other));
        let is_own = |at: &usize| self.entries.get(*at).and_then(author) == Some(name);
        let has = |word: &&String| self.places.get(*word).is_some_and(|at| at.iter().any(is_own));
        own.len() >= LEAST_WORDS
            && other.is_some()
            && 2 * own.iter().filter(has).count() < own.len()
    }
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
        let names = SortedSet::from(["ann", "ben"]);
        let attributed = attribute(summary, &names, &entries);
        assert_eq!(attributed.text, expected);
        assert_eq!(attributed.unattributed, nobody);
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
    fn f4_a_line_that_names_somebody_else_than_its_author_is_listed() {
        let wrong = "- [2] Ann: it takes 90 seconds, as measured";
        check(wrong, wrong, &[wrong]);
        for right in [
            "- [2] Ben: it takes 90 seconds, as measured",
            "Ann asked ben, who measured 90 seconds for the export",
            "- Ann: the export must finish within 30 seconds, and 90 were measured",
            "- Ann: it takes 90",
            "- Ann: cheese from the moon for everybody",
            "- Anna measured that the export takes 90 seconds, ben says",
        ] {
            check(right, right, &[]);
        }
    }

    #[test]
    fn f4_headings_lists_tables_and_code_stay_as_they_are() {
        let text = "## Export takes 90 seconds\n- [ ] export measured\n| export | seconds |\nann said:\n  export measured, \
                    90 seconds\n```\nexport measured\n```\n\n---";
        check(text, text, &[]);
    }
}
