//! Tests that run in a page, in a worker and in Node, against the scripted server in `tests/servers/summarizer.mjs`.

mod answers;
mod failures;
mod scripted;
mod stopping;
mod waiting;
