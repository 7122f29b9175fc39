//! The crate `bpe-openai` as a wasm module: the fastest exact tokenizer to compare with.

use std::path::PathBuf;

use crate::command;
use crate::failure::{Failure, Result};
use crate::glue;
use crate::steps::Steps;
use crate::toolchain::WASM;
use crate::workspace::Workspace;

const CRATE: &str = "bench/bpe-openai-wasm";
const MODULE: &str = "bpe-openai_bg.wasm";

/// Builds the module with its JavaScript and returns its folder. A folder that is newer than the crate is not built again.
pub(super) fn build(workspace: &Workspace, steps: &Steps) -> Result<PathBuf> {
    let folder = workspace.target("bench/bpe-openai");
    // Cargo.toml pins the versions of the tools.
    let sources = ["Cargo.lock", "Cargo.toml", "src/lib.rs"]
        .map(|file| workspace.path(CRATE).join(file))
        .into_iter()
        .chain([workspace.path("Cargo.toml")])
        .collect::<Vec<_>>();
    if glue::is_newer(&folder.join(MODULE), &sources) {
        return Ok(folder);
    }
    steps.run_long("compile bpe-openai for wasm", "2 minutes, once", || {
        let build = workspace.target("bench/build");
        let mut compile = workspace.cargo(["build", "--locked", "--release", "--target", WASM]);
        compile.arg("--manifest-path").arg(workspace.path(CRATE).join("Cargo.toml"));
        command::run(compile.arg("--target-dir").arg(&build))?;
        let staged = build.join("staged");
        let mut bindgen = workspace.command("wasm-bindgen");
        bindgen.args(["--target", "web", "--out-name", "bpe-openai", "--out-dir"]).arg(&staged);
        command::run(bindgen.arg(build.join(WASM).join("release/bpe_openai_wasm.wasm")))?;
        let mut optimize = workspace.command("node");
        optimize.arg(workspace.path("node_modules/binaryen/bin/wasm-opt")).arg("-O3");
        optimize.arg(staged.join(MODULE)).arg("--output").arg(staged.join(MODULE));
        command::run(&mut optimize)?;
        glue::replace(&staged, &folder)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", folder.display())))
    })?;
    Ok(folder)
}
