//! Checks that files which repeat a tool's version have the pinned one.

use std::fs;

use toml::Table;

use crate::failure::{Failure, Result};
use crate::pins::{Pins, TABLE};
use crate::workspace::Workspace;

const CLI_LOCK: &str = "crates/xtask/wasm-bindgen-cli/Cargo.lock";
const BENCH_LOCK: &str = "bench/bpe-openai-wasm/Cargo.lock";

/// Fails with one line for each file that has another version.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let read = |name: &str| {
        fs::read_to_string(workspace.path(name))
            .map_err(|error| Failure::new(format!("cannot read {name}: {error}")))
    };
    let repeated = Repeated {
        cargo_lock: &read("Cargo.lock")?,
        cli_lock: &read(CLI_LOCK)?,
        bench_lock: &read(BENCH_LOCK)?,
        package_lock: &read("package-lock.json")?,
    };
    let disagreements = repeated.disagreements(workspace.pins())?;
    if disagreements.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "versions disagree; make these the same:\n  {}",
        disagreements.join("\n  ")
    )))
}

/// The texts of the files that repeat versions.
struct Repeated<'a> {
    cargo_lock: &'a str,
    cli_lock: &'a str,
    bench_lock: &'a str,
    package_lock: &'a str,
}

impl Repeated<'_> {
    fn disagreements(&self, pins: &Pins) -> Result<Vec<String>> {
        let cargo_lock = parse("Cargo.lock", self.cargo_lock)?;
        let cli_lock = parse(CLI_LOCK, self.cli_lock)?;
        let bench_lock = parse(BENCH_LOCK, self.bench_lock)?;
        let package_lock: serde_json::Value = serde_json::from_str(self.package_lock)
            .map_err(|error| Failure::new(format!("package-lock.json: {error}")))?;

        let bindgen = pins.wasm_bindgen.as_str();
        let comparisons = [
            ("wasm-bindgen", bindgen, "Cargo.lock", locked(&cargo_lock, "wasm-bindgen")),
            ("wasm-bindgen", bindgen, CLI_LOCK, locked(&cli_lock, "wasm-bindgen-cli")),
            ("wasm-bindgen", bindgen, BENCH_LOCK, locked(&bench_lock, "wasm-bindgen")),
            (
                "binaryen",
                &pins.binaryen,
                "package-lock.json",
                package_lock
                    .pointer("/packages/node_modules~1binaryen/version")
                    .and_then(|version| version.as_str()),
            ),
        ];
        let disagreements = comparisons
            .into_iter()
            .filter(|(_, pinned, _, found)| Some(*pinned) != *found)
            .map(|(tool, pinned, place, found)| {
                let found = found.unwrap_or("absent");
                format!("{tool} is {pinned} in {TABLE} but {found} in {place}")
            });
        Ok(disagreements.collect())
    }
}

fn parse(name: &str, text: &str) -> Result<Table> {
    text.parse().map_err(|error| Failure::new(format!("{name}: {error}")))
}

/// The version of `package` in a Cargo.lock.
fn locked<'a>(lock: &'a Table, package: &str) -> Option<&'a str> {
    let packages = lock.get("package")?.as_array()?;
    let package = packages
        .iter()
        .find(|candidate| candidate.get("name").and_then(|name| name.as_str()) == Some(package))?;
    package.get("version")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO_LOCK: &str = "[[package]]\nname = 'wasm-bindgen'\nversion = '0.2.130'";
    const CLI_LOCK_TEXT: &str = "[[package]]\nname = 'wasm-bindgen-cli'\nversion = '0.2.130'";
    const PACKAGE_LOCK: &str = r#"{"packages":{"node_modules/binaryen":{"version":"132.0.0"}}}"#;

    fn check(change: impl FnOnce(&mut Repeated<'_>), expected: &[&str]) {
        let pins = Pins {
            wasm_bindgen: "0.2.130".into(),
            wasm_split: "0.2.4".into(),
            binaryen: "132.0.0".into(),
            puppeteer_browsers: "2.9.0".into(),
            cargo_deny: "0.20.2".into(),
            cargo_machete: "0.9.2".into(),
            cargo_mutants: "27.1.0".into(),
            geckodriver: "0.37.1".into(),
            node: 20,
        };
        let mut repeated = Repeated {
            cargo_lock: CARGO_LOCK,
            cli_lock: CLI_LOCK_TEXT,
            bench_lock: CARGO_LOCK,
            package_lock: PACKAGE_LOCK,
        };
        change(&mut repeated);
        assert_eq!(repeated.disagreements(&pins).unwrap(), expected);
    }

    #[test]
    fn files_that_agree_are_left_alone() {
        check(|_| (), &[]);
    }

    #[test]
    fn another_version_is_named_with_both_places() {
        check(
            |files| files.cargo_lock = "[[package]]\nname = 'wasm-bindgen'\nversion = '0.2.128'",
            &["wasm-bindgen is 0.2.130 in Cargo.toml [workspace.metadata.tools] \
               but 0.2.128 in Cargo.lock"],
        );
    }

    #[test]
    fn a_missing_version_is_a_disagreement() {
        check(
            |files| files.package_lock = "{}",
            &["binaryen is 132.0.0 in Cargo.toml [workspace.metadata.tools] \
               but absent in package-lock.json"],
        );
    }
}
