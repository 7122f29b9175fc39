//! The notes of a model that are longer than the state before them leaves space for.

use std::borrow::Cow;

use crate::facts::{Facts, RetainedText};
use crate::message::{Entry, Role};
use crate::tokens::{Meter, MeterTokens};

const FENCE: &str = "```";

/// A line of notes, or a whole block of code.
struct Unit<'a> {
    text: &'a str,
    is_heading: bool,
    /// The index of the heading above it.
    heading: Option<usize>,
    is_kept: bool,
}

/// The notes in at most so many tokens: first the lines with facts that neither the state nor a line before has, then the others,
/// each kind in order. So a model's account of who asked for what is left out before its facts: the state says that in less. A heading
/// stays if a line below it does. Linear in the notes and the state.
pub(super) fn shortened<'a>(
    notes: &'a str,
    state: &str,
    most: MeterTokens,
    meter: &Meter,
) -> Cow<'a, str> {
    if meter.count(notes) <= most {
        return Cow::Borrowed(notes);
    }
    let mut units = units(notes);
    let mut said = RetainedText::default();
    said.add(state, Role::User);
    let mut left = most;
    for only_new in [true, false] {
        for index in 0..units.len() {
            let Some(unit) = units.get(index).filter(|unit| !unit.is_heading && !unit.is_kept)
            else {
                continue;
            };
            if only_new && !said.lacks(&facts(unit.text)) {
                continue;
            }
            let heading = unit.heading;
            let missing = heading.and_then(|at| units.get(at)).filter(|heading| !heading.is_kept);
            let heading_text = missing.map_or("", |heading| heading.text);
            // With the line breaks behind them.
            let cost = meter.count(unit.text) + meter.count(heading_text) + MeterTokens::new(2);
            if cost > left {
                continue;
            }
            left -= cost;
            said.add(unit.text, Role::User);
            for kept in [Some(index), heading].into_iter().flatten() {
                if let Some(unit) = units.get_mut(kept) {
                    unit.is_kept = true;
                }
            }
        }
    }
    let kept = units.iter().filter(|unit| unit.is_kept).map(|unit| unit.text);
    Cow::Owned(kept.collect::<Vec<_>>().join("\n"))
}

/// The lines that say something, each with its kind.
fn units(notes: &str) -> Vec<Unit<'_>> {
    let mut units = Vec::new();
    let mut heading = None;
    let mut rest = notes;
    while !rest.is_empty() {
        let line = rest.split('\n').next().unwrap_or_default();
        let end = match line.trim_start().starts_with(FENCE) {
            true => rest.get(line.len()..).and_then(|after| after.find(FENCE)).map_or(
                rest.len(),
                |at| {
                    let end = line.len() + at;
                    let after = rest.get(end..).and_then(|after| after.find('\n'));
                    after.map_or(rest.len(), |more| end + more)
                },
            ),
            false => line.len(),
        };
        let (text, after) = rest.split_at(end);
        if !text.trim().is_empty() {
            let is_heading = text.starts_with('#');
            if is_heading {
                heading = Some(units.len());
            }
            units.push(Unit { text, is_heading, heading, is_kept: false });
        }
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    units
}

fn facts(line: &str) -> Facts {
    let mut facts = Facts::default();
    let speaker = "assistant".to_owned();
    facts.read(&[Entry { number: 0, speaker, time: None, text: line.to_owned() }]);
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::CharactersPer;

    const STATE: &str = "Requests:\n- [1] Please cancel order KX-4711.";
    const NOTES: &str = "## Key facts\n- The user wants order KX-4711 cancelled.\n- It was paid with card 4411.\n\
        ## Course\nThe user asked for it.\n- The assistant found order QZ9981.\n```\nfind(\"QZ9981\")\n```\n## Open points\n- None";

    fn within(most: u32) -> String {
        let meter = Meter::new(Box::new(CharactersPer(1)));
        shortened(NOTES, STATE, MeterTokens::new(most), &meter).into_owned()
    }

    #[test]
    fn d10_notes_beside_a_state_are_shortened_to_what_they_add() {
        assert_eq!(within(1_000), NOTES);
        let facts = "## Key facts\n- It was paid with card 4411.\n## Course\n- The assistant found order QZ9981.";
        assert_eq!(within(99), facts);
        assert_eq!(
            within(125),
            facts.replace("- The assistant", "The user asked for it.\n- The assistant")
        );
        assert_eq!(within(45), "## Key facts\n- It was paid with card 4411.");
        assert_eq!(within(43), within(45));
        assert_ne!(within(42), within(45));
        assert_eq!(within(5), "");
        let long = "a line that says nothing\n".repeat(100_000);
        let meter = Meter::new(Box::new(CharactersPer(1)));
        let kept = shortened(&long, "", MeterTokens::new(60), &meter);
        assert_eq!(kept.lines().count(), 2, "{kept}");
        for most in 0..260 {
            let notes = within(most);
            assert!(notes.len() <= most as usize, "{most}: {notes}");
            assert_eq!(notes.matches("```").count() % 2, 0, "code is kept whole or not at all");
        }
    }

    #[test]
    fn code_is_one_unit_also_if_it_never_ends() {
        fn texts(notes: &str) -> Vec<&str> {
            units(notes).iter().map(|unit| unit.text).collect()
        }
        let code = "```rust\nlet a = 1;\n\nlet b = 2;\n```";
        assert_eq!(
            texts(&format!("first\n\n{code}\nnext\n\nlast\n")),
            ["first", code, "next", "last"]
        );
        assert_eq!(texts("first\n```\nnext\n\nlast"), ["first", "```\nnext\n\nlast"]);
        let headings: Vec<Option<usize>> =
            units("a\n# One\nb\nc\n# Two\nd").iter().map(|unit| unit.heading).collect();
        assert_eq!(headings, [None, Some(1), Some(1), Some(1), Some(4), Some(4)]);
    }
}
