//! What Playwright reports.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Outcome, Record};
use crate::command;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

const FOLDER: &str = "tests/e2e";
/// In the configuration of Playwright. What measures is run alone.
const PROJECTS: [&str; 2] = ["chromium", "measuring"];

/// Runs the end-to-end tests, shows their output while they run, and records every test.
pub(crate) fn run(
    workspace: &Workspace,
    environment: &[(&str, &Path)],
    record: &mut Record,
) -> Result {
    PROJECTS.iter().try_for_each(|project| run_project(workspace, project, environment, record))
}

fn run_project(
    workspace: &Workspace,
    project: &str,
    environment: &[(&str, &Path)],
    record: &mut Record,
) -> Result {
    let report = workspace.target("end-to-end-tests.json");
    // A report of an earlier run would be taken for one of this run if Playwright cannot start.
    let _ = fs::remove_file(&report);
    let mut playwright = workspace.npm(["run", "test:e2e", "--workspace", "tests", "--"]);
    playwright.arg(format!("--project={project}"));
    playwright.arg("--reporter=list,json").env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report);
    let outcome = command::run(playwright.envs(environment.iter().copied()));
    let text = fs::read_to_string(&report).unwrap_or_default();
    if let Ok(document) = serde_json::from_str::<Value>(&text) {
        read(&document, record);
    } else if outcome.is_ok() {
        return Err(Failure::new(format!("Playwright wrote no report to {}", report.display())));
    }
    outcome
}

/// Reads the tests of a suite and of the suites in it.
fn read(suite: &Value, record: &mut Record) {
    let list = |value: &Value, key: &str| -> Vec<Value> {
        value.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    for spec in list(suite, "specs") {
        let text = |key: &str| spec.get(key).and_then(Value::as_str).unwrap_or_default();
        for test in list(&spec, "tests") {
            let outcome = match test.get("status").and_then(Value::as_str) {
                Some("expected") => Outcome::Passed,
                Some("skipped") => Outcome::Skipped(reason(&list(&test, "annotations"))),
                _ => Outcome::Failed,
            };
            record.add(text("title"), Some(format!("{FOLDER}/{}", text("file"))), outcome);
        }
    }
    for inner in list(suite, "suites") {
        read(&inner, record);
    }
}

fn reason(annotations: &[Value]) -> String {
    let reason = annotations.iter().find_map(|annotation| annotation.get("description")?.as_str());
    reason.unwrap_or("no reason given").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_found_in_suites_of_suites() {
        let report = serde_json::json!({
            "suites": [{ "specs": [], "suites": [{ "specs": [
                { "title": "b6: x", "file": "page/a.spec.ts", "tests": [{ "status": "expected" }] },
                { "title": "b6: y", "file": "page/a.spec.ts", "tests": [{
                    "status": "skipped",
                    "annotations": [{ "type": "skip", "description": "no data" }],
                }] },
                { "title": "b6: z", "file": "page/a.spec.ts", "tests": [{ "status": "unexpected" }] },
            ] }] }],
        });
        let mut record = Record::default();
        read(&report, &mut record);
        let found: Vec<_> =
            record.tests().map(|test| (test.name.as_str(), &test.outcome)).collect();
        let skipped = Outcome::Skipped("no data".into());
        assert_eq!(
            found,
            [("b6: x", &Outcome::Passed), ("b6: y", &skipped), ("b6: z", &Outcome::Failed)]
        );
        let file = record.tests().next().and_then(|test| test.file.as_deref());
        assert_eq!(file, Some("tests/e2e/page/a.spec.ts"));
    }
}
