//! `cargo xtask lint`: formatting, clippy on the host and for wasm, and the dependencies.

use crate::command;
use crate::failure::Result;
use crate::steps::Steps;
use crate::supply;
use crate::toolchain::{self, WASM};
use crate::workspace::Workspace;

/// Fails at the first finding; warnings count.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    check_format(workspace, steps)?;
    steps.run_long("clippy", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "clippy",
            "--locked",
            "--workspace",
            "--all-targets",
            "--",
            "--deny=warnings",
        ]))
    })?;
    toolchain::add_wasm_target(workspace, steps)?;
    // The run above does not see code that is compiled only for the browser.
    steps.run_long("clippy for wasm", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "clippy",
            "--locked",
            "--target",
            WASM,
            "--package=epitome-browser",
            "--package=epitome-buffer",
            "--package=epitome-count",
            "--package=epitome-estimate",
            "--package=epitome-recall",
            "--package=epitome-tokenizer",
            "--package=epitome-wasm",
            "--package=epitome-web",
            "--all-targets",
            "--",
            "--deny=warnings",
        ]))
    })?;
    supply::run(workspace, steps)
}

/// Fails if rustfmt would change a file.
pub(crate) fn check_format(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("format (`cargo fmt --all` repairs it)", || {
        command::run(&mut workspace.cargo(["fmt", "--all", "--check"]))
    })
}
