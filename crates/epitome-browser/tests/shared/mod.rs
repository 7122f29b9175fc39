//! What holds wherever there is `fetch`, against the scripted server in `tests/servers/summarizer.mjs`.

mod answers;
mod failures;
mod scripted;
mod stopping;
mod waiting;
