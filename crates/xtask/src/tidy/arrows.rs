//! The direction of dependencies between the crates of this workspace.

use std::fs;
use std::path::PathBuf;

use toml::{Table, Value};

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;

/// Each crate, and the crates of the workspace that it may depend on. Development dependencies are not checked.
const ARROWS: [(&str, &[&str]); 19] = [
    ("epitome", &["epitome-columns", "epitome-text"]),
    ("epitome-columns", &[]),
    ("epitome-text", &["epitome-columns"]),
    ("epitome-extractive", &["epitome", "epitome-columns", "epitome-text"]),
    ("epitome-buffer", &[]),
    ("epitome-tokens", &["epitome", "epitome-columns"]),
    ("epitome-formats", &["epitome", "epitome-columns", "epitome-text"]),
    ("epitome-count", &["epitome-buffer", "epitome-tokens"]),
    ("epitome-estimate", &["epitome-buffer", "epitome-tokens"]),
    ("epitome-tokenizer", &["epitome-buffer", "epitome-tokens"]),
    ("epitome-recall", &["epitome", "epitome-buffer", "epitome-text", "epitome-tokens"]),
    ("epitome-browser", &["epitome", "epitome-formats"]),
    (
        "epitome-wasm",
        &[
            "epitome",
            "epitome-buffer",
            "epitome-columns",
            "epitome-extractive",
            "epitome-tokens",
            "epitome-formats",
            "epitome-browser",
        ],
    ),
    (
        "epitome-web",
        &[
            "epitome",
            "epitome-extractive",
            "epitome-tokens",
            "epitome-formats",
            "epitome-browser",
            "epitome-recall",
        ],
    ),
    ("epitome-serve", &["epitome", "epitome-extractive", "epitome-tokens"]),
    ("epitome-tests", &["epitome", "epitome-extractive", "epitome-tokens", "epitome-formats"]),
    (
        "epitome-fuzz",
        &[
            "epitome",
            "epitome-extractive",
            "epitome-tokens",
            "epitome-formats",
            "epitome-browser",
            "epitome-tests",
        ],
    ),
    (
        "epitome-fidelity",
        &[
            "epitome",
            "epitome-extractive",
            "epitome-tokens",
            "epitome-formats",
            "epitome-recall",
            "epitome-tests",
        ],
    ),
    ("xtask", &[]),
];

/// One finding for each dependency that is not allowed, and for each crate that is not in the list.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for path in manifests(workspace)? {
        let name = path.strip_prefix(workspace.root()).unwrap_or(&path).display().to_string();
        let manifest: Table = fs::read_to_string(&path)
            .map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?
            .parse()
            .map_err(|error| Failure::new(format!("{name}: {error}")))?;
        findings.extend(complaints(&manifest).iter().map(|text| format!("{name}: {text}")));
    }
    Ok(findings)
}

fn manifests(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let crates = workspace.path("crates");
    let entries = fs::read_dir(&crates)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", crates.display())))?;
    let mut folders: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    folders.extend(["bench/fidelity", "fuzz", "tests", "web"].map(|folder| workspace.path(folder)));
    folders.sort();
    Ok(folders
        .into_iter()
        .map(|folder| folder.join("Cargo.toml"))
        .filter(|manifest| manifest.exists())
        .collect())
}

fn complaints(manifest: &Table) -> Vec<String> {
    let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
    let name = name.unwrap_or_default();
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!(
            "`{name}` is missing in the list of crates in crates/xtask/src/tidy/arrows.rs"
        )];
    };
    dependencies(manifest)
        .into_iter()
        .filter(|dependency| ARROWS.iter().any(|(ours, _)| ours == dependency))
        .filter(|dependency| !allowed.contains(&dependency.as_str()))
        .map(|dependency| format!("`{name}` must not depend on `{dependency}`"))
        .collect()
}

/// The dependencies of a package, for any target.
fn dependencies(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(targets)
        .flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")])
        .flatten()
        .filter_map(Value::as_table)
        .flat_map(Table::keys)
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifest: &str, expected: &[&str]) {
        assert_eq!(complaints(&manifest.parse().unwrap()), expected, "{manifest}");
    }

    #[test]
    fn a_dependency_in_the_wrong_direction_is_refused() {
        check(
            "package.name = 'epitome'\n[dependencies]\nserde = '1'\nepitome-tokens = '1'",
            &["`epitome` must not depend on `epitome-tokens`"],
        );
        check("package.name = 'epitome-tokens'\n[dependencies]\nepitome = '1'", &[]);
    }

    #[test]
    fn a_dependency_for_one_target_counts_and_one_for_tests_does_not() {
        check(
            "package.name = 'epitome'\n[target.'cfg(unix)'.dependencies]\nepitome-web = '1'",
            &["`epitome` must not depend on `epitome-web`"],
        );
        check("package.name = 'epitome'\n[dev-dependencies]\nepitome-web = '1'", &[]);
    }

    #[test]
    fn a_new_crate_has_to_be_listed() {
        check(
            "package.name = 'epitome-new'",
            &["`epitome-new` is missing in the list of crates in crates/xtask/src/tidy/arrows.rs"],
        );
    }
}
