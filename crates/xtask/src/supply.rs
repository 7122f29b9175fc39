//! `cargo xtask supply`: what this workspace takes from others: licences, versions, sources, advisories, and that all of
//! it is used.

mod lock_file;

use std::path::PathBuf;

use crate::cargo_tool;
use crate::command;
use crate::failure::{Failure, Result};
use crate::node;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// The lock files of npm packages.
const NPM_LOCKS: [&str; 5] = [
    "package-lock.json",
    "bench/package-lock.json",
    "tests/llm/package-lock.json",
    "tests/tokenizers/package-lock.json",
    "tests/packaging/package-lock.json",
];

/// Installs what is missing, and fails at the first finding. Advisories are skipped, with a line that says so, where their
/// database cannot be reached.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    let pins = workspace.pins();
    let deny = cargo_tool::install(workspace, steps, "cargo-deny", &pins.cargo_deny)?;
    let machete = cargo_tool::install(workspace, steps, "cargo-machete", &pins.cargo_machete)?;
    node::check_version(workspace)?;
    node::install_packages(workspace, steps)?;
    steps.run("licences, versions and sources (deny.toml)", || {
        let mut check = workspace.command(&deny);
        command::run(check.args(["--locked", "check", "bans", "licenses", "sources"]))
    })?;
    steps.run("advisories", || check_advisories(workspace, &deny))?;
    steps.run("every dependency is used", || {
        command::run(workspace.command(&machete).arg("--skip-target-dir"))
    })?;
    steps.run("npm packages are those of the lock files", || {
        for lock in NPM_LOCKS {
            lock_file::check(workspace, lock)?;
        }
        match command::quiet_output(&mut workspace.npm(["ls", "--all"])) {
            Some(_) => Ok(()),
            None => command::run(&mut workspace.npm(["ls", "--all"])),
        }
    })
}

fn check_advisories(workspace: &Workspace, deny: &PathBuf) -> Result {
    let mut fetch = workspace.command(deny);
    // A network that answers nothing must not stop the check.
    fetch.env("GIT_TERMINAL_PROMPT", "0");
    fetch.env("GIT_HTTP_LOW_SPEED_LIMIT", "1000").env("GIT_HTTP_LOW_SPEED_TIME", "20");
    if command::quiet_output(fetch.args(["fetch", "db"])).is_none() {
        println!("    SKIPPED: the database of advisories cannot be reached from here");
        return Ok(());
    }
    let mut check = workspace.command(deny);
    command::run(check.args(["--locked", "check", "--disable-fetch", "advisories"])).map_err(
        |failure| Failure::new(format!("{failure}; `cargo update -p <crate>` repairs most")),
    )
}
