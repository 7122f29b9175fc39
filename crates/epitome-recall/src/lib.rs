//! Finds what a conversation said, also after it has left the model's context window.
//!
//! An [`Index`] grows with the conversation and holds no text. [`Index::search`] ranks messages by a question. The caller
//! gives the texts of the best ones to [`Search::widen`], which adds their terms to the question, and to
//! [`Search::passages`], which quotes them. [`Index::returning`] finds names, identifiers and rare words of a text that only
//! messages out of the view have.
//!
//! Nothing here asks for the time or for random numbers, and the same input gives the same result on every machine.
//!
//! ```
//! use epitome::message::Entry;
//! use epitome::tokens::CharactersPer;
//! use epitome_recall::Index;
//!
//! let said = [("user alice", "The gate code is 4711."), ("user bob", "I water the roses on Monday.")];
//! let mut index = Index::default();
//! for (number, (speaker, text)) in (1..).zip(said) {
//!     index.append(&Entry { number, speaker: speaker.into(), time: None, text: text.into() });
//! }
//! let text = |message: usize| said[message].1.to_owned();
//! let search = index.search("What was the code of the gate?", |_| true);
//! let passages = search.passages(&index, text, 100, "", &CharactersPer(4));
//! assert_eq!(passages[0].quotes[0].text, "The gate code is 4711.");
//! ```

mod cut;
mod index;
mod lasting;
mod neighbourhood;
mod passages;
mod portable;
mod postings;
mod relevance;
mod returning;
mod said;
mod search;
mod stem;
mod stored;
mod terms;
mod texts;
#[cfg(all(target_arch = "wasm32", feature = "module"))]
mod wasm;

pub use index::Index;
pub use passages::{Passage, Quote};
pub use returning::Place;
pub use search::Search;
pub use stored::StoredError;
#[cfg(all(target_arch = "wasm32", feature = "module"))]
pub use wasm::*;
