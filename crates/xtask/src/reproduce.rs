//! `cargo xtask reproduce`: the same commit gives the same npm package, byte for byte, wherever it is built.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Two places for a checkout. Their paths have different lengths, because a path in a file changes the offsets after it.
const PLACES: [&str; 2] = ["reproduce/one", "reproduce/in/another/place"];

/// Builds the commit that is checked out twice, in two folders with nothing built in them, and compares every file of the
/// two packages. Changes that are not committed are not built.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    let mut packages = Vec::new();
    for place in PLACES {
        let checkout = workspace.target(place);
        steps.run_long(&format!("build in {place}"), "3 to 6 minutes", || {
            build(workspace, &checkout)
        })?;
        packages.push(read(&checkout.join("packed"))?);
    }
    let [first, second] = packages.as_slice() else { return Ok(()) };
    let differing = differing(first, second);
    if !differing.is_empty() {
        let files = differing.join("\n  ");
        return Err(Failure::new(format!("these files differ between two builds:\n  {files}")));
    }
    let bytes: usize = first.values().map(Vec::len).sum();
    println!("\nthe same {bytes} bytes in {} files, twice", first.len());
    Ok(())
}

fn build(workspace: &Workspace, checkout: &Path) -> Result {
    let at = |error: std::io::Error| Failure::new(format!("{}: {error}", checkout.display()));
    if checkout.exists() {
        fs::remove_dir_all(checkout).map_err(at)?;
    }
    let mut clone = workspace.command("git");
    command::run(clone.args(["clone", "--quiet", "--no-hardlinks", "."]).arg(checkout))?;
    let mut package = workspace.cargo(["xtask", "package"]);
    // What this run of Cargo has set is about this checkout.
    package.current_dir(checkout).env("CARGO_TARGET_DIR", checkout.join("target"));
    command::run(package.env_remove("CARGO_MANIFEST_DIR"))?;
    let packed = checkout.join("packed");
    fs::create_dir_all(&packed).map_err(at)?;
    let mut pack = workspace.npm(["pack", "--ignore-scripts", "--silent", "--pack-destination"]);
    pack.arg(&packed).current_dir(checkout.join("crates/epitome-wasm/npm"));
    command::run(&mut pack)?;
    let archive = read(&packed)?;
    for name in archive.keys() {
        let mut unpack = workspace.command("tar");
        command::run(unpack.arg("-xzf").arg(packed.join(name)).arg("-C").arg(&packed))?;
    }
    Ok(())
}

/// Every file in `folder` by its path in it.
fn read(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let at = |error: std::io::Error| Failure::new(format!("{}: {error}", folder.display()));
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).map_err(at)? {
            let path = entry.map_err(at)?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
            files.insert(name, fs::read(&path).map_err(at)?);
        }
    }
    Ok(files)
}

/// The files that are not the same in both, each with the first byte that differs.
fn differing(
    first: &BTreeMap<PathBuf, Vec<u8>>,
    second: &BTreeMap<PathBuf, Vec<u8>>,
) -> Vec<String> {
    let mut names: Vec<&PathBuf> = first.keys().chain(second.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| match (first.get(name), second.get(name)) {
            (Some(one), Some(other)) if one == other => None,
            (Some(one), Some(other)) => {
                let at = one.iter().zip(other).position(|(one, other)| one != other);
                let at = at.unwrap_or(one.len().min(other.len()));
                Some(format!("{}, from byte {at} on", name.display()))
            }
            _ => Some(format!("{}, which is in one of them", name.display())),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_differ_are_named_with_their_first_difference() {
        let files = |some: &[(&str, &str)]| {
            some.iter()
                .map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()))
                .collect()
        };
        let first = files(&[("a", "same"), ("b", "one"), ("c", "")]);
        let second = files(&[("a", "same"), ("b", "once")]);
        assert_eq!(differing(&first, &first), Vec::<String>::new());
        assert_eq!(differing(&first, &second), ["b, from byte 2 on", "c, which is in one of them"]);
    }
}
