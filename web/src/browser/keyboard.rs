//! Keys that act on the whole page, and the elements that they act on.

use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// The key of an event that no field receives, no dialog is open for, and no modifier changes.
pub(crate) fn page_key(event: &KeyboardEvent) -> Option<String> {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is_field = target.is_some_and(|target| match target.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        // A radio button or a checkbox receives no letters.
        "INPUT" => {
            let kind = target.get_attribute("type").unwrap_or_default();
            !matches!(kind.as_str(), "radio" | "checkbox" | "file")
        }
        _ => false,
    });
    let is_changed = event.ctrl_key() || event.meta_key() || event.alt_key();
    let document = web_sys::window()?.document()?;
    let is_behind = document.query_selector("dialog[open]").ok()?.is_some();
    let is_for_the_page =
        !is_field && !is_changed && !is_behind && !event.repeat() && !event.default_prevented();
    is_for_the_page.then(|| event.key())
}

/// Clicks an element.
pub(crate) fn click(id: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    let element = document.and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        element.click();
    }
}

/// The number in an attribute of the element that has the focus.
pub(crate) fn focused_number(attribute: &str) -> Option<usize> {
    let active = web_sys::window()?.document()?.active_element()?;
    active.get_attribute(attribute)?.parse().ok()
}
