//! Functions on text: cutting it at characters and sentences, and finding encoded data, names, notes and invisible characters in it.

pub(crate) mod encoded;
pub(crate) mod excerpt;
pub(crate) mod identifier;
pub(crate) mod invisible;
pub(crate) mod letters;
pub(crate) mod note;
pub(crate) mod search;
pub(crate) mod sentence;
pub(crate) mod speaker;
pub(crate) mod stop_words;
pub(crate) mod word_list;

pub use identifier::is_identifier;
pub use note::Note;
pub use sentence::split as sentences;
pub use stop_words::StopWords;
