//! Shortens the paths of source files in compiled modules. The compiler writes such a path wherever a check may fail. Without
//! this module, the output would contain paths of the build machine and differ from one machine to another.

use std::env;
use std::fs;
use std::path::PathBuf;

use crate::command;
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Replaces the folder in which Cargo keeps the sources of crates.
const SHORT: &str = "registry";

/// The compiler's flags that make the paths of crates relative. The paths of this workspace are relative already.
pub(crate) fn flags(workspace: &Workspace) -> Result<Vec<String>> {
    // The folders exist only after the crates were fetched.
    command::run(&mut workspace.cargo(["fetch", "--locked", "--quiet"]))?;
    let sources = cargo_home()?.join("registry/src");
    let entries = fs::read_dir(&sources)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", sources.display())))?;
    let mut folders: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    folders.sort();
    let flag = |folder: &PathBuf| format!("--remap-path-prefix={}={SHORT}", folder.display());
    Ok(folders.iter().map(flag).collect())
}

/// `CARGO_HOME`, or Cargo's default folder.
fn cargo_home() -> Result<PathBuf> {
    let given = env::var_os("CARGO_HOME").map(PathBuf::from);
    given
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .ok_or_else(|| Failure::new("there is no home folder; set CARGO_HOME"))
}
