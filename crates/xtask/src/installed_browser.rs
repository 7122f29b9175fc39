//! The browsers installed on this machine, and their versions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;

/// Which driver controls a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrowserKind {
    /// Chromium, Chrome and every other browser that chromedriver controls.
    Chrome,
    /// Microsoft Edge.
    Edge,
}

/// A browser that runs.
#[derive(Debug)]
pub(crate) struct InstalledBrowser {
    /// Which driver controls it.
    pub(crate) kind: BrowserKind,
    /// The program.
    pub(crate) binary: PathBuf,
    /// Major version; its driver must have the same one.
    pub(crate) major: u32,
}

impl InstalledBrowser {
    /// The browser at `binary`; `None` if it does not print a version.
    pub(crate) fn at(binary: &Path) -> Option<Self> {
        let is_edge = binary
            .file_stem()
            .is_some_and(|name| name.to_string_lossy().to_lowercase().contains("edge"));
        let kind = if is_edge { BrowserKind::Edge } else { BrowserKind::Chrome };
        // On Windows, `--version` opens a window.
        let major = if cfg!(windows) { folder_major(binary) } else { printed_major(binary) };
        Some(Self { kind, binary: binary.to_path_buf(), major: major? })
    }
}

/// Every browser of `kind` on this machine, the most common one first.
pub(crate) fn find_all(kind: BrowserKind) -> Vec<InstalledBrowser> {
    let (commands, mac_names, windows_path): (&[&str], &[&str], &str) = match kind {
        BrowserKind::Chrome => (
            &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"],
            &["Google Chrome", "Chromium"],
            r"Google\Chrome\Application\chrome.exe",
        ),
        BrowserKind::Edge => (
            &["microsoft-edge", "microsoft-edge-stable", "msedge"],
            &["Microsoft Edge"],
            r"Microsoft\Edge\Application\msedge.exe",
        ),
    };
    let mut places: Vec<PathBuf> = commands.iter().flat_map(|name| on_path(name)).collect();
    if cfg!(target_os = "macos") {
        let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        for applications in [PathBuf::from("/Applications"), home.join("Applications")] {
            places.extend(mac_names.iter().map(|name| {
                applications.join(format!("{name}.app")).join("Contents/MacOS").join(name)
            }));
        }
    }
    if cfg!(windows) {
        let folders = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];
        places.extend(
            folders
                .iter()
                .filter_map(env::var_os)
                .map(|folder| PathBuf::from(folder).join(windows_path)),
        );
    }
    places
        .iter()
        .filter(|place| place.exists())
        .filter_map(|place| InstalledBrowser::at(place))
        .filter(|browser| browser.kind == kind)
        .collect()
}

/// The programs called `name` on PATH.
pub(crate) fn on_path(name: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let folders: Vec<PathBuf> =
        env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    folders.into_iter().map(move |folder| folder.join(&file)).filter(|place| place.exists())
}

/// The major version that `program --version` prints.
pub(crate) fn printed_major(program: &Path) -> Option<u32> {
    major(&command::quiet_output(Command::new(program).arg("--version"))?)
}

/// The 156 of `Chromium 156.0.8078.79 built on Debian`.
fn major(printed: &str) -> Option<u32> {
    let version = printed.split_whitespace().find(|word| word.starts_with(char::is_numeric))?;
    version.split('.').next()?.parse().ok()
}

/// The highest version among the folders next to `binary`, as Chrome and Edge have them on Windows.
fn folder_major(binary: &Path) -> Option<u32> {
    let entries = fs::read_dir(binary.parent()?).ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.contains('.')).filter_map(|name| major(&name)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_the_output_of_browsers_and_drivers() {
        let cases = [
            ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12", Some(156)),
            ("ChromeDriver 156.0.8078.79 (0a1b2c3d-refs/heads/main@{#1})", Some(156)),
            ("Google Chrome 131.0.6778.85", Some(131)),
            ("Microsoft Edge 120.0.2210.91", Some(120)),
            ("command not found", None),
        ];
        for (printed, expected) in cases {
            assert_eq!(major(printed), expected, "{printed}");
        }
    }
}
