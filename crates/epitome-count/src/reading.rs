//! Reads vocabularies: each counts at once, and faster once its index is built.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use epitome_tokens::{BytePairs, Encoding, VocabularyError, join_shards};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::exact::{self, Reach};
use crate::room;

type Building = Pin<Box<dyn Future<Output = ()>>>;

thread_local! {
    /// The indexes that are to be built, the one under way in front.
    static BUILDING: RefCell<VecDeque<Building>> = RefCell::default();
}

/// Reads the vocabulary of an encoding, which the room holds. Returns 0 where the encoding counts from now on, and
/// else how many bytes of the room say why it does not.
#[wasm_bindgen(js_name = readWhole)]
pub fn read_whole(encoding: usize) -> usize {
    keep(encoding, Reach::Everything, BytePairs::open(room::take()))
}

/// The same with the shard for ASCII alone.
#[wasm_bindgen(js_name = readAscii)]
pub fn read_ascii(encoding: usize) -> usize {
    keep(encoding, Reach::Ascii, BytePairs::open(room::take()))
}

/// The same with the shard for ASCII, of so many bytes, and the rest behind it.
#[wasm_bindgen(js_name = readShards)]
pub fn read_shards(encoding: usize, ascii_bytes: usize) -> usize {
    let files = room::take();
    let (ascii, rest) = files.split_at_checked(ascii_bytes).unwrap_or_default();
    let whole = join_shards(ascii, rest);
    drop(files);
    keep(encoding, Reach::Everything, whole.and_then(BytePairs::open))
}

/// Builds indexes for a fraction of a millisecond. True where there is more to build, so that whoever is in no hurry
/// may rest.
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
        Err(error) => return room::put(error.to_string()),
    };
    let found = vocabulary.encoding();
    if Encoding::ALL.get(encoding) != Some(&found) {
        return room::put(["that of ", found.as_str()].concat());
    }
    exact::keep(Rc::clone(&vocabulary), reach);
    let building = async move {
        // Without an index it counts as well, if not as fast.
        let _ = vocabulary.build_index(pause).await;
    };
    BUILDING.with_borrow_mut(|waiting| waiting.push_back(Box::pin(building)));
    0
}

/// Lets go of the stretch once.
async fn pause() {
    let mut paused = false;
    let pause = |_: &mut Context<'_>| match std::mem::replace(&mut paused, true) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    };
    poll_fn(pause).await;
}
