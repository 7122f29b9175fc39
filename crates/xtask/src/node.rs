//! Node and the npm packages of this workspace.

use std::fs;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A copy of the package-lock.json from which node_modules was installed.
const INSTALLED_LOCK: &str = "node_modules/.epitome-installed-lock.json";

/// Fails unless Node is installed and recent enough.
pub(crate) fn check_version(workspace: &Workspace) -> Result {
    let wanted = workspace.pins().node;
    let advice = format!("install Node {wanted} or later with npm, from your system or nodejs.org");
    let version = command::quiet_output(workspace.command("node").arg("--version"))
        .ok_or_else(|| Failure::new(format!("Node is not on PATH; {advice}")))?;
    match major(&version) {
        Some(major) if major >= wanted => Ok(()),
        _ => Err(Failure::new(format!("Node is {version}, too old; {advice}"))),
    }
}

/// The 20 of `v20.20.2`.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Installs the packages of the workspace's package-lock.json, unless exactly these are installed.
pub(crate) fn install_packages(workspace: &Workspace, steps: &Steps) -> Result {
    install_in(workspace, steps, ".")
}

/// Installs the packages that the pages are built from, unless they are installed. Those of the tests, of which one is compiled, are
/// not among them.
pub(crate) fn install_packages_of_pages(workspace: &Workspace, steps: &Steps) -> Result {
    install(workspace, steps, ".", &PAGES)
}

/// Installs the packages of the package-lock.json in `folder`, unless exactly these are installed there.
pub(crate) fn install_in(workspace: &Workspace, steps: &Steps, folder: &str) -> Result {
    install(workspace, steps, folder, &[])
}

/// The workspaces of npm that the pages are built from.
const PAGES: [&str; 3] = ["crates/epitome-wasm/npm", "web", "www"];

/// Installs the packages of these workspaces, or of all if none is named.
fn install(workspace: &Workspace, steps: &Steps, folder: &str, workspaces: &[&str]) -> Result {
    let place = workspace.path(folder);
    let lock_path = place.join("package-lock.json");
    let lock = fs::read(&lock_path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", lock_path.display())))?;
    let stamp = place.join(INSTALLED_LOCK);
    let mut written = lock.clone();
    written.extend(workspaces.concat().bytes());
    if fs::read(&stamp).is_ok_and(|installed| installed == lock || installed == written) {
        return Ok(());
    }
    let name = if folder == "." { "npm ci".to_owned() } else { format!("npm ci in {folder}") };
    steps.run_long(&name, "10 to 30 seconds", || {
        let mut install = workspace.npm(["ci", "--no-audit", "--no-fund"]);
        for name in workspaces {
            install.args(["--include-workspace-root", "--workspace", name]);
        }
        command::run(install.current_dir(&place))?;
        fs::write(&stamp, &written)
            .map_err(|error| Failure::new(format!("cannot write {INSTALLED_LOCK}: {error}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_the_output_of_node() {
        for (printed, expected) in [("v20.20.2", Some(20)), ("v8.0.0", Some(8)), ("20", None)] {
            assert_eq!(major(printed), expected, "{printed}");
        }
    }
}
