//! The wasm module of the npm package with its JavaScript glue, optimized for size.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::toolchain::WASM;
use crate::workspace::Workspace;

const MODULE: &str = "epitome_bg.wasm";

/// Builds the glue and returns its folder. Leaves a folder that is newer than the module alone.
pub(crate) fn build(workspace: &Workspace, steps: &mut Steps) -> Result<PathBuf> {
    steps.run_long("compile epitome-wasm", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "build",
            "--locked",
            "--profile=wasm-release",
            "--target",
            WASM,
            "--package=epitome-wasm",
        ]))
    })?;
    let module = workspace.target("wasm32-unknown-unknown/wasm-release/epitome_wasm.wasm");
    let glue = workspace.target("npm-glue");
    // Cargo.toml has the versions of the tools in it.
    let sources = [module.clone(), workspace.path("Cargo.toml")];
    if is_newer(&glue.join(MODULE), &sources) {
        return Ok(glue);
    }
    steps.run_long("wasm-bindgen and wasm-opt", "10 to 30 seconds", || {
        let staged = workspace.target("npm-glue.unfinished");
        let mut bindgen = workspace.command("wasm-bindgen");
        bindgen.args(["--target", "web", "--out-name", "epitome", "--out-dir"]);
        command::run(bindgen.arg(&staged).arg(&module))?;
        // No feature flags: wasm-opt reads them from the module, and with all of them on it writes a
        // module that Node 20 refuses.
        let mut optimize = workspace.command("node");
        optimize.arg(workspace.path("node_modules/binaryen/bin/wasm-opt")).arg("-Oz");
        optimize.arg(staged.join(MODULE)).arg("--output").arg(staged.join(MODULE));
        command::run(&mut optimize)?;
        replace(&staged, &glue)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", glue.display())))
    })?;
    Ok(glue)
}

/// Puts the folder `staged` where `place` is, instead of what is there.
pub(crate) fn replace(staged: &Path, place: &Path) -> io::Result<()> {
    match fs::remove_dir_all(place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::rename(staged, place),
    }
}

/// Whether `product` is there and newer than all of `sources`.
pub(crate) fn is_newer(product: &Path, sources: &[PathBuf]) -> bool {
    let modified = |path: &Path| -> io::Result<SystemTime> { fs::metadata(path)?.modified() };
    let Ok(produced) = modified(product) else {
        return false;
    };
    sources.iter().all(|source| modified(source).is_ok_and(|changed| changed < produced))
}
