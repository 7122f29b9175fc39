//! The two message formats of the Vercel AI SDK, and what their parts share.

pub(crate) mod model;
mod part;
pub(crate) mod ui;
