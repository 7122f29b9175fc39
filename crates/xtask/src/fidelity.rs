//! `cargo xtask fidelity`: measures what conversations still say after a compaction.

use std::fs;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::vocab;
use crate::workspace::Workspace;

/// What stands before the tables.
const HEAD: &str = "# What survives a compaction

Made by `cargo xtask fidelity`. Means over recorded conversations; in brackets the 95 % bootstrap interval, over
conversations, of the paired difference to the method that has no brackets. The columns are shares of the tokens of
the conversation (`o200k_base`). AG: the share of the words of a reference answer that are still there in the sentence
that says them. E: the share of the sentences that prove the answer. I_need: the share of the identifiers that the
assistant uses later; labelled: only those in whose clause a word says what they are. F_zh and F_ja: the share of what
the user of a booking chat wanted that is still there.
";

/// Packs the vocabularies that count the budgets, and measures. Prints one table for each measure.
///
/// Without `parts` everything is measured, and `bench/FIDELITY.md` has the tables.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, parts: Option<&str>) -> Result {
    vocab::run(workspace, steps)?;
    steps.run_long("measure", "1 minute", || {
        let mut measure = workspace.cargo(["run", "--release", "--package=epitome-fidelity", "--"]);
        measure.args(parts.unwrap_or_default().split(',').filter(|part| !part.is_empty()));
        let mut tables = Vec::new();
        command::run_and_read(&mut measure, |line| tables.push(line.trim_end().to_owned()))?;
        if parts.is_none() && !tables.is_empty() {
            let text = format!("{HEAD}{}\n", tables.join("\n"));
            let path = workspace.path("bench/FIDELITY.md");
            let failed =
                |error| Failure::new(format!("{} cannot be written: {error}", path.display()));
            fs::write(&path, text).map_err(failed)?;
        }
        Ok(())
    })
}
