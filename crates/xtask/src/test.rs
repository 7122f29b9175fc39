//! `cargo xtask test`: every check and every test, in the order in which they fail fastest.

use std::env;
use std::path::Path;

use crate::artifacts;
use crate::behaviours;
use crate::browser::{self, Browser};
use crate::command;
use crate::failure::{Failure, Result};
use crate::lint;
use crate::llm;
use crate::node;
use crate::record::{self, Record};
use crate::server::Server;
use crate::services;
use crate::size;
use crate::source_tree;
use crate::steps::Steps;
use crate::tidy;
use crate::toolchain::{self, WASM};
use crate::vocab;
use crate::webdriver;
use crate::workspace::Workspace;

const SUMMARIZER: &str = "tests/servers/summarizer.mjs";
/// Tokenizers of models, 290 MB. They have a separate lock file, so that other tasks do not install them.
const TOKENIZERS: &str = "tests/tokenizers";
/// Bundlers and runtimes that the packed package has to work with, 530 MB. They have a separate lock file too.
const PACKAGING: &str = "tests/packaging";

/// The crates without native tests: modules of wasm.
const ONLY_WASM: [&str; 4] =
    ["epitome-buffer", "epitome-count", "epitome-tokenizer", "epitome-wasm"];

/// Installs what is missing, browser included, and stops at the first failing step. The skipped tests are listed at
/// the end, whether or not a step failed.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) -> Result {
    let mut record = Record::default();
    let outcome = run_all(workspace, steps, &mut record);
    println!("\n{record}");
    outcome
}

fn run_all(workspace: &Workspace, steps: &mut Steps, record: &mut Record) -> Result {
    tidy::run(workspace, steps)?;
    behaviours::check(workspace, steps)?;
    toolchain::install(workspace, steps)?;
    let browser = browser::obtain(workspace, steps)?;
    services::obtain(workspace, steps);
    lint::check_format(workspace, steps)?;
    vocab::pack(workspace, steps)?;
    steps.run_long("native tests", "1 to 2 minutes the first time", || {
        run_native_tests(workspace, record)
    })?;
    steps.run_long("wasm tests: page, worker, Node", "1 to 2 minutes the first time", || {
        run_wasm_tests(workspace, &browser, record)
    })?;
    artifacts::build(workspace, steps)?;
    size::check(workspace, steps)?;
    node::install_in(workspace, steps, TOKENIZERS)?;
    llm::obtain(workspace, steps);
    node::install_in(workspace, steps, PACKAGING)?;
    let demo_server = artifacts::demo_server(workspace);
    let environment =
        [("EPITOME_BROWSER", browser.binary()), ("EPITOME_SERVE", demo_server.as_path())];
    steps.run("Node tests", || run_node_tests(workspace, &environment, record))?;
    steps.run("end-to-end tests", || record::run_playwright(workspace, &environment, record))?;
    behaviours::compare(workspace, steps, record)
}

fn run_native_tests(workspace: &Workspace, record: &mut Record) -> Result {
    let skipped = record::begin_skipped_file(workspace)?;
    // In one run, so that what most crates use is compiled once, with the features that any of them needs.
    let mut tests = workspace.cargo(["test", "--locked", "--workspace"]);
    tests.args(ONLY_WASM.map(|package| format!("--exclude={package}")));
    record::run_cargo_test(tests.env(record::SKIPPED_FILE, &skipped), record)?;
    record::read_skipped_file(&skipped, record)
}

fn run_wasm_tests(workspace: &Workspace, browser: &Browser, record: &mut Record) -> Result {
    // The address is compiled into the tests, so another port would compile them again.
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
    record::run_cargo_test(&mut tests, record)
}

fn run_node_tests(
    workspace: &Workspace,
    environment: &[(&str, &Path)],
    record: &mut Record,
) -> Result {
    // The tests use the conformance judges, which are TypeScript.
    let mut compile = workspace.command("node");
    compile.arg(workspace.path("node_modules/typescript/bin/tsc"));
    command::run(compile.arg("--project").arg(workspace.path("tests/conformance")))?;
    record::run_node_tests(workspace, &node_test_files(workspace)?, environment, record)
}

/// The files of Node tests, as paths from the folder `tests`.
fn node_test_files(workspace: &Workspace) -> Result<Vec<String>> {
    let files = source_tree::read(workspace, |path| path.to_string_lossy().ends_with(".test.mjs"))?;
    let names = files.iter().filter_map(|file| file.path.strip_prefix("tests").ok());
    Ok(names.map(|path| path.display().to_string()).collect())
}
