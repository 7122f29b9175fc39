//! `cargo xtask size`: what apps fetch of the npm package, and whether that is within the limits.

use crate::artifacts;
use crate::command;
use crate::effort::Effort;
use crate::failure::Result;
use crate::steps::Steps;
use crate::workspace::Workspace;

const SCRIPT: &str = "crates/xtask/src/size/paths.mjs";
/// The folder whose packages have the bundler.
const BUNDLER: &str = "tests";

/// Builds the npm package and measures it. The tools must be installed.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    artifacts::build_package(workspace, steps, Effort::Shipped)?;
    check(workspace, steps)
}

/// Prints for each path through the package what it fetches in brotli. Fails if that is more than its limit in the script. The
/// package must be built.
pub(crate) fn check(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("sizes on the wire", || {
        command::run(workspace.command("node").args([SCRIPT, BUNDLER]))
    })
}
