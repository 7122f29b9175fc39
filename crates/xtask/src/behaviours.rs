//! `cargo xtask behaviours`: how many rules of docs/behaviours.md are proven, and which are open.

mod document;
mod proof;
mod rule_id;
mod titles;

use std::fs;
use std::path::Path;

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
        verdict(&static_findings(workspace, &document)?)
    })
}

/// Checks without running a test: fails if the document has a mistake, names a test that its file does not mention,
/// or does not list a test in the source under each rule whose id it carries.
pub(crate) fn check(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run(DOCUMENT, || verdict(&static_findings(workspace, &read(workspace)?)?))
}

/// Compares the document with the tests that ran: fails if a test that it names did not run, if a rule is neither
/// open nor proven, and if a test carries the id of a rule that does not list it.
pub(crate) fn compare(workspace: &Workspace, steps: &Steps, record: &Record) -> Result {
    steps.run("tests that ran against docs/behaviours.md", || {
        let sources = source_tree::read(workspace, |path| has_extension(path, &["rs"]))?;
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

/// What can be found in a second, where running all tests takes minutes.
fn static_findings(workspace: &Workspace, document: &Document) -> Result<Vec<String>> {
    let wanted = |path: &Path| has_extension(path, &["rs", "mjs", "ts"]);
    let mut findings = names_in_source(workspace, document);
    for source in source_tree::read(workspace, wanted)? {
        let names = if has_extension(&source.path, &["rs"]) {
            titles::of_rust(&source.text)
        } else {
            titles::of_script(&source.text)
        };
        let place = || source.path.display().to_string();
        findings.extend(names.iter().flat_map(|name| proof::unlisted(document, name, place)));
    }
    Ok(findings)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|extension| found == *extension))
}

/// One finding for each test in the document that its file does not mention, such as a renamed one.
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
