//! Functions on text: cutting it at characters and sentences, and finding encoded data, names, notes and invisible characters in it.

pub mod encoded;
pub mod excerpt;
pub mod identifier;
pub mod invisible;
pub mod lasting;
pub mod letters;
pub mod noise;
pub mod note;
pub mod search;
pub mod sentence;
pub mod speaker;
pub mod stop_words;
pub mod word_list;
