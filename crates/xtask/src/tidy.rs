//! `cargo xtask tidy`: checks the conventions of the source tree that no other tool checks.

mod arrows;
mod catalogs;
mod imports;
mod layers;
mod source_file;
mod texts;
mod vocabulary;

use crate::failure::{Failure, Result};
use crate::source_tree;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Lists every file that breaks a convention, every dependency in the wrong direction, every public name with a
/// replaced word, and every text of the page that a catalog of translations lacks or has in vain.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("tidy", || {
        let mut findings = arrows::check(workspace)?;
        findings.extend(layers::check(workspace)?);
        findings.extend(vocabulary::check(workspace)?);
        findings.extend(catalogs::check(workspace)?);
        for source in source_tree::read(workspace, source_file::is_source)? {
            let name = source.path.display();
            let complaints = source_file::complaints(&source.path, &source.text);
            findings.extend(complaints.iter().map(|text| format!("{name}: {text}")));
        }
        if findings.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("correct these:\n  {}", findings.join("\n  "))))
    })
}
