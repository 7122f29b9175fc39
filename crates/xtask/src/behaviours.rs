//! `cargo xtask behaviours`: every rule that the project implements, and the tests that prove it.

mod evidence;
mod row_id;
mod rows;
mod rust_tests;
mod script_tests;
mod table;

use std::io::{self, Write};

use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

use evidence::Evidence;
pub(crate) use table::Detail;

const STEP: &str = "behaviours (`cargo xtask behaviours` lists them)";

/// Prints all rows with their tests, then fails as [`check`] does.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, detail: Detail) -> Result {
    steps.run("behaviours", || {
        let evidence = Evidence::collect(workspace)?;
        let table = table::render(&evidence, detail);
        io::stdout()
            .write_all(table.as_bytes())
            .map_err(|error| Failure::new(format!("cannot print the table: {error}")))?;
        evidence.verdict()
    })
}

/// Fails where a row that is due has no test, and where a test names a row that does not exist.
pub(crate) fn check(workspace: &Workspace, steps: &mut Steps) -> Result {
    steps.run(STEP, || Evidence::collect(workspace)?.verdict())
}
