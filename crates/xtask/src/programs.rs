//! What tests start for themselves: the servers of stores and jobs, and the browsers beside Chromium.

use std::path::{Path, PathBuf};

use crate::cargo_tool;
use crate::debian;
use crate::installed_browser::on_path;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A program and the package of Debian that has it.
struct Program {
    name: &'static str,
    package: &'static str,
    /// Where Debian has a folder for each version, if it is not on PATH.
    versions: Option<&'static str>,
}

const PROGRAMS: [Program; 5] = [
    Program { name: "redis-server", package: "redis-server", versions: None },
    Program { name: "initdb", package: "postgresql", versions: Some("/usr/lib/postgresql") },
    Program { name: "firefox-esr", package: "firefox-esr", versions: None },
    Program { name: "WebKitWebDriver", package: "webkit2gtk-driver", versions: None },
    // The screen of WebKit, which has no mode without one.
    Program { name: "Xvfb", package: "xvfb", versions: None },
];

/// Installs those that are missing, where that is possible. Without one, its tests are skipped by name.
pub(crate) fn obtain(workspace: &Workspace, steps: &Steps) {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|program| !program.is_there())
        .map(|program| program.package)
        .collect();
    if missing.is_empty() || !debian::can_install(workspace) {
        return;
    }
    let title = format!("install {}", missing.join(" and "));
    let installed =
        steps.run_long(&title, "1 minute, once", || debian::install(workspace, &missing));
    if let Err(failure) = installed {
        println!("tests that need {} are skipped: {failure}", missing.join(" or "));
    }
}

/// The driver of Firefox, which no package of Debian has: on PATH, or built. Without Firefox there is none.
pub(crate) fn geckodriver(workspace: &Workspace, steps: &Steps) -> Option<PathBuf> {
    on_path("firefox-esr").next()?;
    if let Some(installed) = on_path("geckodriver").next() {
        return Some(installed);
    }
    let version = &workspace.pins().geckodriver;
    let built = cargo_tool::install(workspace, steps, "geckodriver", version);
    built.inspect_err(|failure| println!("tests in Firefox are skipped: {failure}")).ok()
}

impl Program {
    fn is_there(&self) -> bool {
        on_path(self.name).next().is_some()
            || self.versions.is_some_and(|folder| has_version(Path::new(folder), self.name))
    }
}

/// True if a folder has a folder of a version with this program.
fn has_version(folder: &Path, program: &str) -> bool {
    let versions = std::fs::read_dir(folder).into_iter().flatten();
    let programs =
        versions.filter_map(|version| Some(version.ok()?.path().join("bin").join(program)));
    programs.into_iter().any(|path: PathBuf| path.exists())
}
