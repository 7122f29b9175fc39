//! The paths of source files in compiled modules. The compiler writes them where a check may fail, so that without care a
//! module contains paths of the machine that built it, and has other bytes on each machine.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::command;
use crate::failure::{Failure, Result};
use crate::toolchain::WASM;
use crate::workspace::Workspace;

/// What is in a module instead of the folder in which Cargo keeps the sources of crates.
const SHORT: &str = "registry";

/// A setting for `cargo --config`: the flags that make the paths of crates relative. Those of this workspace are already.
pub(crate) fn flags(workspace: &Workspace) -> Result<String> {
    // The folders exist only once the crates are there.
    command::run(&mut workspace.cargo(["fetch", "--locked", "--quiet"]))?;
    let sources = cargo_home()?.join("registry/src");
    let entries = fs::read_dir(&sources)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", sources.display())))?;
    let mut folders: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    folders.sort();
    let flags = folders
        .iter()
        .map(|folder| format!("'--remap-path-prefix={}={SHORT}'", folder.display()))
        .collect::<Vec<_>>();
    // Cargo joins them with the flags of `.cargo/config.toml`.
    Ok(format!("target.{WASM}.rustflags=[{}]", flags.join(",")))
}

/// `CARGO_HOME`, or its usual place.
fn cargo_home() -> Result<PathBuf> {
    let given = env::var_os("CARGO_HOME").map(PathBuf::from);
    given
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .ok_or_else(|| Failure::new("there is no home folder; set CARGO_HOME"))
}
