//! Finds the items of checklists and acceptance criteria in text, by their form.

use std::str::Lines;

/// Finds the items among the lines of one text, which are given to it in order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemReader {
    /// True below a heading of criteria, as long as the lines are items of a list.
    in_criteria: bool,
    /// How many of the next lines belong to steps that have begun.
    steps_left: usize,
}

impl ItemReader {
    /// The item in this line, as it has to be kept; `None` if there is none. `rest` are the lines after it. In text
    /// that nobody wrote as a message, such as a tool result, only boxes to check make an item.
    pub(super) fn item<'a>(
        &mut self,
        line: &'a str,
        rest: &Lines<'a>,
        is_speech: bool,
    ) -> Option<&'a str> {
        let trimmed = line.trim();
        if is_checkbox(trimmed) {
            return Some(trimmed);
        }
        if !is_speech || trimmed.is_empty() {
            return None;
        }
        if self.steps_left > 0 {
            self.steps_left -= 1;
            return Some(trimmed);
        }
        if let Some(steps) = steps(trimmed, rest) {
            self.steps_left = steps - 1;
            return Some(trimmed);
        }
        if is_criteria_heading(trimmed) {
            self.in_criteria = true;
            return None;
        }
        let listed = without_bullet(trimmed).is_some();
        self.in_criteria &= listed;
        if self.in_criteria || is_labelled(trimmed) {
            return Some(trimmed);
        }
        steps_in_sentence(trimmed)
    }
}

/// The key by which two items are the same: their text without its list mark. The state of a checklist item does not
/// matter, but an item with a box is never the same as one without.
pub(super) fn identity(item: &str) -> (bool, &str) {
    let bare = without_bullet(item).unwrap_or(item);
    match BOXES.iter().find_map(|mark| bare.strip_prefix(mark)) {
        Some(text) => (true, text.trim()),
        None => (false, bare.trim()),
    }
}

/// The text of an item with a box, open or done; `None` for any other line.
pub fn boxed(line: &str) -> Option<&str> {
    let (has_box, text) = identity(line);
    has_box.then_some(text)
}

/// True for a line that may be an item, independently of the lines around it.
pub(super) fn may_be_item(trimmed: &str) -> bool {
    without_bullet(trimmed).is_some()
        || is_checkbox(trimmed)
        || step(trimmed).is_some()
        || is_labelled(trimmed)
}

/// The marks of open and done items.
const BOXES: [&str; 6] = ["[ ]", "[x]", "[X]", "☐", "☑", "✅"];

pub(super) fn is_checkbox(trimmed: &str) -> bool {
    let item = trimmed.strip_prefix(['-', '*', '+']).map_or(trimmed, str::trim_start);
    BOXES.iter().any(|mark| item.starts_with(mark))
}

/// The text behind the mark of a list; `None` for a line that is not in a list.
fn without_bullet(trimmed: &str) -> Option<&str> {
    let after = match trimmed.strip_prefix(['-', '*', '+', '•']) {
        Some(after) => after,
        None => {
            let after = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.len() == trimmed.len() {
                return None;
            }
            after.strip_prefix(['.', ')'])?
        }
    };
    after.starts_with(' ').then(|| after.trim_start())
}

/// Words by which a heading announces criteria or a checklist.
const HEADINGS: [&str; 4] =
    ["acceptance criteri", "definition of done", "requirement", "checklist"];

/// The longest heading, in bytes.
const MAX_HEADING: usize = 80;

fn is_criteria_heading(trimmed: &str) -> bool {
    let looks_like_heading =
        trimmed.starts_with('#') || trimmed.starts_with("**") || trimmed.ends_with(':');
    if !looks_like_heading || trimmed.len() > MAX_HEADING {
        return false;
    }
    let lower = trimmed.to_lowercase();
    HEADINGS.iter().any(|heading| lower.contains(heading))
}

/// Labels of numbered criteria and requirements, as in `AC3:` or `REQ-12`.
const LABELS: [&str; 4] = ["AC", "REQ", "NFR", "FR"];

fn is_labelled(trimmed: &str) -> bool {
    let bare = without_bullet(trimmed).unwrap_or(trimmed).trim_start_matches('*');
    let number = LABELS.iter().find_map(|label| bare.strip_prefix(label));
    let Some(number) = number.map(|rest| rest.trim_start_matches(['-', ' ', '#'])) else {
        return false;
    };
    let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
    after.len() < number.len() && after.trim_start_matches('*').starts_with([':', '.', ')'])
}

/// A line of a scenario, by its first word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// What the scenario is called.
    Title,
    Given,
    When,
    Then,
    /// One more step of the kind before it.
    More,
}

/// The kind of step in a line; `None` if the line is not a step.
fn step(trimmed: &str) -> Option<Step> {
    let bare = without_bullet(trimmed).unwrap_or(trimmed).trim_start_matches(['*', '_']);
    let word = bare.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match word {
        "Given" => Some(Step::Given),
        "When" => Some(Step::When),
        "Then" => Some(Step::Then),
        "And" | "But" => Some(Step::More),
        "Scenario" | "Background" | "Examples" => Some(Step::Title),
        _ if bare.starts_with('|') => Some(Step::More),
        // In running text such a line is more often a sentence, so that it has to be all in capitals.
        "GIVEN" => Some(Step::Given),
        "WHEN" => Some(Step::When),
        "THEN" => Some(Step::Then),
        "AND" | "BUT" => Some(Step::More),
        _ => None,
    }
}

/// How many lines belong to the steps that begin with this line; `None` if it begins none. Steps have a `Then`, and a
/// `Given` or a `When` before it.
fn steps(trimmed: &str, rest: &Lines) -> Option<usize> {
    // The first letters of a line rule out nearly every line.
    let first = step(trimmed).filter(|step| !matches!(step, Step::Then | Step::More))?;
    let (mut begun, mut complete) = (matches!(first, Step::Given | Step::When), false);
    let mut lines = 1;
    for line in rest.clone() {
        let Some(next) = step(line.trim()) else { break };
        begun |= matches!(next, Step::Given | Step::When);
        complete |= begun && next == Step::Then;
        lines += 1;
    }
    complete.then_some(lines)
}

/// A criterion within one line: from the sentence that begins with `Given` to the end of the one that has the `then`.
fn steps_in_sentence(trimmed: &str) -> Option<&str> {
    // Few lines have the word at all, which is seen in one pass over the bytes.
    if !trimmed.as_bytes().windows(6).any(|bytes| matches!(bytes, b"Given " | b"given ")) {
        return None;
    }
    let start = ["Given ", "given "].iter().find_map(|word| {
        let at = trimmed.find(word)?;
        let before = trimmed.get(..at)?.trim_end();
        (before.is_empty() || before.ends_with(['.', ':', ';', '*', '-'])).then_some(at)
    })?;
    let text = trimmed.get(start..)?;
    let lower = text.to_ascii_lowercase();
    let when = lower.find(" when ")?;
    let then = when + lower.get(when..)?.find(" then ")?;
    let end = text.get(then..)?.find(['.', ';', '!']).map_or(text.len(), |at| then + at + 1);
    text.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut reader = ItemReader::default();
        let mut lines = text.lines();
        let mut items = Vec::new();
        while let Some(line) = lines.next() {
            items.extend(reader.item(line, &lines, true));
        }
        assert_eq!(items, expected, "{text}");
    }

    #[test]
    fn d10_items_are_lines_with_a_box() {
        check(
            "- [ ] ship\n  * [x] build\n☑ test\n- plain",
            &["- [ ] ship", "* [x] build", "☑ test"],
        );
    }

    #[test]
    fn d10_criteria_are_list_items_below_a_heading_that_says_so() {
        check(
            "Acceptance criteria:\n1. fast\n\n2) small\nAnd so on.\n- later",
            &["1. fast", "2) small"],
        );
        check("**Requirements**\n- fast\n## Ideas\n- small", &["- fast"]);
        check("We read the requirements.\n- fast", &[]);
        check("AC1: fast\n- **REQ-2**: small\nACCESS: none", &["AC1: fast", "- **REQ-2**: small"]);
    }

    #[test]
    fn d10_criteria_are_steps_with_a_given_or_a_when_and_a_then() {
        let whole =
            "Scenario: night\nGiven frost\n| a | b |\nWhen it is dark\nThen heat\nBut quietly";
        check(&format!("Hello.\n{whole}\nBye."), &whole.lines().collect::<Vec<_>>());
        check("**Given** frost\n**Then** heat", &["**Given** frost", "**Then** heat"]);
        check("When it is dark\nwe sleep", &[]);
        check("Given the time we have\nThat is all", &[]);
        check("Then we left.\nAnd it rained.", &[]);
        check(
            "- Given frost, when it is dark, then heat. Bye.",
            &["Given frost, when it is dark, then heat."],
        );
        check("It was given to me when we met and then lost.", &[]);
    }

    #[test]
    fn d10_in_text_that_is_no_message_only_boxes_count() {
        let mut reader = ItemReader::default();
        assert_eq!(reader.item("Given frost, when dark, then heat", &"".lines(), false), None);
        assert_eq!(reader.item("- [ ] ship", &"".lines(), false), Some("- [ ] ship"));
    }

    #[test]
    fn an_item_is_the_same_in_another_state_or_list() {
        assert_eq!(identity("- [ ] ship"), identity("* [x] ship"));
        assert_eq!(identity("1. fast"), identity("- fast"));
        assert_ne!(identity("- [ ] ship"), identity("- ship"));
    }
}
