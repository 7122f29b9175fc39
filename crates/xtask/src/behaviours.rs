//! `cargo xtask behaviours`: how many rules of docs/behaviours.md are proven, and which are open.

mod document;
mod proof;
mod rule_id;

use std::fs;

use crate::failure::{Failure, Result};
use crate::record::Record;
use crate::source_tree;
use crate::steps::Steps;
use crate::workspace::Workspace;

use document::Document;

const DOCUMENT: &str = "docs/behaviours.md";

/// Prints the number of proven and open rules in each section, then fails as [`check`] does.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("behaviours", || {
        let document = read(workspace)?;
        print!("{}", document.overview());
        verdict(&names_in_source(workspace, &document))
    })
}

/// Checks without running a test: fails if the document has a mistake, or names a test that its file does not
/// mention.
pub(crate) fn check(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run(DOCUMENT, || verdict(&names_in_source(workspace, &read(workspace)?)))
}

/// Compares the document with the tests that ran: fails if a test that it names did not run, if a rule is neither
/// open nor proven, and if a test carries the id of a rule that does not list it.
pub(crate) fn compare(workspace: &Workspace, steps: &Steps, record: &Record) -> Result {
    steps.run("tests that ran against docs/behaviours.md", || {
        let sources = source_tree::read(workspace, |path| path.extension() == Some("rs".as_ref()))?;
        // cargo test does not print the file of a test.
        let file = |name: &str| {
            let head = format!("fn {name}(");
            let source = sources.iter().find(|source| source.text.contains(&head))?;
            Some(source.path.display().to_string())
        };
        verdict(&proof::findings(&read(workspace)?, record, file))
    })
}

fn read(workspace: &Workspace) -> Result<Document> {
    let text = fs::read_to_string(workspace.path(DOCUMENT))
        .map_err(|error| Failure::new(format!("cannot read {DOCUMENT}: {error}")))?;
    Document::parse(&text).map_err(|problem| Failure::new(format!("{DOCUMENT}, {problem}")))
}

/// One finding for each test in the document that its file does not mention. Catches a renamed test in a second,
/// where running all tests takes minutes.
fn names_in_source(workspace: &Workspace, document: &Document) -> Vec<String> {
    let mut findings = Vec::new();
    for (rule, test) in document.tests() {
        // Titles in scripts may hold escaped quotes.
        let text = fs::read_to_string(workspace.path(&test.file)).unwrap_or_default();
        if !text.replace('\\', "").contains(&test.name) {
            findings.push(format!("{}: there is no `{}` in {}", rule.id, test.name, test.file));
        }
    }
    findings
}

fn verdict(findings: &[String]) -> Result {
    if findings.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("correct these in {DOCUMENT}:\n  {}", findings.join("\n  "))))
}
