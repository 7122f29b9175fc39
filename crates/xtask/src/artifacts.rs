//! The products of the workspace: the npm package, the page, the TypeScript app and the demo server.

use std::path::PathBuf;

use crate::command;
use crate::compressed;
use crate::failure::Result;
use crate::glue;
use crate::sbom;
use crate::sizes;
use crate::steps::{Steps, both};
use crate::vocab;
use crate::workspace::Workspace;

/// Builds all of them and prints the sizes of the wasm modules. The tools must be installed.
pub(crate) fn build(workspace: &Workspace, steps: &Steps) -> Result {
    // Cargo compiles for wasm one after the other. Meanwhile the modules that are compiled are optimized, and the server, which
    // is no wasm, is compiled.
    let modules =
        || both(|| build_package(workspace, steps), || glue::build(workspace, steps, &glue::PAGE));
    let ((package, page), ()) = both(modules, || build_server(workspace, steps))?;
    steps.run("page", || {
        let mut build = workspace.npm(["run", "build", "--workspace", "web"]);
        command::run(build.env("EPITOME_GLUE", &page))
    })?;
    steps.run("TypeScript app", || {
        command::run(&mut workspace.npm(["run", "build", "--workspace", "www"]))
    })?;
    let pages = [workspace.path("dist"), workspace.path("www/dist")];
    compressed::write(workspace, steps, &pages)?;
    sizes::print(workspace, &[package, page])
}

fn build_server(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run_long("demo server", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "build",
            "--locked",
            "--release",
            "--package=epitome-serve",
        ]))
    })
}

/// Builds the npm package, vocabularies included, and returns the folder of its wasm module. The tools must be
/// installed.
pub(crate) fn build_package(workspace: &Workspace, steps: &Steps) -> Result<PathBuf> {
    vocab::pack(workspace, steps)?;
    let glue = glue::build(workspace, steps, &glue::PACKAGE)?;
    sbom::write(workspace, steps)?;
    steps.run("npm package", || {
        let mut build = workspace.npm(["run", "build", "--workspace", "crates/epitome-wasm/npm"]);
        command::run(build.env("EPITOME_GLUE", &glue))
    })?;
    Ok(glue)
}

/// Writes the reference of the npm package's functions and types, which fails if one of them is not documented. The package must be
/// built.
pub(crate) fn write_reference(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("API reference", || {
        command::run(&mut workspace.npm(["run", "docs", "--workspace", "crates/epitome-wasm/npm"]))
    })
}

/// The path of the demo server that [`build`] builds.
pub(crate) fn demo_server(workspace: &Workspace) -> PathBuf {
    workspace.target(if cfg!(windows) {
        "release/epitome-serve.exe"
    } else {
        "release/epitome-serve"
    })
}
