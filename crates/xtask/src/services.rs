//! The servers that tests of stores and jobs start for themselves: Redis and PostgreSQL.

use std::path::{Path, PathBuf};

use crate::debian;
use crate::installed_browser::on_path;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A server and the package of Debian that has it.
struct Service {
    program: &'static str,
    package: &'static str,
    /// Where Debian has a folder for each version, if it is not on PATH.
    versions: Option<&'static str>,
}

const SERVICES: [Service; 2] = [
    Service { program: "redis-server", package: "redis-server", versions: None },
    Service { program: "initdb", package: "postgresql", versions: Some("/usr/lib/postgresql") },
];

/// Installs those that are missing, where that is possible. Without one, its tests are skipped by name.
pub(crate) fn obtain(workspace: &Workspace, steps: &mut Steps) {
    let missing: Vec<&str> = SERVICES
        .iter()
        .filter(|service| !service.is_there())
        .map(|service| service.package)
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

impl Service {
    fn is_there(&self) -> bool {
        on_path(self.program).next().is_some()
            || self.versions.is_some_and(|folder| has_version(Path::new(folder), self.program))
    }
}

/// True if a folder has a folder of a version with this program.
fn has_version(folder: &Path, program: &str) -> bool {
    let versions = std::fs::read_dir(folder).into_iter().flatten();
    let programs =
        versions.filter_map(|version| Some(version.ok()?.path().join("bin").join(program)));
    programs.into_iter().any(|path: PathBuf| path.exists())
}
