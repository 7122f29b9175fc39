//! From old messages to a summary: what is asked, in how many pieces, and what comes back.

pub mod envelope;
