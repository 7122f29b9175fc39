//! `cargo xtask test`: every check and every test, in the order in which they fail fastest.

use std::env;

use crate::artifacts;
use crate::behaviours;
use crate::browser::{self, Browser};
use crate::command;
use crate::failure::{Failure, Result};
use crate::lint;
use crate::node;
use crate::server::Server;
use crate::steps::Steps;
use crate::tidy;
use crate::toolchain::{self, WASM};
use crate::vocab;
use crate::webdriver;
use crate::workspace::Workspace;

const SUMMARIZER: &str = "tests/servers/summarizer.mjs";
/// Tokenizers of models, 290 MB of them. They have a lock file of their own, so that nobody else installs them.
const TOKENIZERS: &str = "tests/tokenizers";

/// Installs what is missing, browser included, and stops at the first failing step.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) -> Result {
    tidy::run(workspace, steps)?;
    behaviours::check(workspace, steps)?;
    toolchain::install(workspace, steps)?;
    let browser = browser::obtain(workspace, steps)?;
    lint::check_format(workspace, steps)?;
    vocab::pack(workspace, steps)?;
    steps.run_long("native tests", "1 to 2 minutes the first time", || {
        command::run(&mut workspace.cargo(["test", "--locked"]))?;
        // The parts of the browser's crate that do without a browser.
        command::run(&mut workspace.cargo(["test", "--locked", "--package=epitome-browser"]))
    })?;
    steps.run_long("wasm tests: page, worker, Node", "1 to 2 minutes the first time", || {
        run_wasm_tests(workspace, &browser)
    })?;
    artifacts::build(workspace, steps)?;
    node::install_in(workspace, steps, TOKENIZERS)?;
    for (name, script) in [("Node tests", "test:node"), ("end-to-end tests", "test:e2e")] {
        steps.run(name, || {
            let mut tests = workspace.npm(["run", script, "--workspace", "tests"]);
            tests.env("EPITOME_BROWSER", browser.binary());
            command::run(tests.env("EPITOME_SERVE", artifacts::demo_server(workspace)))
        })?;
    }
    Ok(())
}

fn run_wasm_tests(workspace: &Workspace, browser: &Browser) -> Result {
    // The address is compiled into the tests, so a port that changed would build them anew.
    let port = env::var("EPITOME_TEST_PORT").unwrap_or_else(|_| "18431".to_owned());
    let server = Server::start(workspace.command("node").args([SUMMARIZER, "--port", &port]))
        .map_err(|failure| {
            Failure::new(format!("{failure}; EPITOME_TEST_PORT=<number> chooses another port"))
        })?;
    let mut tests = workspace.cargo([
        "test",
        "--locked",
        // Examples in the documentation do not run in a browser.
        "--tests",
        "--target",
        WASM,
        "--package=epitome-browser",
        "--package=epitome-wasm",
    ]);
    tests.env("EPITOME_TEST_SERVER", server.address());
    webdriver::configure(&mut tests, workspace, browser)?;
    command::run(&mut tests)
}
