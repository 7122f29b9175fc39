//! Cutting text: at characters, at sentences, and around encoded data.

pub(crate) mod encoded;
pub(crate) mod excerpt;
pub(crate) mod sentence;
