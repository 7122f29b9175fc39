//! The language that the page was started in, and going to the page in another one.

use js_sys::JsString;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::MouseEvent;

use super::element::closest;
use super::storage::{Lifetime, remember};

/// The storage key, which `before-paint.js` reads too.
const KEY: &str = "epitome-language";

#[wasm_bindgen(raw_module = "page/language.js")]
extern "C" {
    #[wasm_bindgen(js_name = pageLanguage)]
    fn language() -> String;
    #[wasm_bindgen(js_name = catalogText)]
    fn catalog() -> Option<String>;
    #[wasm_bindgen(js_name = pluralCategory)]
    fn category(number: u32) -> JsString;
    #[wasm_bindgen(js_name = written)]
    fn written(number: f64, decimals: u8) -> String;
}

/// The code of the page's language.
pub(crate) fn page_language() -> String {
    language()
}

/// The catalog of the page's language, as JSON. English has none.
pub(crate) fn catalog_text() -> Option<String> {
    catalog()
}

/// The category of a number in the page's language, such as `one`.
pub(crate) fn plural_category(number: u32) -> String {
    category(number).into()
}

/// A number as it is written in the page's language, rounded to this many decimals.
pub(crate) fn written_number(number: f64, decimals: u8) -> String {
    written(number, decimals)
}

/// Stores the code of a language for the next visit, when a link to the page in it is followed. The link keeps what the address has
/// behind the path.
pub(crate) fn choose_language(event: &MouseEvent, code: &str, document: &str) {
    remember(Lifetime::Lasting, KEY, code);
    let location = web_sys::window().map(|window| window.location());
    if let (Some(link), Some(location)) = (closest(event, "a"), location) {
        let part = |part: Result<String, _>| part.unwrap_or_default();
        let address = format!("{document}{}{}", part(location.search()), part(location.hash()));
        let _ = link.set_attribute("href", &address);
    }
}
