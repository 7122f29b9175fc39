//! Reads vocabularies. Each one counts at once, and faster after its index is built.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use epitome_buffer as buffer;
use epitome_tokens::{BytePairs, Encoding, VocabularyError, join_shards};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::exact::{self, Reach};

type Building = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    /// The indexes that are not built yet. The first one is in progress.
    static BUILDING: RefCell<VecDeque<Building>> = RefCell::default();
}

/// Reads the vocabulary of an encoding from the buffer. Returns 0 if the encoding can count now. Otherwise the buffer
/// has the error message, and the result is the length of the message in bytes.
#[wasm_bindgen(js_name = readWhole)]
pub fn read_whole(encoding: usize) -> usize {
    keep(encoding, Reach::Everything, BytePairs::open(buffer::take()))
}

/// The same for the shard for ASCII alone.
#[wasm_bindgen(js_name = readAscii)]
pub fn read_ascii(encoding: usize) -> usize {
    keep(encoding, Reach::Ascii, BytePairs::open(buffer::take()))
}

/// The same for the shard for ASCII, which has `ascii_bytes` bytes, followed by the rest.
#[wasm_bindgen(js_name = readShards)]
pub fn read_shards(encoding: usize, ascii_bytes: usize) -> usize {
    let files = buffer::take();
    let (ascii, rest) = files.split_at_checked(ascii_bytes).unwrap_or_default();
    let whole = join_shards(ascii, rest);
    // Freed before the vocabulary is built, which lowers the peak of memory.
    drop(files);
    keep(encoding, Reach::Everything, whole.and_then(BytePairs::open))
}

/// Builds indexes for a fraction of a millisecond. Returns true if there is more to build: the caller decides when to
/// call again, so that a page stays responsive.
#[wasm_bindgen]
pub fn advance() -> bool {
    let Some(mut building) = BUILDING.with_borrow_mut(VecDeque::pop_front) else { return false };
    let polled = building.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    BUILDING.with_borrow_mut(|waiting| {
        if polled.is_pending() {
            waiting.push_front(building);
        }
        !waiting.is_empty()
    })
}

fn keep(encoding: usize, reach: Reach, read: Result<BytePairs, VocabularyError>) -> usize {
    let vocabulary = match read {
        Ok(vocabulary) => Rc::new(vocabulary),
        Err(error) => return buffer::put(error.to_string()),
    };
    let found = vocabulary.encoding();
    if Encoding::ALL.get(encoding) != Some(&found) {
        return buffer::put(["that of ", found.as_str()].concat());
    }
    exact::keep(Rc::clone(&vocabulary), reach);
    let building = async move {
        // The vocabulary also counts without an index, so an error here is not reported.
        let _ = vocabulary.build_index(pause).await;
    };
    BUILDING.with_borrow_mut(|waiting| waiting.push_back(Box::pin(building)));
    0
}

/// A future that is pending once: `advance` returns there.
async fn pause() {
    let mut paused = false;
    let pause = |_: &mut Context<'_>| match std::mem::replace(&mut paused, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    };
    poll_fn(pause).await;
}
