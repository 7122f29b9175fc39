//! `cargo xtask tidy`: the conventions of the source tree that no other tool checks.

mod arrows;
mod imports;
mod layers;
mod source_file;
mod vocabulary;

use crate::failure::{Failure, Result};
use crate::source_tree;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Lists every file that breaks a convention and every dependency that runs the wrong way.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) -> Result {
    steps.run("tidy", || {
        let mut findings = arrows::check(workspace)?;
        findings.extend(layers::check(workspace)?);
        findings.extend(vocabulary::check(workspace)?);
        for source in source_tree::read(workspace, source_file::is_source)? {
            let name = source.path.display();
            let complaints = source_file::complaints(&source.path, &source.text);
            findings.extend(complaints.iter().map(|text| format!("{name}: {text}")));
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("put these right:\n  {}", findings.join("\n  "))))
    })
}
