//! Starts the server as a program and calls it over a socket.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod answers;
mod chat;
mod origins;
mod pages;
mod server;
mod starting;
mod streams;
mod wrong_requests;
