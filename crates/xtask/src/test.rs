//! `cargo xtask test`: every check and every test, in the order in which they fail fastest.

use std::env;
use std::path::Path;

use crate::artifacts;
use crate::behaviours;
use crate::browser::{self, Browser};
use crate::command;
use crate::effort::Effort;
use crate::failure::{Failure, Result};
use crate::lint;
use crate::llm;
use crate::node;
use crate::programs;
use crate::record::{self, Record};
use crate::server::Server;
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
const ONLY_WASM: [&str; 5] =
    ["epitome-buffer", "epitome-count", "epitome-estimate", "epitome-tokenizer", "epitome-wasm"];

/// Installs what is missing, browser included, and stops at the first failing step. The skipped tests are listed at
/// the end, whether or not a step failed.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    let mut record = Record::default();
    let outcome = run_all(workspace, steps, &mut record);
    println!("\n{record}");
    outcome
}

fn run_all(workspace: &Workspace, steps: &Steps, record: &mut Record) -> Result {
    tidy::run(workspace, steps)?;
    behaviours::check(workspace, steps)?;
    toolchain::install(workspace, steps)?;
    let browser = browser::obtain(workspace, steps)?;
    programs::obtain(workspace, steps);
    let geckodriver = programs::geckodriver(workspace, steps);
    lint::check_format(workspace, steps)?;
    vocab::pack(workspace, steps)?;
    steps.run_long("native tests", "1 to 2 minutes the first time", || {
        run_native_tests(workspace, record)
    })?;
    steps.run_long("wasm tests: page, worker, Node", "1 to 2 minutes the first time", || {
        run_wasm_tests(workspace, &browser, geckodriver.as_deref(), record)
    })?;
    artifacts::build(workspace, steps, Effort::Shipped)?;
    size::check(workspace, steps)?;
    node::install_in(workspace, steps, TOKENIZERS)?;
    llm::obtain(workspace, steps);
    node::install_in(workspace, steps, PACKAGING)?;
    let demo_server = artifacts::demo_server(workspace, Effort::Shipped);
    let mut environment = vec![
        ("EPITOME_BROWSER", browser.binary()),
        ("EPITOME_CHROMEDRIVER", browser.driver()),
        ("EPITOME_SERVE", demo_server.as_path()),
    ];
    environment.extend(geckodriver.as_deref().map(|driver| ("EPITOME_GECKODRIVER", driver)));
    // Playwright runs TypeScript without a look at its types.
    steps.run("types of the browser tests", || compile_typescript(workspace, "tests"))?;
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

/// In Chromium and Node, and in Firefox and WebKit where these are there.
fn run_wasm_tests(
    workspace: &Workspace,
    browser: &Browser,
    geckodriver: Option<&Path>,
    record: &mut Record,
) -> Result {
    // The address is compiled into the tests, so another port would compile them again.
    let port = env::var("EPITOME_TEST_PORT").unwrap_or_else(|_| "18431".to_owned());
    let server = Server::start(workspace.command("node").args([SUMMARIZER, "--port", &port]))
        .map_err(|failure| {
            Failure::new(format!("{failure}; EPITOME_TEST_PORT=<number> chooses another port"))
        })?;
    let tests = |places: &[&str]| {
        let mut tests = workspace.cargo(["test", "--locked", "--target", WASM]);
        tests.args(["--package=epitome-browser", "--package=epitome-wasm"]).args(places);
        tests.env("EPITOME_TEST_SERVER", server.address());
        tests
    };
    // Examples in the documentation do not run in a browser.
    let mut in_chromium = tests(&["--tests"]);
    webdriver::configure(&mut in_chromium, workspace, browser)?;
    record::run_cargo_test(&mut in_chromium, record)?;
    let in_browsers = ["--test=browser", "--test=worker"];
    match geckodriver {
        Some(driver) => {
            println!("in Firefox:");
            let mut in_firefox = tests(&in_browsers);
            webdriver::configure_firefox(&mut in_firefox, workspace, driver)?;
            record::run_cargo_test(&mut in_firefox, record)?;
        }
        None => record.skip("wasm tests in Firefox", "firefox-esr or its driver is not there"),
    }
    match webdriver::webkit_screen(workspace)? {
        Some(screen) => {
            println!("in WebKit:");
            let mut in_webkit = tests(&in_browsers);
            webdriver::configure_webkit(&mut in_webkit, workspace, &screen)?;
            record::run_cargo_test(&mut in_webkit, record)
        }
        None => {
            record.skip("wasm tests in WebKit", "WebKitWebDriver or Xvfb is not there");
            Ok(())
        }
    }
}

fn run_node_tests(
    workspace: &Workspace,
    environment: &[(&str, &Path)],
    record: &mut Record,
) -> Result {
    // The tests use the conformance judges, which are TypeScript.
    compile_typescript(workspace, "tests/conformance")?;
    record::run_node_tests(workspace, &node_test_files(workspace)?, environment, record)
}

/// Compiles the project of a folder, or only checks it, as its `tsconfig.json` says.
fn compile_typescript(workspace: &Workspace, folder: &str) -> Result {
    let mut compile = workspace.command("node");
    compile.arg(workspace.path("node_modules/typescript/bin/tsc"));
    command::run(compile.arg("--project").arg(workspace.path(folder)))
}

/// The files of Node tests, as paths from the folder `tests`.
fn node_test_files(workspace: &Workspace) -> Result<Vec<String>> {
    let files = source_tree::read(workspace, |path| path.to_string_lossy().ends_with(".test.mjs"))?;
    let names = files.iter().filter_map(|file| file.path.strip_prefix("tests").ok());
    Ok(names.map(|path| path.display().to_string()).collect())
}
