//! Durations and memory, for the page and for the browser's developer tools.

use wasm_bindgen::JsCast as _;
use web_sys::Performance;

/// Measures a piece of work, which the browser's timeline shows by its name.
pub(crate) struct Stopwatch {
    name: &'static str,
}

impl Stopwatch {
    /// Starts it.
    pub(crate) fn start(name: &'static str) -> Self {
        if let Some(performance) = performance() {
            let _ = performance.mark(&format!("{name}:start"));
        }
        Self { name }
    }

    /// Ends it.
    pub(crate) fn stop(self) {
        let Some(performance) = performance() else { return };
        let start = format!("{}:start", self.name);
        let _ = performance.measure_with_start_mark(self.name, &start);
    }
}

/// The size of the page's WebAssembly memory in bytes.
fn memory_bytes() -> u32 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    buffer.byte_length()
}

/// Writes the memory size to the page, as `data-wasm-memory` in bytes, for the tests.
pub(crate) fn show_memory() {
    let root = web_sys::window().and_then(|window| window.document()?.document_element());
    if let Some(root) = root {
        let _ = root.set_attribute("data-wasm-memory", &memory_bytes().to_string());
    }
}

fn performance() -> Option<Performance> {
    web_sys::window()?.performance()
}
