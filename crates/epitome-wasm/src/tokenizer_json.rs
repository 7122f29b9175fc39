//! Tokenizers that a `tokenizer.json` describes: another module has read them, and counts for this one.
//!
//! Text crosses as the bytes that it is here, from one memory to the other, so that neither this module has to know
//! how such a file is read nor a tokenizer takes its megabytes twice.

use std::cell::RefCell;

use epitome::tokens::{BoxedTokenizer, Tokenizer};
use epitome_tokens::NotLoaded;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** The tokenizers that are read. */
export interface Tokenizers {
    /** The tokenizer of a name, where one was read for it. */
    find(name: string): TextCounter | undefined;
}

/** Counts by one tokenizer, for as long as it is held. */
export interface TextCounter {
    /** The tokens of the text that has so many bytes in this module's memory, from this place on. */
    count(at: number, bytes: number): number;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The tokenizers that are read, by name.
    #[wasm_bindgen(typescript_type = "Tokenizers")]
    pub type Tokenizers;
    #[wasm_bindgen(method)]
    fn find(this: &Tokenizers, name: &str) -> Option<TextCounter>;

    /// One of them.
    #[wasm_bindgen(typescript_type = "TextCounter")]
    type TextCounter;
    #[wasm_bindgen(method)]
    fn count(this: &TextCounter, at: *const u8, bytes: usize) -> u32;
}

thread_local! {
    static TOKENIZERS: RefCell<Option<Tokenizers>> = const { RefCell::new(None) };
}

/// Takes what knows the tokenizers, for every compactor of the module.
#[wasm_bindgen(js_name = bringTokenizers)]
pub fn bring_tokenizers(tokenizers: Tokenizers) {
    TOKENIZERS.set(Some(tokenizers));
}

/// What counts by the tokenizer of this name, also where another one of the name is read later.
pub(crate) fn named(name: &str) -> Result<BoxedTokenizer, NotLoaded> {
    let found = TOKENIZERS.with_borrow(|tokenizers| tokenizers.as_ref()?.find(name));
    let counter = found.ok_or_else(|| NotLoaded::Tokenizer(name.to_owned()))?;
    Ok(Box::new(Elsewhere(counter)))
}

/// A tokenizer of the other module's.
struct Elsewhere(TextCounter);

impl Tokenizer for Elsewhere {
    fn count(&self, text: &str) -> u32 {
        self.0.count(text.as_ptr(), text.len())
    }

    /// Nothing: the count is the model's own.
    fn error_band(&self) -> f64 {
        0.0
    }
}
