//! What a model's answer says twice.

use std::borrow::Cow;

use epitome_columns::SortedSet;

/// The shortest line that is not said twice, in bytes. A short one, such as `- None`, can be right below several headings.
const MIN_LINE: usize = 30;
const FENCE: &str = "```";

/// An answer without the lines that it repeats of the state that it will stand behind. O(n log n).
pub(crate) fn without_lines_of<'a>(state: &str, answer: &'a str) -> Cow<'a, str> {
    if state.is_empty() {
        return Cow::Borrowed(answer);
    }
    let known = SortedSet::from_iter(state.lines().filter(|line| !line.is_empty()));
    let lines = answer.lines().filter(|line| !known.contains(line.trim()));
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// An answer without the lines that it has said before, and without the headings that it has had before and that have nothing
/// else below them: small models write the earlier summary again and then their own. Code stays as it is. O(n log n).
pub(crate) fn without_repeats(answer: &str) -> Cow<'_, str> {
    let mut seen = SortedSet::new();
    // One that was there before stays only if something new comes below it.
    let mut repeated_heading = None;
    let mut lines: Vec<&str> = Vec::new();
    let (mut repeats, mut in_code) = (false, false);
    for line in answer.lines() {
        let text = line.trim();
        in_code ^= text.starts_with(FENCE);
        let is_heading = !in_code && text.starts_with('#');
        let says_something = !in_code && text.chars().any(char::is_alphanumeric);
        let is_known = says_something && !seen.insert(text);
        let counts = is_heading || repeated_heading.is_some() || text.len() >= MIN_LINE;
        if is_heading {
            repeats |= repeated_heading.take().is_some();
        }
        match (is_known && counts, is_heading) {
            (true, true) => repeated_heading = Some(line),
            (true, false) => repeats = true,
            (false, _) => {
                if !text.is_empty() {
                    lines.extend(repeated_heading.take());
                }
                lines.push(line);
            }
        }
    }
    match repeats || repeated_heading.is_some() {
        true => Cow::Owned(lines.join("\n").trim_end().to_owned()),
        false => Cow::Borrowed(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &str =
        "## Key facts\n- The customer wants to fly on the same day.\n\n## Open points\n- None\n";

    #[test]
    fn i18_what_an_answer_says_twice_stays_once() {
        let more = "## Key facts\n- The bag was paid with the card that ends in 4411.";
        for (answer, expected) in [
            (format!("{NOTES}{NOTES}"), NOTES.trim_end().to_owned()),
            (format!("{NOTES}{more}\n## Open points\n- None"), format!("{NOTES}{more}")),
            (
                format!(
                    "{NOTES}## Key facts\n- The customer wants to fly on the same day.\n## Course\nShort."
                ),
                format!("{NOTES}## Course\nShort."),
            ),
            (
                format!("{NOTES}## Key facts\n## Course\nShort."),
                format!("{NOTES}## Course\nShort."),
            ),
            (format!("{NOTES}```\ncode\n```\n{NOTES}"), format!("{NOTES}```\ncode\n```")),
        ] {
            assert_eq!(without_repeats(&answer), expected);
        }
    }

    #[test]
    fn i18_an_answer_without_repeats_and_its_code_stay_as_they_are() {
        let code =
            "```\nlet customer = find(customers, 12);\nlet customer = find(customers, 12);\n```\n";
        let rule = "|------|------|------|------|------|\n";
        let tables = format!("| a |\n{rule}| 1 |\n\n| b |\n{rule}| 2 |\n");
        for answer in ["", "- None\n- None\n", NOTES, code, &tables] {
            assert!(matches!(without_repeats(answer), Cow::Borrowed(text) if text == answer));
        }
    }
}
