//! The file in which Rust tests note that they skipped themselves.
//!
//! libtest has no way to skip a test while it runs: a test without its data returns, and counts as passed. So a test
//! that does so appends the line `name: reason` to the file that the environment variable names.

use std::fs;
use std::path::PathBuf;

use super::Record;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The environment variable that names the file.
pub(crate) const VARIABLE: &str = "EPITOME_SKIPPED";

/// An empty file for the tests of one run.
pub(crate) fn begin(workspace: &Workspace) -> Result<PathBuf> {
    let file = workspace.target("skipped-tests.txt");
    fs::write(&file, "")
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", file.display())))?;
    Ok(file)
}

/// Marks the tests that the file names as skipped.
pub(crate) fn read(file: &PathBuf, record: &mut Record) -> Result {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
    note(&text, record);
    Ok(())
}

fn note(text: &str, record: &mut Record) {
    for line in text.lines() {
        let (name, reason) = line.split_once(": ").unwrap_or((line, "no reason given"));
        record.skip(name, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    #[test]
    fn a_test_that_skipped_itself_did_not_pass() {
        let mut record = Record::default();
        record.add("m::b2_x", None, Outcome::Passed);
        record.add("m::b2_y", None, Outcome::Passed);
        note("m::b2_x: no recordings: set EPITOME_DATA\n", &mut record);
        let outcomes: Vec<_> = record.tests().map(|test| test.outcome.clone()).collect();
        let reason = "no recordings: set EPITOME_DATA".to_owned();
        assert_eq!(outcomes, [Outcome::Skipped(reason), Outcome::Passed]);
    }
}
