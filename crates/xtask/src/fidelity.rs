//! `cargo xtask fidelity`: measures what conversations still say after a compaction.

use crate::command;
use crate::failure::Result;
use crate::steps::Steps;
use crate::vocab;
use crate::workspace::Workspace;

/// Packs the vocabularies that count the budgets, and measures. Prints one table for each measure.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, parts: Option<&str>) -> Result {
    vocab::run(workspace, steps)?;
    steps.run_long("measure", "1 minute", || {
        let mut measure = workspace.cargo(["run", "--release", "--package=epitome-fidelity", "--"]);
        measure.args(parts.unwrap_or_default().split(',').filter(|part| !part.is_empty()));
        command::run(&mut measure)
    })
}
