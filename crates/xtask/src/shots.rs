//! `cargo xtask shots`: pictures of every state of the page, at four widths, light and dark, to look at.

use crate::artifacts;
use crate::browser;
use crate::command;
use crate::effort::Effort;
use crate::failure::Result;
use crate::steps::Steps;
use crate::toolchain;
use crate::workspace::Workspace;

/// Builds the page and writes the pictures to `target/shots`.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    toolchain::install(workspace, steps)?;
    let browser = browser::obtain(workspace, steps)?;
    artifacts::build(workspace, steps, Effort::Shipped)?;
    steps.run("pictures in target/shots", || {
        let mut shots = workspace.npm(["run", "shots", "--workspace", "tests"]);
        shots.env("EPITOME_BROWSER", browser.binary());
        command::run(shots.env("EPITOME_SERVE", artifacts::demo_server(workspace, Effort::Shipped)))
    })
}
