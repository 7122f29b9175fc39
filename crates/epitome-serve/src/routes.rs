//! Which path leads where.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use crate::options::Options;
use crate::{api_error, completion, models, pages};

/// A long conversation with images in it passes; a mistake does not fill the memory.
const LARGEST_REQUEST_BYTES: usize = 64 * 1024 * 1024;

/// The endpoint, and the pages that were asked for.
pub(crate) fn all(options: &Options) -> Router {
    let mut routes = Router::new().nest("/v1", endpoint(options));
    if let Some(folder) = &options.chat {
        routes = routes.merge(pages::below("/chat", folder));
    }
    if let Some(folder) = &options.page {
        routes = routes.fallback_service(pages::at_root(folder));
    }
    routes
}

/// What looks like OpenAI's API, callable from a page of any origin.
fn endpoint(options: &Options) -> Router {
    // A page asks for `authorization`, which a plain `*` would not allow.
    let any_page = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request());
    Router::new()
        .route("/models", get(models::list))
        .route("/chat/completions", post(completion::complete).with_state(options.delay))
        .fallback(api_error::no_such_path)
        .method_not_allowed_fallback(api_error::wrong_method)
        .layer(DefaultBodyLimit::max(LARGEST_REQUEST_BYTES))
        .layer(any_page)
}
