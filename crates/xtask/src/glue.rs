//! The wasm modules of the npm package with their JavaScript glue, optimized for size.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::toolchain::WASM;
use crate::workspace::Workspace;

/// The modules, each with the crate that it is made of.
const MODULES: [(&str, &str); 3] =
    [("epitome", "epitome_wasm"), ("count", "epitome_count"), ("tokenizer", "epitome_tokenizer")];

/// As quick as possible, which in brotli is no larger than as small as possible; but what the compiler was told to leave
/// a function of its own stays one. An engine compiles a loop anew while it runs, and its whole function with it.
const OPTIONS: [&str; 2] = ["-O3", "--one-caller-inline-max-function-size=0"];

/// Builds the glue and returns its folder. Leaves a folder that is newer than the module alone.
pub(crate) fn build(workspace: &Workspace, steps: &mut Steps) -> Result<PathBuf> {
    steps.run_long("compile the wasm modules", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "build",
            "--locked",
            "--profile=wasm-release",
            "--target",
            WASM,
            "--package=epitome-wasm",
            "--package=epitome-count",
            "--package=epitome-tokenizer",
        ]))
    })?;
    let compiled =
        |name: &str| workspace.target(&format!("wasm32-unknown-unknown/wasm-release/{name}.wasm"));
    let glue = workspace.target("npm-glue");
    // Cargo.toml has the versions of the tools in it.
    let mut sources: Vec<PathBuf> = MODULES.iter().map(|(_, name)| compiled(name)).collect();
    sources.push(workspace.path("Cargo.toml"));
    if MODULES.iter().all(|(module, _)| is_newer(&glue.join(file(module)), &sources)) {
        return Ok(glue);
    }
    steps.run_long("wasm-bindgen and wasm-opt", "10 to 30 seconds", || {
        let staged = workspace.target("npm-glue.unfinished");
        for (module, name) in MODULES {
            let mut bindgen = workspace.command("wasm-bindgen");
            // The package always gives the module. With a default path, bundlers would copy its file into every app, next to
            // the module that is inlined.
            bindgen.args(["--target", "web", "--omit-default-module-path"]);
            bindgen.args(["--out-name", module, "--out-dir"]);
            command::run(bindgen.arg(&staged).arg(compiled(name)))?;
            // No feature flags: wasm-opt reads them from the module, and with all of them on it writes a
            // module that Node 20 refuses.
            let mut optimize = workspace.command("node");
            optimize.arg(workspace.path("node_modules/binaryen/bin/wasm-opt")).args(OPTIONS);
            let place = staged.join(file(module));
            optimize.arg(&place).arg("--output").arg(&place);
            command::run(&mut optimize)?;
        }
        replace(&staged, &glue)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", glue.display())))
    })?;
    Ok(glue)
}

fn file(module: &str) -> String {
    format!("{module}_bg.wasm")
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
