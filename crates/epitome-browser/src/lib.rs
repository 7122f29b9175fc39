//! The host side of epitome in the browser: asks a chat-completions endpoint for a summary, and providers for
//! counts of tokens.
//!
//! It runs on a window's main thread, in a dedicated worker and in Node 20 alike, because it reaches
//! `fetch`, `setTimeout` and `AbortController` through the global object.
//!
//! [`complete`] asks once and always settles: with the text, or with an [`EndpointError`] whose
//! [`EndpointErrorCode`] says why. It never retries a failure by itself; when to ask
//! again is the engine's decision.
//!
//! ```no_run
//! # async fn example() -> Result<(), epitome_browser::EndpointError> {
//! use epitome_browser::{Endpoint, Prompt, complete};
//!
//! let endpoint = Endpoint::new("http://localhost:11434/v1", "llama3.2");
//! let prompt = Prompt {
//!     system: "Summarize the conversation.".into(),
//!     user: "[1] user:\nhello".into(),
//!     max_tokens: 800,
//! };
//! let completion = complete(&endpoint, &prompt, None, &mut |_delta| {}).await?;
//! assert!(!completion.text.is_empty());
//! # Ok(())
//! # }
//! ```

mod abort_listener;
mod address;
mod advice;
mod chat_request;
mod chat_response;
mod context_overflow;
mod deadline;
mod error_body;
mod http_request;
mod retry_after;
mod server;
mod surrogate;
mod thinking;
mod timer;

pub mod clock;
mod complete;
mod count_tokens;
mod endpoint;
mod error;
pub mod sse;

pub use complete::{Completion, Prompt, Usage, complete};
pub use count_tokens::{CountApi, count_tokens};
pub use endpoint::{Endpoint, Streaming, Timeouts};
pub use error::{EndpointError, EndpointErrorCode};
pub use web_sys::AbortSignal;
