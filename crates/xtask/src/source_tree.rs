//! The source files of this workspace that people write.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

fn collect(
    folder: &Path,
    wanted: impl Fn(&Path) -> bool + Copy,
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || GENERATED.contains(&name.as_ref()) {
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
