//! Packages of the distribution, on Debian and systems based on it.

use std::path::Path;

use crate::command;
use crate::failure::Result;
use crate::workspace::Workspace;

/// True if packages can be installed: on Debian, as root.
pub(crate) fn can_install(workspace: &Workspace) -> bool {
    Path::new("/etc/debian_version").exists()
        && command::quiet_output(workspace.command("id").arg("-u")).as_deref() == Some("0")
}

/// Installs packages.
pub(crate) fn install(workspace: &Workspace, packages: &[&str]) -> Result {
    let apt = |arguments: &[&str]| {
        let mut apt = workspace.command("apt-get");
        command::run(apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())
}
