//! The products of the workspace: the npm package, the page, the TypeScript app and the demo server.

use std::fs;
use std::path::PathBuf;

use crate::command;
use crate::compressed;
use crate::effort::Effort;
use crate::failure::{Failure, Result};
use crate::glue;
use crate::sbom;
use crate::sizes;
use crate::source_tree;
use crate::steps::{Steps, both};
use crate::vocab;
use crate::workspace::Workspace;

/// Builds all of them, and prints the sizes of the wasm modules that are shipped. The tools must be installed.
pub(crate) fn build(workspace: &Workspace, steps: &Steps, effort: Effort) -> Result {
    // Cargo compiles for wasm one after the other. Meanwhile the modules that are compiled are optimized, and the server, which
    // is no wasm, is compiled.
    let page = || glue::build(workspace, steps, &glue::PAGE, effort);
    let package = || {
        let glue = build_package(workspace, steps, effort)?;
        // The page has it as its documentation.
        write_reference(workspace, steps)?;
        Ok(glue)
    };
    let modules = || both(package, page);
    let ((package, page), ()) = both(modules, || build_server(workspace, steps, effort))?;
    steps.run("page", || {
        let mut build = workspace.npm(["run", "build", "--workspace", "web"]);
        command::run(build.env("EPITOME_GLUE", &page))
    })?;
    steps.run("TypeScript app", || {
        command::run(&mut workspace.npm(["run", "build", "--workspace", "www"]))
    })?;
    let pages = [workspace.path("dist"), workspace.path("www/dist")];
    compressed::write(workspace, steps, &pages, effort)?;
    if effort == Effort::Shipped {
        sizes::print(workspace, &[package, page])?;
    }
    let stamp = stamp(workspace, effort);
    fs::write(&stamp, "")
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", stamp.display())))
}

/// Does nothing if nothing was changed since all of them were built: not even Cargo compiles nothing then, since several modules are
/// one package with different features, of which it keeps only the last one.
pub(crate) fn build_if_changed(workspace: &Workspace, steps: &Steps, effort: Effort) -> Result {
    let built = fs::metadata(stamp(workspace, effort)).and_then(|stamp| stamp.modified());
    let pages = ["dist/index.html", "www/dist/index.html"];
    let is_there = pages.iter().all(|page| workspace.path(page).exists());
    match (built, source_tree::last_change(workspace)) {
        (Ok(built), Ok(changed)) if is_there && changed < built => Ok(()),
        _ => build(workspace, steps, effort),
    }
}

/// A file that is as old as what was built.
fn stamp(workspace: &Workspace, effort: Effort) -> PathBuf {
    workspace.target(&effort.folder("built"))
}

/// Builds the demo server, which needs no tools.
pub(crate) fn build_server(workspace: &Workspace, steps: &Steps, effort: Effort) -> Result {
    steps.run_long("demo server", "1 minute the first time", || {
        command::run(&mut workspace.cargo([
            "build",
            "--locked",
            "--profile",
            effort.server_profile(),
            "--package=epitome-serve",
        ]))
    })
}

/// Builds the npm package, vocabularies included, and returns the folder of its wasm module. The tools must be
/// installed.
pub(crate) fn build_package(
    workspace: &Workspace,
    steps: &Steps,
    effort: Effort,
) -> Result<PathBuf> {
    vocab::pack(workspace, steps)?;
    let glue = glue::build(workspace, steps, &glue::PACKAGE, effort)?;
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
pub(crate) fn demo_server(workspace: &Workspace, effort: Effort) -> PathBuf {
    let suffix = if cfg!(windows) { ".exe" } else { "" };
    workspace.target(&format!("{}/epitome-serve{suffix}", effort.server_profile()))
}
