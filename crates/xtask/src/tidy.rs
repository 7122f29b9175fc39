//! `cargo xtask tidy`: the conventions of the source tree that no other tool checks.

mod arrows;
mod source_file;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Where hand-written source is.
const FOLDERS: [&str; 4] = ["crates", "web", "www", "tests"];
/// What is written by tools, and never checked.
const GENERATED: [&str; 4] = ["target", "node_modules", "dist", "out"];

/// Lists every file that breaks a convention and every dependency that runs the wrong way.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) -> Result {
    steps.run("tidy", || {
        let mut findings = arrows::check(workspace)?;
        let mut files = Vec::new();
        for folder in FOLDERS {
            collect(&workspace.path(folder), &mut files).map_err(|error| {
                Failure::new(format!("cannot read the files in {folder}: {error}"))
            })?;
        }
        files.sort();
        for file in files {
            let name = file.strip_prefix(workspace.root()).unwrap_or(&file);
            let text = fs::read_to_string(&file).map_err(|error| {
                Failure::new(format!("cannot read {}: {error}", name.display()))
            })?;
            let complaints = source_file::complaints(name, &text);
            findings.extend(complaints.iter().map(|text| format!("{}: {text}", name.display())));
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("put these right:\n  {}", findings.join("\n  "))))
    })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || GENERATED.contains(&name.as_ref()) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files)?;
        } else if source_file::is_source(&path) {
            files.push(path);
        }
    }
    Ok(())
}
