//! Tools that Cargo builds, kept in the cache folder so that the next checkout has them at once.

use std::fs;
use std::io;
use std::path::Path;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A tool as `cargo install` knows it.
#[derive(Debug)]
pub(crate) struct CargoTool {
    /// Name and version: its folder below `tools/` in the cache.
    pub(crate) key: String,
    /// What to give `cargo install` to name it.
    pub(crate) source: Vec<String>,
    /// How long it usually takes to build.
    pub(crate) usually: &'static str,
}

impl CargoTool {
    /// Builds the tool unless it is there. An interrupted build leaves no tool behind, and the next one
    /// goes on where it stopped.
    pub(crate) fn install(&self, workspace: &Workspace, steps: &mut Steps) -> Result {
        let home = workspace.cache(&format!("tools/{}", self.key));
        if home.exists() {
            return Ok(());
        }
        steps.run_long(&format!("install {}", self.key), self.usually, || {
            let build = workspace.cache(&format!("build/{}", self.key));
            self.build(workspace, &build, &home)
        })
    }

    fn build(&self, workspace: &Workspace, build: &Path, home: &Path) -> Result {
        let staged = build.join("root");
        fs::create_dir_all(build).map_err(|error| at(build, &error))?;
        // Two checkouts may get here at once: the second waits, and finds the work done.
        let lock_path = build.with_added_extension("lock");
        let lock = fs::File::create(&lock_path).map_err(|error| at(&lock_path, &error))?;
        lock.lock().map_err(|error| at(&lock_path, &error))?;
        if home.exists() {
            return Ok(());
        }
        // Unoptimized tools build in a fraction of the time and are fast enough for this workspace.
        let mut install = workspace.cargo(["install"]);
        install.args(&self.source).args(["--locked", "--debug", "--no-track", "--force"]);
        install.arg("--root").arg(&staged).arg("--target-dir").arg(build.join("target"));
        install.env("CARGO_PROFILE_DEV_DEBUG", "0");
        command::run(&mut install)?;
        if let Some(tools) = home.parent() {
            fs::create_dir_all(tools).map_err(|error| at(tools, &error))?;
        }
        fs::rename(&staged, home).map_err(|error| at(home, &error))?;
        fs::remove_dir_all(build).map_err(|error| at(build, &error))
    }
}

fn at(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!(
        "{}: {error}; EPITOME_CACHE=<folder> keeps the tools elsewhere",
        path.display()
    ))
}
