//! `cargo xtask mutants`: whether the tests notice if the code does something else.
//!
//! A mutant is the code with one small change, such as `<` in place of `<=`. It is built and tested; if all tests pass, either a
//! test is missing, or nobody can see the difference.

use crate::arguments::MutantsOptions;
use crate::cargo_tool;
use crate::command;
use crate::failure::Result;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// The crates whose code decides what a model gets.
const PACKAGES: [&str; 4] = ["epitome", "epitome-extractive", "epitome-formats", "epitome-text"];
/// The crates whose tests are run. Many rules of the formats are tested across crates.
const TESTED: &str =
    "--test-package=epitome,epitome-extractive,epitome-formats,epitome-text,epitome-tests";
/// The share of random cases that are tried: a mutant is found by few of them, or by none.
const RANDOM_TIMES: (&str, &str) = ("EPITOME_RANDOM_TIMES", "0.05");

/// Tests the mutants of these files, or of all; of them, those of the shard. Lists the ones that no test has noticed, in
/// `target/mutants/mutants.out` too, and fails if there are any.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, options: &MutantsOptions) -> Result {
    let version = &workspace.pins().cargo_mutants;
    let mutants = cargo_tool::install(workspace, steps, "cargo-mutants", version)?;
    steps.run_long("mutants", "1 minute for each", || {
        let mut test = workspace.command(&mutants);
        test.arg("mutants").arg("--output").arg(workspace.target("mutants"));
        test.args(PACKAGES.map(|package| format!("--package={package}"))).arg(TESTED);
        test.args(options.files.iter().map(|file| format!("--file={file}")));
        test.args(options.shard.iter().map(|shard| format!("--shard={shard}")));
        // Each shard then has mutants of every file, and is a sample of all.
        test.arg("--sharding=round-robin");
        test.env(RANDOM_TIMES.0, RANDOM_TIMES.1);
        command::run(test.args(["--profile=mutants", "--no-shuffle", "--minimum-test-timeout=120"]))
    })
}
