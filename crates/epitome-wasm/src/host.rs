//! What the module calls in its JavaScript host: tokenizers of another module, and the writing of texts.

use std::cell::RefCell;

use epitome::policy::Encoding;
use epitome::tokens::{BoxedTokenizer, CountState, TokenOverhead, Tokenizer, WithOverhead};
use epitome_tokens::NotLoaded;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What the module calls in its host. */
export interface Host {
    /** The encoding of this name, if its whole vocabulary is loaded. */
    findEncoding(name: string): TextCounter | undefined;
    /** The loaded tokenizer of this name. */
    findTokenizer(name: string): TextCounter | undefined;
    /** Writes a text into the module's scratch buffer and returns its length in bytes. */
    writeText(text: string): number;
}

/** Counts by one tokenizer, which stays loaded as long as this is referenced. */
export interface TextCounter {
    /** The tokens of the text at an address in this module's memory. */
    count(address: number, bytes: number): number;
    /** Begins to count it in steps. */
    begin?(address: number, bytes: number): TextCount;
}

/** A count in steps. */
export interface TextCount {
    /** Does a step. The tokens, once they are known; -1 before. */
    countOn(): number;
    /** Frees it. */
    end(): void;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// The host of the module.
    #[wasm_bindgen(typescript_type = "Host")]
    pub type Host;
    #[wasm_bindgen(method, js_name = findEncoding)]
    fn find_encoding(this: &Host, name: &str) -> Option<TextCounter>;
    #[wasm_bindgen(method, js_name = findTokenizer)]
    fn find_tokenizer(this: &Host, name: &str) -> Option<TextCounter>;
    #[wasm_bindgen(method, js_name = writeText)]
    fn write_text(this: &Host, text: &JsValue) -> usize;

    /// A tokenizer of another module.
    #[wasm_bindgen(typescript_type = "TextCounter")]
    type TextCounter;
    #[wasm_bindgen(method)]
    fn count(this: &TextCounter, address: *const u8, bytes: usize) -> u32;
    #[wasm_bindgen(method)]
    fn begin(this: &TextCounter, address: *const u8, bytes: usize) -> TextCount;

    /// A count in steps.
    #[wasm_bindgen(typescript_type = "TextCount")]
    type TextCount;
    #[wasm_bindgen(method, js_name = countOn)]
    fn count_on(this: &TextCount) -> f64;
    #[wasm_bindgen(method)]
    fn end(this: &TextCount);
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// Sets the host, for all compactors of the module.
#[wasm_bindgen]
pub fn connect(host: Host) {
    HOST.set(Some(host));
}

/// The text of a JavaScript string; `None` if the value is not a string.
///
/// It is written by the host's scratch buffer, because the glue looks at the characters one by one, which takes thirty
/// times as long for a text of 4 kB.
pub(crate) fn text(value: &JsValue) -> Option<String> {
    if !value.is_string() {
        return None;
    }
    let bytes = HOST.with_borrow(|host| Some(host.as_ref()?.write_text(value)));
    let Some(bytes) = bytes else { return value.as_string() };
    epitome_buffer::look(bytes, |text| str::from_utf8(text).ok().map(str::to_owned))
}

/// What counts by an encoding.
pub(crate) fn encoding(encoding: Encoding) -> Result<BoxedTokenizer, NotLoaded> {
    let found = HOST.with_borrow(|host| host.as_ref()?.find_encoding(encoding.as_str()));
    let counter = found.ok_or(NotLoaded::Encoding(encoding))?;
    let tokenizer = HostTokenizer { counter, has_steps: true };
    Ok(Box::new(WithOverhead { tokenizer, overhead: TokenOverhead::OPENAI }))
}

/// What counts by the tokenizer of this name. It keeps that tokenizer if another one of the same name is loaded later.
pub(crate) fn tokenizer(name: &str) -> Result<BoxedTokenizer, NotLoaded> {
    let found = HOST.with_borrow(|host| host.as_ref()?.find_tokenizer(name));
    let counter = found.ok_or_else(|| NotLoaded::Tokenizer(name.to_owned()))?;
    Ok(Box::new(HostTokenizer { counter, has_steps: false }))
}

/// A tokenizer of another module. Text crosses as bytes from one memory to the other, so that this module does not contain
/// the reader of such tokenizers, and each tokenizer takes its megabytes only once.
struct HostTokenizer {
    counter: TextCounter,
    /// False for a `tokenizer.json`.
    has_steps: bool,
}

/// A count in steps, which is freed with its state.
struct Running(TextCount);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Tokenizer for HostTokenizer {
    fn count(&self, text: &str) -> u32 {
        self.counter.count(text.as_ptr(), text.len())
    }

    /// 0, because the count is the model's own.
    fn error_band(&self) -> f64 {
        0.0
    }

    fn count_on(&self, text: &str, state: &mut CountState) -> Option<u32> {
        if !self.has_steps {
            return Some(self.count(text));
        }
        let mut is_new = false;
        let running = state.get(|| {
            is_new = true;
            Running(self.counter.begin(text.as_ptr(), text.len()))
        })?;
        if is_new {
            // To copy the text is a step.
            return None;
        }
        let tokens = running.0.count_on();
        // A count is a whole number below 2³².
        (tokens >= 0.0).then_some(tokens as u32)
    }
}
