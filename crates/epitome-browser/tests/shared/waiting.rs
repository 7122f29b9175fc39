//! `clock::sleep` ends after its delay, or at an abort.

use epitome_browser::clock::{Aborted, now_ms, sleep};
use js_sys::Function;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{AbortController, AbortSignal};

#[wasm_bindgen_test]
async fn a_wait_lasts_as_long_as_its_delay() {
    let start = now_ms();
    assert_eq!(sleep(50.0, None).await, Ok(()));
    // Timers and the clock may round differently, so a few milliseconds are tolerated.
    assert!(now_ms() - start >= 48.0);
}

#[wasm_bindgen_test]
async fn a_delay_that_is_not_positive_ends_at_once() {
    for delay_ms in [0.0, -1000.0, f64::NAN] {
        assert_eq!(sleep(delay_ms, None).await, Ok(()));
    }
}

#[wasm_bindgen_test]
async fn j16_a_wait_that_is_longer_than_a_timer_has_several() {
    let record = Function::new_no_args(RECORD_TIMERS);
    let recorded = record.call0(&JsValue::NULL).unwrap().unchecked_into::<Function>();
    assert_eq!(sleep(5e9, None).await, Ok(()));
    let delays = recorded.call0(&JsValue::NULL).unwrap().as_string().unwrap();
    assert_eq!(delays, "2147483647 2147483647 705032706");
}

/// Makes long timers fire at once, and records their delays. The function that it returns ends that and returns the
/// delays. Short ones are those of the platform.
const RECORD_TIMERS: &str = r#"
    const { setTimeout } = globalThis;
    const delays = [];
    globalThis.setTimeout = (handler, delay, ...args) => {
        if (delay < 1e6) return setTimeout(handler, delay, ...args);
        delays.push(delay);
        return setTimeout(handler, 0);
    };
    return () => {
        globalThis.setTimeout = setTimeout;
        return delays.join(" ");
    };
"#;

#[wasm_bindgen_test]
async fn an_abort_ends_a_wait() {
    let signal = AbortSignal::timeout_with_u32(20);
    let start = now_ms();
    assert_eq!(sleep(600_000.0, Some(&signal)).await, Err(Aborted));
    assert!(now_ms() - start < 60_000.0);
}

#[wasm_bindgen_test]
async fn an_abort_before_the_wait_ends_it_at_once() {
    let controller = AbortController::new().unwrap();
    controller.abort();
    assert_eq!(sleep(600_000.0, Some(&controller.signal())).await, Err(Aborted));
}
