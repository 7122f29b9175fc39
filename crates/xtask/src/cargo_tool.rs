//! Tools that Cargo builds. They are kept in the cache folder, so that other checkouts need not build them again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A tool that `cargo install` builds.
#[derive(Debug)]
pub(crate) struct CargoTool {
    /// Name and version, which is also its folder in `tools/` of the cache.
    pub(crate) key: String,
    /// The arguments of `cargo install` that name it.
    pub(crate) source: Vec<String>,
    /// How long the build usually takes.
    pub(crate) usually: &'static str,
}

impl CargoTool {
    /// Builds the tool unless it is installed. An interrupted build installs nothing, and the next one continues it.
    pub(crate) fn install(&self, workspace: &Workspace, steps: &Steps) -> Result {
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
        // Two checkouts may build at the same time: the second waits, and finds the tool installed.
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

/// Installs the crate of this name, whose program has the same name, and returns the path of that program.
pub(crate) fn install(
    workspace: &Workspace,
    steps: &Steps,
    tool: &str,
    version: &str,
) -> Result<PathBuf> {
    let key = format!("{tool}-{version}");
    CargoTool {
        key: key.clone(),
        source: [tool, "--version", version].map(str::to_owned).into(),
        usually: "1 to 2 minutes, once",
    }
    .install(workspace, steps)?;
    Ok(workspace.cache(&format!("tools/{key}/bin/{tool}")))
}

fn at(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!(
        "{}: {error}; EPITOME_CACHE=<folder> keeps the tools elsewhere",
        path.display()
    ))
}
