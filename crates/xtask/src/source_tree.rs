//! The files of this workspace that are written by hand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Where hand-written source is.
const FOLDERS: [&str; 5] = ["crates", "web", "www", "tests", "bench"];
/// What is written by tools, and never looked at.
const GENERATED: [&str; 4] = ["target", "node_modules", "dist", "out"];

/// A file and what is in it.
#[derive(Debug)]
pub(crate) struct Source {
    /// Where it is, below the root.
    pub(crate) path: PathBuf,
    /// All of its text.
    pub(crate) text: String,
}

/// Reads every file that is `wanted`, ordered by path. Asks the file system, not git, so that it works in an
/// unpacked archive too.
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
