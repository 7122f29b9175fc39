//! Who said a quote: full names, the short labels that stand for long ones in a summary, and the list of these labels.

use epitome_columns::SortedMap;

/// The speaker of a line without one, which comes from a summary by a model.
pub const UNKNOWN: &str = "earlier";
const ROLES: [&str; 5] = ["user", "assistant", "tool", "system", UNKNOWN];
/// The longest speaker, in characters.
const MAX_SPEAKER: usize = 48;
/// The least number of lines for which a label is worth its place in the list.
const MIN_LINES: u32 = 3;
/// Begins the line of another message of the same speaker.
pub const CONTINUED: &str = "  ";
/// Begins the line that says which speaker each label stands for.
const LEGEND: &str = "Speakers: ";

/// A speaker for the start of a line: without marks of the list of labels, and of limited length.
pub fn speaker(name: &str) -> String {
    let mut out = String::new();
    let separates = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ':' | '=' | ';');
    for word in name.split(separates) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    match out.char_indices().nth(MAX_SPEAKER) {
        Some((end, _)) => out.truncate(end),
        None if out.is_empty() => out.push_str(UNKNOWN),
        None => {}
    }
    out
}

/// The labels of one summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Each label with its speaker.
    speakers: SortedMap<String, String>,
}

impl Labels {
    /// Labels for the speakers of these lines: initials, with a number where two would have the same. A speaker without a
    /// name needs none, and neither does one of few lines.
    pub fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut counts: SortedMap<&str, u32> = SortedMap::new();
        for speaker in lines.filter(|speaker| speaker.contains(' ')) {
            *counts.entry(speaker).or_default() += 1;
        }
        let mut labels = Self::default();
        for (speaker, lines) in counts {
            if lines < MIN_LINES {
                continue;
            }
            let initials = initials(speaker);
            let numbered = (2..).map(|number| format!("{initials}{number}"));
            let free = std::iter::once(initials.clone()).chain(numbered).find(|label| {
                !labels.speakers.contains_key(label) && !ROLES.contains(&label.as_str())
            });
            labels.speakers.insert(free.unwrap_or_default(), speaker.to_owned());
        }
        labels
    }

    fn label(&self, speaker: &str) -> Option<&str> {
        let mut labels = self.speakers.iter();
        labels.find(|(_, own)| *own == speaker).map(|(label, _)| label.as_str())
    }

    /// What stands at the start of a line of this speaker.
    pub fn head<'a>(&'a self, speaker: &'a str) -> &'a str {
        self.label(speaker).unwrap_or(speaker)
    }

    /// The line that lists the labels; empty if there are none.
    pub fn legend(&self) -> String {
        let mut out = String::new();
        for (label, speaker) in &self.speakers {
            out.push_str(if out.is_empty() { LEGEND } else { "; " });
            out.push_str(label);
            out.push_str(" = ");
            // Most speakers with a name are users.
            out.push_str(speaker.strip_prefix("user ").unwrap_or(speaker));
        }
        out
    }

    /// Reads the list of labels; `None` for any other line.
    pub fn parse(line: &str) -> Option<Self> {
        let entries = line.strip_prefix(LEGEND)?.split("; ").map(|entry| entry.split_once(" = "));
        let speakers = entries.map(|entry| {
            entry.map(|(label, name)| {
                let role = name.split(' ').next().unwrap_or_default();
                let has_role = ROLES.contains(&role) && name.contains(' ');
                (
                    label.to_owned(),
                    if has_role { speaker(name) } else { speaker(&format!("user {name}")) },
                )
            })
        });
        Some(Self { speakers: speakers.collect::<Option<_>>()? })
    }

    /// The speaker of a line and the rest of it; `before` is the speaker of the line before.
    pub fn split<'a>(&self, line: &'a str, before: &str) -> (String, &'a str) {
        if let Some(rest) = line.strip_prefix(CONTINUED) {
            return (before.to_owned(), rest);
        }
        let Some((head, rest)) = line.split_once(": ") else { return (UNKNOWN.to_owned(), line) };
        if let Some(speaker) = self.speakers.get(head) {
            return (speaker.clone(), rest);
        }
        let role = head.split(' ').next().unwrap_or_default();
        // Many sentences have a colon and a space too. Only a known role begins a line that an extract has written.
        match ROLES.contains(&role) && head.chars().count() <= MAX_SPEAKER {
            true => (head.to_owned(), rest),
            false => (UNKNOWN.to_owned(), line),
        }
    }
}

/// Who a line is said to be by, if that is somebody with a name, and the rest of it. A role alone is the start of a sentence:
/// `user: admin`.
pub fn named(line: &str) -> (Option<String>, &str) {
    match Labels::default().split(line, UNKNOWN) {
        (speaker, said) if speaker.contains(' ') => (Some(speaker), said),
        _ => (None, line),
    }
}

/// The initials of a speaker's name, which follows the role.
fn initials(speaker: &str) -> String {
    let (_, name) = speaker.split_once(' ').unwrap_or(("", speaker));
    let parts = name.split(|c: char| !c.is_alphanumeric()).filter_map(|part| part.chars().next());
    let initials: String = parts.take(3).map(capital).collect();
    if initials.is_empty() { "S".to_owned() } else { initials }
}

/// The capital of a Latin, Greek or Cyrillic letter. The table of all letters that `to_uppercase` has would be a percent of a
/// module in wasm, for names that are written small.
fn capital(letter: char) -> char {
    let is_small = letter.is_ascii_lowercase()
        || matches!(letter, 'à'..='ö' | 'ø'..='þ' | 'α'..='ρ' | 'σ'..='ω' | 'а'..='я');
    let capital = u32::from(letter).checked_sub(32).filter(|_| is_small);
    capital.and_then(char::from_u32).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_capitals_in_alphabets_that_have_them() {
        for (speaker, label) in [
            ("user john doe", "JD"),
            ("user élodie øst", "ÉØ"),
            ("user ωμέγα", "Ω"),
            ("user иван я.", "ИЯ"),
            ("user ÷ 3", "3"),
            ("user 王芳", "王"),
        ] {
            assert_eq!(initials(speaker), label, "{speaker}");
        }
        for letter in ('\0'..'ӿ').filter(|letter| capital(*letter) != *letter) {
            assert_eq!(letter.to_uppercase().to_string(), capital(letter).to_string());
        }
    }
}
