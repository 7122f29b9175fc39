//! When a request is stopped, the server sees its connection closed, and no timer or listener remains.

use std::cell::Cell;
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use epitome_browser::{Endpoint, EndpointErrorCode, Streaming, Timeouts};
use js_sys::Function;
use serde_json::json;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::AbortController;

use super::scripted::Scripted;

#[wasm_bindgen_test]
async fn an_abort_during_the_response_closes_the_connection() {
    let controller = AbortController::new().unwrap();
    let scripted = Scripted::new("stall-mid");
    let result = scripted.ask(Some(&controller.signal()), &mut |_| controller.abort()).await;
    assert_eq!(result.unwrap_err().code, EndpointErrorCode::Aborted);
    assert_eq!(scripted.log_after_aborts(1).await["aborted"], 1);
}

#[wasm_bindgen_test]
async fn an_abort_before_the_first_byte_closes_the_connection() {
    for scenario in ["stall-first-byte", "stall-after-head"] {
        let controller = AbortController::new().unwrap();
        let signal = controller.signal();
        let scripted = Scripted::new(scenario);
        let mut on_delta = |_: &str| {};
        let mut asked = pin!(scripted.ask(Some(&signal), &mut on_delta));
        poll_fn(|context| {
            assert!(asked.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        scripted.log_when_open(1).await;
        controller.abort();
        assert_eq!(asked.await.unwrap_err().code, EndpointErrorCode::Aborted, "{scenario}");
        assert_eq!(scripted.log_after_aborts(1).await["aborted"], 1, "{scenario}");
    }
}

#[wasm_bindgen_test]
async fn an_abort_before_the_request_sends_nothing() {
    let controller = AbortController::new().unwrap();
    controller.abort();
    let scripted = Scripted::new("ok");
    let result = scripted.ask(Some(&controller.signal()), &mut |_| {}).await;
    assert_eq!(result.unwrap_err().code, EndpointErrorCode::Aborted);
    assert_eq!(scripted.log().await["requests"], 0);
}

#[wasm_bindgen_test]
async fn an_abort_during_the_last_delta_is_still_an_abort() {
    let controller = AbortController::new().unwrap();
    let scripted = Scripted::with("ok", |endpoint| endpoint.stream = Streaming::Plain);
    let result = scripted.ask(Some(&controller.signal()), &mut |_| controller.abort()).await;
    assert_eq!(result.unwrap_err().code, EndpointErrorCode::Aborted);
}

#[wasm_bindgen_test]
async fn j5_an_abort_works_in_the_middle_of_a_stream_that_arrived_in_one_piece() {
    const EVENTS: u32 = 100_000;
    let controller = AbortController::new().unwrap();
    let scripted = Scripted::new("ok");
    let answer = Function::new_with_args("count, controller", ANSWER_AT_ONCE);
    let abort_soon = answer
        .call2(&JsValue::NULL, &EVENTS.into(), &controller)
        .unwrap()
        .unchecked_into::<Function>();
    let mut deltas = 0;
    let mut on_delta = |_: &str| {
        if deltas == 0 {
            abort_soon.call0(&JsValue::NULL).unwrap();
        }
        deltas += 1;
    };
    let result = scripted.ask(Some(&controller.signal()), &mut on_delta).await;
    assert_eq!(result.unwrap_err().code, EndpointErrorCode::Aborted);
    assert!((1..EVENTS).contains(&deltas), "{deltas}");
}

/// Answers the next request by a stream of so many deltas, which has arrived already. The function that it returns aborts
/// by a timer.
const ANSWER_AT_ONCE: &str = r#"
    const { fetch } = globalThis;
    const delta = `data: ${JSON.stringify({ choices: [{ delta: { content: "word " } }] })}\n\n`;
    const bytes = new TextEncoder().encode(delta.repeat(count));
    globalThis.fetch = async () => {
        globalThis.fetch = fetch;
        return new Response(new ReadableStream({ start(stream) { stream.enqueue(bytes); stream.close(); } }));
    };
    return () => setTimeout(() => controller.abort(), 0);
"#;

#[wasm_bindgen_test]
async fn dropping_a_request_closes_its_connection() {
    // An answer that ends could end before it is dropped.
    let scripted = Scripted::new("stall-mid");
    let has_begun = Cell::new(false);
    {
        let mut on_delta = |_: &str| has_begun.set(true);
        let mut asked = pin!(scripted.ask(None, &mut on_delta));
        poll_fn(|context| {
            assert!(asked.as_mut().poll(context).is_pending());
            if has_begun.get() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
    assert_eq!(scripted.log_after_aborts(1).await["aborted"], 1);
}

#[wasm_bindgen_test]
async fn each_timeout_has_its_own_code_and_closes_the_connection() {
    let short = |timeouts: Timeouts| {
        move |endpoint: &mut Endpoint| {
            endpoint.timeouts = timeouts;
        }
    };
    let default = Timeouts::default();
    let first_byte = Timeouts { first_byte_ms: 100, ..default };
    let idle = Timeouts { idle_ms: 100, ..default };
    let total = Timeouts { total_ms: 100, ..default };
    for (scenario, timeouts, code) in [
        ("stall-first-byte", first_byte, EndpointErrorCode::FirstByteTimeout),
        ("stall-after-head", first_byte, EndpointErrorCode::FirstByteTimeout),
        ("stall-mid", idle, EndpointErrorCode::IdleTimeout),
        ("slow", total, EndpointErrorCode::TotalTimeout),
        ("stall-mid", total, EndpointErrorCode::TotalTimeout),
    ] {
        let scripted = Scripted::with(scenario, short(timeouts));
        let error = scripted.error().await;
        assert_eq!(error.code, code, "{scenario}: {error}");
        assert!(error.message.contains("100 ms"), "{scenario}: {error}");
        let log = scripted.log_after_aborts(1).await;
        assert_eq!((&log["aborted"], &log["open"]), (&json!(1), &json!(0)), "{scenario}");
    }
}

#[wasm_bindgen_test]
async fn only_the_total_timeout_applies_to_a_response_that_is_not_streamed() {
    let scripted = Scripted::with("stall-first-byte", |endpoint| {
        endpoint.stream = Streaming::Plain;
        endpoint.timeouts = Timeouts { first_byte_ms: 1, idle_ms: 1, total_ms: 150 };
    });
    assert_eq!(scripted.error().await.code, EndpointErrorCode::TotalTimeout);
}

#[wasm_bindgen_test]
async fn an_error_in_the_middle_of_a_response_closes_the_connection() {
    // The line is too long, which is noticed long before its end.
    let scripted = Scripted::new("huge-line");
    assert_eq!(scripted.error().await.code, EndpointErrorCode::BadAnswer);
    scripted.log_when_open(0).await;
}

#[wasm_bindgen_test]
async fn no_timer_and_no_listener_outlives_a_request() {
    // The last digit distinguishes these timers from those of the platform.
    let timeouts = Timeouts { first_byte_ms: 300_007, idle_ms: 107, total_ms: 700_007 };
    let controller = AbortController::new().unwrap();
    let signal = controller.signal();
    let count = Function::new_with_args("signal", COUNT_TIMERS_AND_LISTENERS);
    let left = count.call1(&JsValue::NULL, &signal).unwrap().unchecked_into::<Function>();
    for scenario in ["ok", "plain", "401", "cut", "stall-mid", "dawdle", "max-completion-tokens"] {
        let scripted = Scripted::with(scenario, |endpoint| endpoint.timeouts = timeouts);
        let _ = scripted.ask(Some(&signal), &mut |_| {}).await;
    }
    let left = left.call0(&JsValue::NULL).unwrap().as_string().unwrap();
    assert!(!left.starts_with("0 "), "{left}");
    assert!(left.ends_with(" started, 0 timers left, 0 listeners left"), "{left}");
}

/// Counts the timers and listeners that start and end from here on. The function that it returns stops counting and
/// returns the result.
const COUNT_TIMERS_AND_LISTENERS: &str = r#"
    const { setTimeout, clearTimeout } = globalThis;
    const timers = new Set();
    let started = 0;
    let listeners = 0;
    globalThis.setTimeout = (handler, delay, ...args) => {
        const timer = setTimeout((...args) => { timers.delete(timer); handler(...args); }, delay, ...args);
        if (delay % 10 === 7) {
            timers.add(timer);
            started += 1;
        }
        return timer;
    };
    globalThis.clearTimeout = (timer) => { timers.delete(timer); clearTimeout(timer); };
    signal.addEventListener = (...args) => {
        listeners += 1;
        EventTarget.prototype.addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args) => {
        listeners -= 1;
        EventTarget.prototype.removeEventListener.apply(signal, args);
    };
    return () => {
        Object.assign(globalThis, { setTimeout, clearTimeout });
        return `${started} started, ${timers.size} timers left, ${listeners} listeners left`;
    };
"#;
