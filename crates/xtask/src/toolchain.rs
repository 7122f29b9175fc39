//! Everything that a build needs in addition to Rust: the wasm target, Node, npm packages, the tool of wasm-bindgen.

use crate::agreement;
use crate::cargo_tool::CargoTool;
use crate::command;
use crate::effort::Effort;
use crate::failure::Result;
use crate::node;
use crate::steps::{Steps, both};
use crate::workspace::Workspace;

/// The target for browsers and Node.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Installs what is missing. Takes a second if nothing is missing.
pub(crate) fn install(workspace: &Workspace, steps: &Steps) -> Result {
    install_for(workspace, steps, Effort::Shipped)
}

/// Installs what is missing for this.
pub(crate) fn install_for(workspace: &Workspace, steps: &Steps, effort: Effort) -> Result {
    steps.run("versions agree", || agreement::check(workspace))?;
    add_wasm_target(workspace, steps)?;
    node::check_version(workspace)?;
    let wasm_bindgen = CargoTool {
        key: format!("wasm-bindgen-{}", workspace.pins().wasm_bindgen),
        source: ["--path", "crates/xtask/wasm-bindgen-cli"].map(str::to_owned).into(),
        usually: "1 to 2 minutes, once",
    };
    let wasm_split = CargoTool {
        key: format!("wasm-split-{}", workspace.pins().wasm_split),
        source: wasm_split_source(&workspace.pins().wasm_split),
        usually: "20 seconds, once",
    };
    let packages = || match effort {
        Effort::Shipped => node::install_packages(workspace, steps),
        Effort::Quick => node::install_packages_of_pages(workspace, steps),
    };
    let tools = || {
        wasm_bindgen.install(workspace, steps)?;
        match effort {
            Effort::Shipped => wasm_split.install(workspace, steps),
            Effort::Quick => Ok(()),
        }
    };
    both(packages, tools)?;
    Ok(())
}

/// What `cargo install` builds the tool of this version from.
fn wasm_split_source(version: &str) -> Vec<String> {
    let crate_ = ["wasm_split_cli_support", "--version", version, "--features", "build-binary"];
    crate_.map(str::to_owned).into()
}

/// Adds the target with rustup. Without rustup the target is assumed to be installed, and the compiler reports it if it is
/// not.
pub(crate) fn add_wasm_target(workspace: &Workspace, steps: &Steps) -> Result {
    let mut list = workspace.command("rustup");
    list.args(["target", "list", "--installed"]);
    let Some(installed) = command::quiet_output(&mut list) else {
        return Ok(());
    };
    if installed.lines().any(|target| target == WASM) {
        return Ok(());
    }
    steps.run(&format!("rustup target add {WASM}"), || {
        command::run(workspace.command("rustup").args(["target", "add", WASM]))
    })
}
