//! Maps paths to handlers.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use tower_http::cors::{AllowHeaders, Any, CorsLayer};

use crate::options::Options;
use crate::{api_error, completion, models, pages, security};

/// Large enough for a long conversation with images, small enough for the memory.
const MAX_REQUEST_BYTES: usize = 64 * 1024 * 1024;

/// The API, and the pages that the options name.
pub(crate) fn all(options: &Options) -> Result<Router, String> {
    let policy = security::policy(&options.endpoints)?;
    let mut routes = Router::new().nest("/v1", api(options));
    if let Some(folder) = &options.chat {
        routes = routes.merge(pages::below("/chat", folder, &policy));
    }
    if let Some(folder) = &options.page {
        routes = routes.fallback_service(pages::at_root(folder, &policy));
    }
    Ok(routes)
}

/// The OpenAI-compatible API, which pages of any origin may call.
fn api(options: &Options) -> Router {
    // Browsers do not let `*` allow the header `authorization`, so the requested headers are named.
    let any_page = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers(AllowHeaders::mirror_request());
    Router::new()
        .route("/models", get(models::list))
        .route("/chat/completions", post(completion::complete).with_state(options.delay))
        .fallback(api_error::no_such_path)
        .method_not_allowed_fallback(api_error::wrong_method)
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        .layer(any_page)
}
