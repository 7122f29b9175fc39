//! What `node --test` reports.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Outcome, Record};
use crate::command;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

const FOLDER: &str = "tests";
/// From [`FOLDER`]. Node resolves the path of a reporter from where it starts.
const REPORTER: &str = "../crates/xtask/src/record/node-reporter.mjs";

/// Files at a time. Node takes one less than there are cores, and most tests wait for something.
const CONCURRENCY: &str = "--test-concurrency=2";

/// Runs the files `tests`, paths from the folder `tests`, shows the output while they run, and records every test.
pub(crate) fn run(
    workspace: &Workspace,
    tests: &[String],
    environment: &[(&str, &Path)],
    record: &mut Record,
) -> Result {
    let report = workspace.target("node-tests.jsonl");
    // A report of an earlier run would be taken for one of this run if Node cannot start.
    let _ = fs::remove_file(&report);
    let mut node = workspace.command("node");
    node.current_dir(workspace.path(FOLDER)).args(["--test", CONCURRENCY]);
    node.args(["--test-reporter=spec", "--test-reporter-destination=stdout"]);
    node.arg(format!("--test-reporter={REPORTER}"));
    node.arg(format!("--test-reporter-destination={}", report.display()));
    node.args(tests).envs(environment.iter().copied());
    let outcome = command::run(&mut node);
    let text = fs::read_to_string(&report).unwrap_or_default();
    for line in text.lines() {
        read(line, workspace.root(), record)
            .ok_or_else(|| Failure::new(format!("node's report has the line `{line}`")))?;
    }
    outcome
}

fn read(line: &str, root: &Path, record: &mut Record) -> Option<()> {
    let test: Value = serde_json::from_str(line).ok()?;
    let file = test.get("file").and_then(Value::as_str).map(|file| {
        let file = Path::new(file);
        file.strip_prefix(root).unwrap_or(file).display().to_string()
    });
    let outcome = match (test.get("skip"), test.get("passed")?.as_bool()?) {
        (Some(Value::String(reason)), _) => Outcome::Skipped(reason.clone()),
        (Some(Value::Bool(true)), _) => Outcome::Skipped("no reason given".into()),
        (_, true) => Outcome::Passed,
        (_, false) => Outcome::Failed,
    };
    record.add(test.get("name")?.as_str()?, file, outcome);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_report_is_a_test() {
        let mut record = Record::default();
        let lines = [
            r#"{"name":"b2: x","file":"/w/tests/node/a.test.mjs","passed":true}"#,
            r#"{"name":"b2: y","skip":"no data","passed":true}"#,
            r#"{"name":"b2: z","skip":true,"passed":true}"#,
            r#"{"name":"b2: w","skip":false,"passed":false}"#,
        ];
        for line in lines {
            assert_eq!(read(line, Path::new("/w"), &mut record), Some(()), "{line}");
        }
        let found: Vec<_> =
            record.tests().map(|test| (test.name.as_str(), &test.outcome)).collect();
        let skipped = |reason: &str| Outcome::Skipped(reason.into());
        assert_eq!(
            found,
            [
                ("b2: x", &Outcome::Passed),
                ("b2: y", &skipped("no data")),
                ("b2: z", &skipped("no reason given")),
                ("b2: w", &Outcome::Failed),
            ]
        );
        let file = record.tests().next().and_then(|test| test.file.as_deref());
        assert_eq!(file, Some("tests/node/a.test.mjs"));
    }
}
