//! The software bill of materials of the npm package: every crate whose code is in its wasm modules, in CycloneDX.
//!
//! It is made of Cargo.lock and of the dependency trees of the modules, so the same commit gives the same bytes: it has
//! neither a time nor a random number.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use toml::Table;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::toolchain::WASM;
use crate::workspace::Workspace;

/// The file in the npm package, which is generated and not in git.
const FILE: &str = "crates/epitome-wasm/npm/sbom.cdx.json";

/// The crates whose modules are in the package.
const MODULES: [&str; 5] =
    ["epitome-count", "epitome-estimate", "epitome-recall", "epitome-tokenizer", "epitome-wasm"];

/// A crate of a dependency tree.
#[derive(Debug, PartialEq, Eq)]
struct Crate {
    version: String,
    license: String,
    /// Whether it is a part of this workspace, and has no checksum.
    is_ours: bool,
}

/// Writes the file. Takes a second.
pub(crate) fn write(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("software bill of materials", || {
        let mut crates = BTreeMap::new();
        for module in MODULES {
            // Macros run while the module is built, and are not in it.
            let mut tree = workspace.cargo(["tree", "--locked", "--prefix=none"]);
            tree.args(["--package", module, "--target", WASM, "--edges=normal,no-proc-macro"]);
            let text = command::quiet_output(tree.args(["--format", "{p}|{l}"]));
            let text =
                text.ok_or_else(|| Failure::new(format!("{} failed", command::line(&tree))))?;
            read_tree(&text, &mut crates);
        }
        let lock = fs::read_to_string(workspace.path("Cargo.lock"))
            .map_err(|error| Failure::new(format!("cannot read Cargo.lock: {error}")))?;
        let lock = lock.parse().map_err(|error| Failure::new(format!("Cargo.lock: {error}")))?;
        let compiler = command::quiet_output(workspace.command("rustc").arg("--version"));
        let compiler = compiler.ok_or_else(|| Failure::new("rustc cannot be run"))?;
        let version = compiler.split(' ').nth(1).unwrap_or_default();
        let text = format!("{:#}\n", document(&crates, &lock, version));
        fs::write(workspace.path(FILE), text)
            .map_err(|error| Failure::new(format!("cannot write {FILE}: {error}")))
    })
}

/// Adds the crates of a tree, whose lines are as `itoa v1.0.18|MIT OR Apache-2.0`.
fn read_tree(text: &str, crates: &mut BTreeMap<(String, String), Crate>) {
    for line in text.lines() {
        let (package, license) = line.split_once('|').unwrap_or((line, ""));
        let mut words = package.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let version = version.trim_start_matches('v').to_owned();
        // Packages of the workspace have their folder behind the version. `(*)` marks a repetition.
        let is_ours = words.next().is_some_and(|rest| rest.starts_with('(') && rest.len() > 4);
        let license = license.trim_end_matches(" (*)").replace('/', " OR ");
        let entry = Crate { version: version.clone(), license, is_ours };
        crates.entry((name.to_owned(), version)).or_insert(entry);
    }
}

fn document(crates: &BTreeMap<(String, String), Crate>, lock: &Table, compiler: &str) -> Value {
    let mut components: Vec<Value> =
        crates.iter().map(|((name, _), found)| component(name, found, lock)).collect();
    components.push(json!({
        "type": "library",
        "bom-ref": format!("rust-std@{compiler}"),
        "name": "rust-std",
        "version": compiler,
        "description": "The standard library of Rust, which is compiled into every module",
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": "epitome",
                "name": "epitome",
                "purl": format!("pkg:npm/epitome@{}", env!("CARGO_PKG_VERSION")),
                "version": env!("CARGO_PKG_VERSION"),
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
    })
}

fn component(name: &str, found: &Crate, lock: &Table) -> Value {
    let Crate { version, license, is_ours } = found;
    let mut component = json!({
        "type": "library",
        "bom-ref": format!("{name}@{version}"),
        "name": name,
        "version": version,
        "licenses": [{ "expression": license }],
    });
    let Some(fields) = component.as_object_mut() else { return component };
    if !is_ours {
        fields.insert("purl".into(), format!("pkg:cargo/{name}@{version}").into());
    }
    if let Some(checksum) = checksum(lock, name, version) {
        fields.insert("hashes".into(), json!([{ "alg": "SHA-256", "content": checksum }]));
    }
    component
}

fn checksum<'a>(lock: &'a Table, name: &str, version: &str) -> Option<&'a str> {
    let packages = lock.get("package")?.as_array()?;
    let field = |package: &'a toml::Value, key: &str| package.get(key)?.as_str();
    let package = packages.iter().find(|package| {
        field(package, "name") == Some(name) && field(package, "version") == Some(version)
    })?;
    field(package, "checksum")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_is_listed_once_with_its_licence_and_its_checksum() {
        let mut crates = BTreeMap::new();
        let tree = "epitome v0.1.0 (/a/b)|MIT OR Apache-2.0\nitoa v1.0.18|MIT/Apache-2.0\n\
                    itoa v1.0.18|MIT/Apache-2.0 (*)";
        read_tree(tree, &mut crates);
        let lock = "[[package]]\nname = 'itoa'\nversion = '1.0.18'\nchecksum = 'c0ffee'";
        let document = document(&crates, &lock.parse().unwrap(), "1.95.0");
        let components = document["components"].as_array().unwrap();
        let names: Vec<_> = components.iter().map(|one| one["bom-ref"].as_str().unwrap()).collect();
        assert_eq!(names, ["epitome@0.1.0", "itoa@1.0.18", "rust-std@1.95.0"]);
        assert_eq!(components[1]["hashes"][0]["content"], "c0ffee");
        assert_eq!(components[1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(components[0].get("purl"), None);
    }
}
