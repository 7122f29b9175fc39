//! `cargo xtask demo`: builds everything and serves the page until it is stopped.

use std::net::{Ipv4Addr, TcpListener};

use crate::arguments::DemoOptions;
use crate::artifacts;
use crate::command;
use crate::effort::Effort;
use crate::failure::{Failure, Result};
use crate::glue;
use crate::steps::{Steps, both};
use crate::toolchain;
use crate::workspace::Workspace;

/// Builds, then serves unless `options` say to build only.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, options: &DemoOptions) -> Result {
    if !options.build_only {
        // A port in use is reported now, not after minutes of building.
        check_port(options.port)?;
    }
    let effort = match glue::is_built(workspace, &glue::PAGE) {
        true => Effort::Shipped,
        false => Effort::Quick,
    };
    // Compiling the server needs none of the tools, and most of them are waited for.
    let server = || artifacts::build_server(workspace, steps, effort);
    both(|| toolchain::install_for(workspace, steps, effort), server)?;
    artifacts::build_if_changed(workspace, steps, effort)?;
    if options.build_only {
        return Ok(());
    }
    eprintln!("{steps}");
    eprintln!(
        "The page is at http://127.0.0.1:{0}/, the TypeScript app at http://127.0.0.1:{0}/chat/.",
        options.port
    );
    eprintln!("Stop with Ctrl-C.");
    let mut serve = workspace.command(artifacts::demo_server(workspace, effort));
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
