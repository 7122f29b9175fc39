//! `epitome-serve`: serves the pages, and the extractive summarizer as a chat completions endpoint, on this machine
//! only.

mod api_error;
mod completion;
mod models;
mod options;
mod pages;
mod routes;
mod security;

use std::net::Ipv4Addr;
use std::process::ExitCode;

use options::{Options, USAGE};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("error: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), String> {
    let routes = routes::all(options)?;
    for folder in [&options.page, &options.chat].into_iter().flatten() {
        pages::check(folder)?;
    }
    let port = options.port;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        let other = port.checked_add(1).unwrap_or(8080);
        format!("port {port} cannot be used: {error}; choose another, like `--port {other}`")
    })?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    // Tests and scripts that start this program wait for this line and read the port from it.
    println!("listening http://{address}");
    axum::serve(listener, routes).await.map_err(|error| error.to_string())
}
