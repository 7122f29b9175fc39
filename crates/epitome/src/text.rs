//! Cutting texts where a reader sees a border: characters, sentences, encoded runs.

pub(crate) mod encoded;
pub(crate) mod excerpt;
pub(crate) mod sentence;
