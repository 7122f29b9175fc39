//! The source files of this workspace that people write.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// The folders with source files.
const FOLDERS: [&str; 5] = ["crates", "web", "www", "tests", "bench"];
/// Folders that tools write; they are skipped.
const GENERATED: [&str; 4] = ["target", "node_modules", "dist", "out"];

/// A file with its text.
#[derive(Debug)]
pub(crate) struct Source {
    /// The path from the root of the workspace.
    pub(crate) path: PathBuf,
    /// The whole text.
    pub(crate) text: String,
}

/// Reads every file that is `wanted`, in the order of their paths. Reads the folders and does not ask git, so that it works
/// in an unpacked archive too.
pub(crate) fn read(
    workspace: &Workspace,
    wanted: impl Fn(&Path) -> bool + Copy,
) -> Result<Vec<Source>> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&workspace.path(folder), wanted, &mut files)
            .map_err(|error| Failure::new(format!("cannot read the files in {folder}: {error}")))?;
    }
    files.sort();
    let sources = files.into_iter().map(|file| {
        let path = file.strip_prefix(workspace.root()).unwrap_or(&file).to_path_buf();
        let text = fs::read_to_string(&file)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
        Ok(Source { path, text })
    });
    sources.collect()
}

/// What products are built from: folders, and files of the root.
const INPUTS: [&str; 9] = [
    "crates",
    "web",
    "www",
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "rust-toolchain.toml",
    ".cargo/config.toml",
];

/// When anything was changed last that products are built from.
pub(crate) fn last_change(workspace: &Workspace) -> io::Result<SystemTime> {
    let changes = INPUTS.iter().map(|input| changed(&workspace.path(input)));
    changes.collect::<io::Result<Vec<_>>>()?.into_iter().max().ok_or(io::ErrorKind::NotFound.into())
}

/// When this file, or something in this folder, was changed last. A folder changes if a file in it is created or removed.
fn changed(path: &Path) -> io::Result<SystemTime> {
    let about = fs::metadata(path)?;
    let mut latest = about.modified()?;
    if about.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if !is_generated(&entry.file_name().to_string_lossy()) {
                latest = latest.max(changed(&entry.path())?);
            }
        }
    }
    Ok(latest)
}

/// Whether tools write the file or folder of this name.
fn is_generated(name: &str) -> bool {
    name.starts_with('.') || GENERATED.contains(&name)
}

fn collect(
    folder: &Path,
    wanted: impl Fn(&Path) -> bool + Copy,
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_generated(&name) {
            continue;
        }
        if path.is_dir() {
            collect(&path, wanted, files)?;
        } else if wanted(&path) {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_anywhere_in_a_folder_is_seen_but_not_in_what_tools_write() {
        let folder = std::env::temp_dir().join(format!("epitome-changed-{}", std::process::id()));
        let source = folder.join("src/deep");
        fs::create_dir_all(&source).unwrap();
        fs::create_dir_all(folder.join("target")).unwrap();
        let later = |seconds| SystemTime::now() + std::time::Duration::from_secs(seconds);
        let write = |path: &Path, at| {
            fs::File::create(path).unwrap().set_modified(at).unwrap();
        };
        let (one, other) = (later(100), later(200));
        write(&source.join("a.rs"), one);
        write(&folder.join("target/b.wasm"), other);
        assert_eq!(changed(&folder).unwrap(), one);
        write(&folder.join("c.toml"), other);
        assert_eq!(changed(&folder).unwrap(), other);
        fs::remove_dir_all(&folder).unwrap();
    }
}
