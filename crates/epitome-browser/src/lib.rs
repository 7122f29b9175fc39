//! The host side of epitome in the browser: asks a chat-completions endpoint for a summary, and providers for
//! counts of tokens.
//!
//! It runs on a window's main thread, in a dedicated worker and in Node 20 alike, because it reaches
//! `fetch`, `setTimeout` and `AbortController` through the global object.
//!
//! [`complete`] asks once and always settles: with the text, or with an [`EndpointError`] whose
//! [`FailureKind`] says whether asking again may help. It never retries a failure by itself; when to ask
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

mod address;
mod advice;
mod answer;
mod deadline;
mod exchange;
mod listener;
mod overflow;
mod refusal;
mod request;
mod retry_after;
mod server;
mod surrogate;
mod thinking;
mod timer;

pub mod clock;
pub mod completion;
pub mod count;
pub mod endpoint;
pub mod failure;
pub mod sse;

pub use completion::{Completion, Prompt, Usage, complete};
pub use count::{CountApi, count_tokens};
pub use endpoint::{Endpoint, Streaming, Timeouts};
pub use failure::{EndpointError, FailureKind, Phase};
pub use web_sys::AbortSignal;
