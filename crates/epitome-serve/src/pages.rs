//! Serves folders of files, and their compressed copies if there are any.

use std::path::Path;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Redirect, Response};
use axum::routing::get;
use tower_http::services::ServeDir;

use crate::security;

/// The folder in which Vite names each file after a hash of its content.
const HASHED: &str = "/assets/";
/// A year, the longest time that servers are asked to give.
const KEEP: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// Fails if `folder` has no `index.html`.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    if folder.join("index.html").is_file() {
        return Ok(());
    }
    let folder = folder.display();
    Err(format!("there is no {folder}/index.html; `cargo xtask build` makes the pages"))
}

/// Serves the files of `folder` at the root, under a content security policy. Browsers keep those whose names are hashes, and
/// revalidate the others each time.
pub(crate) fn at_root(folder: &Path, policy: &HeaderValue) -> Router {
    Router::new()
        .fallback_service(ServeDir::new(folder).precompressed_br())
        .layer(from_fn_with_state(policy.clone(), add_headers))
}

async fn add_headers(State(policy): State<HeaderValue>, request: Request, next: Next) -> Response {
    let is_hashed = request.uri().path().starts_with(HASHED);
    let mut response = next.run(request).await;
    // A file that is missing now may be there after the next build.
    let keep = is_hashed && response.status() != StatusCode::NOT_FOUND;
    let caching = if keep { KEEP } else { REVALIDATE };
    response.headers_mut().insert(header::CACHE_CONTROL, caching);
    security::add(&mut response, &policy);
    response
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
