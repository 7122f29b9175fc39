//! Waiting ends when it should.

use epitome_browser::clock::{Aborted, now_ms, sleep};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{AbortController, AbortSignal};

#[wasm_bindgen_test]
async fn a_wait_takes_its_time() {
    let start = now_ms();
    assert_eq!(sleep(50.0, None).await, Ok(()));
    // Timers and the clock may round differently.
    assert!(now_ms() - start >= 48.0);
}

#[wasm_bindgen_test]
async fn no_delay_is_no_wait() {
    for delay_ms in [0.0, -1000.0, f64::NAN] {
        assert_eq!(sleep(delay_ms, None).await, Ok(()));
    }
}

#[wasm_bindgen_test]
async fn an_abort_ends_a_wait() {
    let signal = AbortSignal::timeout_with_u32(20);
    let start = now_ms();
    assert_eq!(sleep(600_000.0, Some(&signal)).await, Err(Aborted));
    assert!(now_ms() - start < 60_000.0);
}

#[wasm_bindgen_test]
async fn an_earlier_abort_leaves_nothing_to_wait_for() {
    let controller = AbortController::new().unwrap();
    controller.abort();
    assert_eq!(sleep(600_000.0, Some(&controller.signal())).await, Err(Aborted));
}
