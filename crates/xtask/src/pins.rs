//! The pinned versions of the tools, from `[workspace.metadata.tools]`.

use std::fs;
use std::path::Path;

use toml::Table;

use crate::failure::{Failure, Result};

/// The table that has the versions.
pub(crate) const TABLE: &str = "Cargo.toml [workspace.metadata.tools]";

/// One version for each tool that is not Rust itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pins {
    /// The command-line tool of wasm-bindgen, which must have the version of the crate.
    pub(crate) wasm_bindgen: String,
    /// Makes two files of a module, of which the second is fetched later.
    pub(crate) wasm_split: String,
    /// The npm package that contains wasm-opt.
    pub(crate) binaryen: String,
    /// The npm package that downloads a browser if none is installed.
    pub(crate) puppeteer_browsers: String,
    /// Checks licences, versions and sources of crates.
    pub(crate) cargo_deny: String,
    /// Finds dependencies that are not used.
    pub(crate) cargo_machete: String,
    /// Changes the code in small ways, to see whether a test notices.
    pub(crate) cargo_mutants: String,
    /// The driver of Firefox.
    pub(crate) geckodriver: String,
    /// The lowest major version of Node that is supported.
    pub(crate) node: u32,
}

impl Pins {
    /// Reads the versions from the Cargo.toml in `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("Cargo.toml");
        let text = fs::read_to_string(&path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
        Self::parse(&text)
    }

    /// Reads the versions from the text of the workspace's Cargo.toml.
    pub(crate) fn parse(manifest: &str) -> Result<Self> {
        let manifest: Table =
            manifest.parse().map_err(|error| Failure::new(format!("Cargo.toml: {error}")))?;
        let tools = ["workspace", "metadata", "tools"]
            .iter()
            .try_fold(&manifest, |table, key| table.get(*key)?.as_table())
            .ok_or_else(|| Failure::new(format!("there is no {TABLE}")))?;
        let version = |tool: &str| {
            tools
                .get(tool)
                .and_then(|value| value.as_str())
                .map(str::to_owned)
                .ok_or_else(|| Failure::new(format!("{TABLE} has no version of {tool}")))
        };
        let node = version("node")?;
        Ok(Self {
            wasm_bindgen: version("wasm-bindgen")?,
            wasm_split: version("wasm-split")?,
            binaryen: version("binaryen")?,
            puppeteer_browsers: version("puppeteer-browsers")?,
            cargo_deny: version("cargo-deny")?,
            cargo_machete: version("cargo-machete")?,
            cargo_mutants: version("cargo-mutants")?,
            geckodriver: version("geckodriver")?,
            node: node.parse().map_err(|_| {
                Failure::new(format!("node in {TABLE} is a major version, not `{node}`"))
            })?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_without_a_version_is_named() {
        let failure = Pins::parse("[workspace.metadata.tools]\nnode = '20'").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "Cargo.toml [workspace.metadata.tools] has no version of wasm-bindgen"
        );
    }

    #[test]
    fn this_workspace_pins_its_tools() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(Pins::read(&root).is_ok());
    }
}
