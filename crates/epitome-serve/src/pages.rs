//! Serves folders of files, which browsers have to revalidate each time, and their compressed copies if there are any.

use std::future::ready;
use std::path::Path;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;
use tower_http::services::ServeDir;

use crate::security;

// Trunk names a file after a hash from before wasm-opt, so the same name may have different bytes after a build.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// Fails if `folder` has no `index.html`.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    if folder.join("index.html").is_file() {
        return Ok(());
    }
    let folder = folder.display();
    Err(format!("there is no {folder}/index.html; `cargo xtask build` makes the pages"))
}

/// Serves the files of `folder` at the root, under a content security policy.
pub(crate) fn at_root(folder: &Path, policy: &HeaderValue) -> Router {
    let policy = policy.clone();
    Router::new().fallback_service(ServeDir::new(folder).precompressed_br()).layer(map_response(
        move |mut response: Response| {
            response.headers_mut().insert(header::CACHE_CONTROL, REVALIDATE);
            security::add(&mut response, &policy);
            ready(response)
        },
    ))
}

/// Serves the files of `folder` below `path`, which must not end in a slash.
pub(crate) fn below(path: &str, folder: &Path, policy: &HeaderValue) -> Router {
    let inside = format!("{path}/");
    // Without the slash, relative URLs on the page would resolve to the root.
    let redirect = Redirect::temporary(&inside);
    Router::new()
        .route(path, get(async move || redirect))
        .nest_service(&inside, at_root(folder, policy))
}
