//! Folders of files for a browser, which is told to ask again each time.

use std::path::Path;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::Redirect;
use axum::routing::get;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeader;

// Trunk names a file by a hash of what it was before wasm-opt, so the same name may hold other bytes.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

type Pages = SetResponseHeader<ServeDir, HeaderValue>;

/// Fails unless `folder` has a page to begin with.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    if folder.join("index.html").is_file() {
        return Ok(());
    }
    let folder = folder.display();
    Err(format!("there is no {folder}/index.html; `cargo xtask build` makes the pages"))
}

/// The files of `folder`, at the root.
pub(crate) fn at_root(folder: &Path) -> Pages {
    SetResponseHeader::overriding(ServeDir::new(folder), header::CACHE_CONTROL, ASK_AGAIN)
}

/// The files of `folder` below `path`, which has no slash at its end.
pub(crate) fn below(path: &str, folder: &Path) -> Router {
    let inside = format!("{path}/");
    // Relative addresses on the page need the slash.
    let redirect = Redirect::temporary(&inside);
    Router::new().route(path, get(async move || redirect)).nest_service(&inside, at_root(folder))
}
