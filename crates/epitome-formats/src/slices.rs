//! Long work in slices, so that a page can be drawn between two of them.

use std::future::poll_fn;
use std::ops::Range;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Divides the work on lists of messages. A future that was given one returns from `poll` after each slice, and is to be polled again
/// at any later time: nothing wakes it.
#[derive(Debug)]
pub struct Slices {
    /// How many messages or parts of messages are a slice; `None` if all is done at once.
    size: Option<usize>,
    /// How many are left of the current slice, of all steps of the work together.
    left: usize,
}

impl Slices {
    /// Slices of this many messages, each of which is looked at several times.
    pub fn of(size: usize) -> Self {
        Self { size: Some(size.max(1)), left: size.max(1) }
    }

    /// All at once.
    pub(crate) fn none() -> Self {
        Self { size: None, left: usize::MAX }
    }

    /// Calls `work` for all of `0..len`, in ranges that follow each other.
    // `work` is a `dyn` function on purpose: a JavaScript engine optimizes a wasm function that is called often, but not a loop in a
    // state machine that runs once.
    pub async fn each(&mut self, len: usize, work: &mut dyn FnMut(Range<usize>)) {
        let mut start = 0;
        while start < len {
            let end = len.min(start.saturating_add(self.left));
            work(start..end);
            self.left -= end - start;
            start = end;
            if self.left == 0 {
                self.left = self.size.unwrap_or(usize::MAX);
                pause().await;
            }
        }
    }

    /// Ends the current slice before or behind a step that takes a list of this length in one go, if it is longer than a slice.
    pub(crate) async fn rest(&mut self, len: usize) {
        if let Some(size) = self.size.filter(|size| len > *size) {
            self.left = size;
            pause().await;
        }
    }
}

/// Pending once.
async fn pause() {
    let mut is_pending = true;
    poll_fn(|_| if std::mem::take(&mut is_pending) { Poll::Pending } else { Poll::Ready(()) })
        .await;
}

/// The result of a future that only pauses by [`Slices`], without the pauses.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return result;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Format, Reach, Strictness, convert, convert_in_slices, repair, repair_in_slices, validate,
        validate_in_slices, validate_locked, validate_locked_in_slices, validate_notes,
        validate_notes_in_slices,
    };
    use serde_json::{Value, json};

    #[test]
    fn work_of_several_steps_pauses_after_each_slice() {
        let mut ranges = Vec::new();
        let work = async {
            let mut slices = Slices::of(3);
            slices.each(4, &mut |range| ranges.push(range)).await;
            slices.each(2, &mut |range| ranges.push(range)).await;
            slices.rest(3).await;
            slices.rest(4).await;
            slices.each(3, &mut |range| ranges.push(range)).await;
        };
        let (mut work, mut pauses) = (Box::pin(work), 0);
        while work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            pauses += 1;
        }
        drop(work);
        assert_eq!((ranges, pauses), (vec![0..3, 3..4, 0..2, 0..3], 4));
    }

    /// Messages with defects of many kinds.
    fn defects() -> Vec<Value> {
        let call = |id: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": "look", "arguments": arguments } });
        let calls =
            |calls: &[Value]| json!({ "role": "assistant", "content": null, "tool_calls": calls });
        let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "a cat" });
        let said = |role: &str, text: &str| json!({ "role": role, "content": text });
        vec![
            said("assistant", "So."),
            result("none"),
            said("user", "hi"),
            calls(&[call("a", "{}"), call("a", "{\"x\": 1")]),
            said("system", "be kind"),
            result("a"),
            result("a"),
            result("a"),
            calls(&[call("b", "")]),
            said("user", " "),
            json!(7),
            said("user", "and?"),
            result("b"),
            calls(&[call("b", "{}")]),
        ]
    }

    #[test]
    fn j24_the_result_of_each_work_does_not_depend_on_the_length_of_a_slice() {
        let messages = defects();
        let (chat, strictest) = (Format::OpenAiChat, Strictness::Strictest);
        let issues = validate(&messages, chat, strictest);
        assert!(issues.len() > 8, "{issues:#?}");
        for size in 1..6 {
            let slices = &mut Slices::of(size);
            let sliced = at_once(validate_in_slices(&messages, chat, strictest, slices));
            assert_eq!(sliced, issues);
            let sliced = at_once(repair_in_slices(&messages, chat, slices));
            assert_eq!(sliced, repair(&messages, chat));
            for to in Format::ALL {
                let sliced = at_once(convert_in_slices(&messages, chat, to, slices));
                assert_eq!(sliced, convert(&messages, chat, to));
            }
            let nothing = Reach::Nothing;
            let sliced = at_once(validate_notes_in_slices(&messages, chat, nothing, slices));
            assert_eq!(sliced, validate_notes(&messages, chat, nothing));
            let thinking = json!({ "type": "thinking", "thinking": "hm", "signature": "s" });
            let own = [json!({ "role": "assistant", "content": [thinking] })];
            let (locked, sent) = (Format::Anthropic, [messages.clone()]);
            let earlier = sent.iter().map(Vec::as_slice);
            let sliced = at_once(validate_locked_in_slices(&own, earlier, locked, slices));
            assert_eq!(sliced, validate_locked(&own, &sent, locked));
            assert_eq!(sliced.len(), 1);
        }
    }
}
