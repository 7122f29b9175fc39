//! Dragging along an element, by its id.

use wasm_bindgen::JsCast as _;
use web_sys::{Element, PointerEvent};

/// Sends all further events of the pointer that was just pressed to the element under it, until it is released.
pub(crate) fn drag_along(event: &PointerEvent) {
    let target = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(target) = target {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}

/// Where a pressed pointer is along an element, from 0 at the edge where lines begin to 1 at the other one; `None` if no button
/// is pressed.
pub(crate) fn share_along(event: &PointerEvent, id: &str) -> Option<f64> {
    if event.buttons() == 0 {
        return None;
    }
    let document = web_sys::window()?.document()?;
    let place = document.get_element_by_id(id)?.get_bounding_client_rect();
    let at = f64::from(event.client_x());
    let from_start = match document.dir().as_str() {
        "rtl" => place.right() - at,
        _ => at - place.left(),
    };
    Some((from_start / place.width().max(1.0)).clamp(0.0, 1.0))
}
