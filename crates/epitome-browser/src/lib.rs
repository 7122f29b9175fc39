//! Asks endpoints over `fetch` for a browser app: LLM servers for summaries, and providers for token counts.
//!
//! It runs on the main thread of a window, in a dedicated worker and in Node 20 alike, because it takes `fetch`,
//! `setTimeout` and `AbortController` from the global object.
//!
//! [`complete`] asks once and always settles: with the text, or with an [`EndpointError`], which converts to the
//! engine's [`Failure`](epitome::Failure). It does not retry: when to ask again is the engine's decision.
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
//!     ..Prompt::default()
//! };
//! let completion = complete(&endpoint, &prompt, None, &mut |_delta| {}).await?;
//! assert!(!completion.text.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Layers
//!
//! Each file uses only files that are before it in this list:
//!
//! 1. [`error`](EndpointError), [`secret`](Secret), `base64`, `mask`, `sse`, `thinking`, `surrogate`, `bounded_json`, `retry_after`, `timer`,
//!    `abort_listener`, `clock`, `slices`, `node_dispatcher`, `json_lines`, `model_path`, and `provider`: the table of HTTP APIs.
//! 2. `address`, `keys`, `endpoint`, then `server`: where a request goes, and with which keys.
//! 3. `advice` and `error_body`: what to do about a server that fails.
//! 4. `deadline`, then `http_request`: one request and its response; `json_request`: one that is answered by one JSON value.
//! 5. `completion`, `completion_format`, `collected`, then a request and a response for each format, such as
//!    `chat_request` and `chat_response`; `count_format`: the bodies.
//! 6. `complete`, `count_tokens`, `compact` and `models`: what apps call.

mod abort_listener;
mod address;
mod advice;
mod anthropic_request;
mod anthropic_response;
mod base64;
mod bounded_json;
mod chat_request;
mod chat_response;
mod collected;
mod compact;
mod complete;
mod completion;
mod completion_format;
mod count_format;
mod count_tokens;
mod deadline;
mod endpoint;
mod error;
mod error_body;
mod gemini_request;
mod gemini_response;
mod http_request;
mod json_lines;
mod json_request;
mod keys;
mod mask;
mod model_path;
mod models;
mod node_dispatcher;
mod ollama_request;
mod ollama_response;
mod provider;
mod retry_after;
mod secret;
mod server;
mod slices;
mod surrogate;
mod thinking;
mod timer;

pub mod clock;
pub mod sse;

pub use address::is_exposed;
pub use compact::compact;
pub use complete::complete;
pub use completion::{Completion, CompletionUsage, Prompt};
pub use count_tokens::count_tokens;
pub use endpoint::{AnswerFormat, EXTRACTIVE_MODEL, Endpoint, Streaming, Timeouts};
pub use error::{EndpointError, EndpointErrorCode};
pub use keys::Keys;
pub use models::models;
pub use provider::Provider;
pub use secret::{Secret, SecretHeaders};
pub use web_sys::AbortSignal;
