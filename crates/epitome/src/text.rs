//! Cutting text at characters, at sentences and around encoded data, and finding names and disguises in it.

pub(crate) mod encoded;
pub(crate) mod excerpt;
pub(crate) mod identifier;
pub(crate) mod invisible;
pub(crate) mod letters;
pub(crate) mod search;
pub(crate) mod sentence;
pub(crate) mod stop_words;
