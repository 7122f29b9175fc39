//! Long work in batches, with a pause after each batch, so that building an index does not freeze a page.

use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Tokens per batch: well below a millisecond of work.
pub(super) const BATCH: usize = 1 << 12;

/// Calls `work` for all of `range`, one batch at a time, and awaits `pause` after each batch.
// `work` is a `dyn` function on purpose. A JavaScript engine optimizes a wasm function after some calls, so a loop in a
// function that is called once per batch is optimized soon, but one in an async state machine that runs once is not.
// And the state machine is compiled once instead of once per caller, which keeps the module small.
pub(super) async fn in_batches(
    range: Range<usize>,
    pause: &mut impl AsyncFnMut(),
    work: &mut dyn FnMut(Range<usize>),
) {
    for first in range.clone().step_by(BATCH) {
        work(first..range.end.min(first + BATCH));
        pause().await;
    }
}

/// Runs a future whose pauses are always ready, such as one that builds an index without a pause.
pub(super) fn run_now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}
