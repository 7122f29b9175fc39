//! `cargo xtask demo`: builds everything and serves the page until it is stopped.

use std::net::{Ipv4Addr, TcpListener};

use crate::arguments::DemoOptions;
use crate::artifacts;
use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::toolchain;
use crate::workspace::Workspace;

/// Builds, then serves unless `options` say to build only.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, options: &DemoOptions) -> Result {
    if !options.build_only {
        // A port in use is reported now, not after minutes of building.
        check_port(options.port)?;
    }
    toolchain::install(workspace, steps)?;
    artifacts::build(workspace, steps)?;
    if options.build_only {
        return Ok(());
    }
    eprintln!("{steps}");
    eprintln!(
        "The page is at http://127.0.0.1:{0}/, the TypeScript app at http://127.0.0.1:{0}/chat/.",
        options.port
    );
    eprintln!("Stop with Ctrl-C.");
    let mut serve = workspace.command(artifacts::demo_server(workspace));
    serve.arg("--port").arg(options.port.to_string());
    command::replace_process(serve.args(["--page", "dist", "--chat", "www/dist"]))
}

fn check_port(port: u16) -> Result {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(drop).map_err(|error| {
        Failure::new(format!(
            "port {port} cannot be used: {error}; type `cargo xtask demo --port {}`",
            port.checked_add(1).unwrap_or(8080)
        ))
    })
}
