//! The products of the workspace: the npm package, the page, the TypeScript app and the demo server.

use std::path::PathBuf;

use crate::command;
use crate::compressed;
use crate::failure::Result;
use crate::glue;
use crate::sbom;
use crate::sizes;
use crate::steps::Steps;
use crate::vocab;
use crate::workspace::Workspace;

/// Builds all of them and prints the sizes of the wasm modules. The tools must be installed.
pub(crate) fn build(workspace: &Workspace, steps: &mut Steps) -> Result {
    let glue = build_package(workspace, steps)?;
    steps.run("the page's storage", || {
        command::run(workspace.command("node").arg(workspace.path("web/storage/bundle.mjs")))
    })?;
    steps.run_long("page", "1 to 2 minutes the first time", || {
        // Trunk works offline, so that it never downloads tools of other versions.
        command::run(&mut workspace.cargo(["fetch", "--locked"]))?;
        // Trunk reads NO_COLOR=1 as `--no-color 1`, and refuses it.
        let mut build = workspace.command("trunk");
        command::run(build.args(["build", "--release", "--offline"]).env_remove("NO_COLOR"))
    })?;
    steps.run("TypeScript app", || {
        command::run(&mut workspace.npm(["run", "build", "--workspace", "www"]))
    })?;
    let pages = [workspace.path("dist"), workspace.path("www/dist")];
    compressed::write(workspace, steps, &pages)?;
    steps.run_long("demo server", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "build",
            "--locked",
            "--release",
            "--package=epitome-serve",
        ]))
    })?;
    sizes::print(workspace, &[glue, workspace.path("dist")])
}

/// Builds the npm package, vocabularies included, and returns the folder of its wasm module. The tools must be
/// installed.
pub(crate) fn build_package(workspace: &Workspace, steps: &mut Steps) -> Result<PathBuf> {
    vocab::pack(workspace, steps)?;
    let glue = glue::build(workspace, steps)?;
    sbom::write(workspace, steps)?;
    steps.run("npm package", || {
        let mut build = workspace.npm(["run", "build", "--workspace", "crates/epitome-wasm/npm"]);
        command::run(build.env("EPITOME_GLUE", &glue))
    })?;
    Ok(glue)
}

/// Writes the reference of the npm package's functions and types, which fails if one of them is not documented. The package must be
/// built.
pub(crate) fn write_reference(workspace: &Workspace, steps: &mut Steps) -> Result {
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
