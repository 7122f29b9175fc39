//! Focus, scroll position and dialogs, by the id of an element.

use leptos::prelude::request_animation_frame;
use wasm_bindgen::JsCast as _;
use web_sys::{
    Element, Event, FocusOptions, HtmlDialogElement, HtmlElement, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

/// The id of the page's main part, which gets the focus if what had it is gone and nothing else is near.
pub(crate) const MAIN: &str = "main";

fn element(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Focuses an element without scrolling the page.
pub(crate) fn focus(id: &str) {
    if let Some(element) = element(id).and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        let _ = element.focus_with_options(&options);
    }
}

/// Whether an element has the focus.
pub(crate) fn has_focus(id: &str) -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    let active = document.and_then(|document| document.active_element());
    active.is_some_and(|active| active.id() == id)
}

/// Focuses an element at the next frame if nothing has the focus then: the element that had it may be gone.
pub(crate) fn focus_instead_of_nothing(id: &'static str) {
    request_animation_frame(move || {
        let document = web_sys::window().and_then(|window| window.document());
        let active = document.as_ref().and_then(web_sys::Document::active_element);
        // The focus leaves a dialog that was just closed only after this frame.
        let is_leaving = |active: &Element| {
            active.closest("dialog:not([open])").is_ok_and(|dialog| dialog.is_some())
        };
        if active.is_none_or(|active| active.tag_name() == "BODY" || is_leaving(&active)) {
            focus(id);
        }
    });
}

/// Whether the page has an element with this id.
pub(crate) fn is_there(id: &str) -> bool {
    element(id).is_some()
}

/// Adds a class to an element at the next frame, if it is there.
pub(crate) fn mark(id: &'static str, class: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = element(id) {
            let _ = element.class_list().add_1(class);
        }
    });
}

/// Removes an element at the next frame, when what takes its place is drawn.
pub(crate) fn remove(id: &'static str) {
    request_animation_frame(move || {
        if let Some(element) = element(id) {
            element.remove();
        }
    });
}

/// Scrolls the page at the next frame, if an element is not in view.
pub(crate) fn reveal(id: &'static str) {
    scroll_to(id, ScrollLogicalPosition::Nearest);
}

/// Scrolls the page at the next frame, so that an element begins where the view does.
pub(crate) fn scroll_to_start(id: &'static str) {
    scroll_to(id, ScrollLogicalPosition::Start);
}

fn scroll_to(id: &'static str, block: ScrollLogicalPosition) {
    request_animation_frame(move || {
        if let Some(element) = element(id) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(block);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}

/// The scroll position of an element in pixels, which is set to `to` first if that is given.
pub(crate) fn scroll_top(id: &str, to: Option<i32>) -> i32 {
    let Some(element) = element(id) else { return 0 };
    if let Some(to) = to {
        element.set_scroll_top(to);
    }
    element.scroll_top()
}

/// The element of an event, or the nearest one around it, that fits a selector.
pub(crate) fn closest(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok()?
}

/// True if the `<details>` of a toggle event, or the `<dialog>` of a close event, are open.
pub(crate) fn is_open(event: &Event) -> bool {
    let toggled = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    toggled.is_some_and(|element| element.has_attribute("open"))
}

/// Opens a modal dialog. The browser keeps the focus inside and restores it afterwards.
pub(crate) fn open_dialog(id: &str) {
    if let Some(dialog) = dialog(id).filter(|dialog| !dialog.open()) {
        let _ = dialog.show_modal();
    }
}

/// Closes a dialog.
pub(crate) fn close_dialog(id: &str) {
    if let Some(dialog) = dialog(id) {
        dialog.close();
    }
}

fn dialog(id: &str) -> Option<HtmlDialogElement> {
    element(id)?.dyn_into().ok()
}
