//! Whether the tests that ran prove what the document says.

use std::collections::BTreeSet;

use super::document::Document;
use super::rule_id;
use crate::record::{Outcome, Record};

/// One finding for each contradiction between the document and the tests that ran. `file` finds the file of a Rust
/// test by its name.
pub(super) fn findings(
    document: &Document,
    record: &Record,
    file: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut findings = Vec::new();
    for rule in document.rules() {
        let mut has_proof = false;
        for test in &rule.tests {
            let mut runs = record.tests().filter(|run| test.is_called(run.short_name())).peekable();
            if runs.peek().is_none() {
                findings.push(format!("{}: `{}` did not run", rule.id, test.name));
            }
            has_proof |= runs.any(|run| run.outcome == Outcome::Passed);
        }
        if !rule.is_open && !has_proof {
            findings.push(format!("{}: no test of it ran and passed, and it is not open", rule.id));
        }
    }
    for run in record.tests() {
        let name = run.short_name();
        let place = || run.file.clone().or_else(|| file(name)).unwrap_or_else(|| "its file".into());
        findings.extend(unlisted(document, name, place));
    }
    // A test of the wasm crates runs in several places, and is reported only once.
    let mut seen = BTreeSet::new();
    findings.retain(|finding| seen.insert(finding.clone()));
    findings
}

/// One finding for each rule whose id `name` carries and that does not list it, or does not exist. `place` gives the
/// file of the test.
pub(super) fn unlisted(document: &Document, name: &str, place: impl Fn() -> String) -> Vec<String> {
    let finding = |id: &str| match document.rules().find(|rule| rule.id == id) {
        None => Some(format!("`{name}` carries {id}, which is not a rule")),
        Some(rule) if rule.tests.iter().any(|test| test.is_called(name)) => None,
        Some(_) => Some(format!("{id}: add the line\n    - `{name}` in `{}`", place())),
    };
    rule_id::carried(name).into_iter().filter_map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "## A. Messages
### a1: One
A rule.
- `a1_x` in `src/a.rs`
### a2: Two
A rule.
Open: no test yet.
";

    fn check(passed: &[&str], skipped: &[&str], expected: &[&str]) {
        let mut record = Record::default();
        for name in passed {
            record.add(name, None, Outcome::Passed);
        }
        for name in skipped {
            record.add(name, None, Outcome::Skipped("no data".into()));
        }
        let document = Document::parse(TEXT).unwrap();
        let found = findings(&document, &record, |name| Some(format!("src/{name}.rs")));
        assert_eq!(found, expected, "{passed:?} {skipped:?}");
    }

    #[test]
    fn the_document_must_name_what_ran_and_nothing_else() {
        check(&["m::a1_x", "m::other"], &[], &[]);
        check(&["m::a1_x", "a1_y"], &[], &["a1: add the line\n    - `a1_y` in `src/a1_y.rs`"]);
        check(
            &["m::a1_x", "a9_y", "m::a1_x", "a9_y"],
            &[],
            &["`a9_y` carries a9, which is not a rule"],
        );
        check(&["a1_x", "a2_x"], &[], &["a2: add the line\n    - `a2_x` in `src/a2_x.rs`"]);
    }

    #[test]
    fn a_rule_needs_a_test_that_ran() {
        let missing = "a1: no test of it ran and passed, and it is not open";
        check(&[], &[], &["a1: `a1_x` did not run", missing]);
        check(&[], &["m::a1_x"], &[missing]);
    }
}
