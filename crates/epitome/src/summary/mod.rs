//! From old messages to a summary: what is asked, in how many pieces, and what comes back.

pub(crate) mod appendix;
pub mod chunk;
pub mod cut;
pub(crate) mod degenerate;
pub mod encoded;
pub mod envelope;
pub mod excerpt;
pub mod extract;
pub mod fold;
pub mod frame;
pub mod prompt;
pub mod receipt;
pub mod transcript;
