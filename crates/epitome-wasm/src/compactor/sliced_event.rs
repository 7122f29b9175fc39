//! An event with a long receipt, which crosses in slices: to make objects of ten thousand facts takes longer than a page may
//! stand still.

use std::mem;

use epitome::Event;
use epitome::facts::Fact;
use js_sys::{Array, Reflect};
use wasm_bindgen::prelude::JsValue;

use crate::error::Thrown;
use crate::json;
use crate::output::Output;

/// Facts of one slice: a few milliseconds of work.
const SLICE: usize = 2_000;

/// An event whose receipt has crossed in part.
pub(super) struct SlicedEvent {
    event: JsValue,
    /// The lists of the receipt that have not crossed.
    lists: Vec<List>,
    /// Facts of one slice.
    slice: usize,
}

/// A list of a receipt.
struct List {
    name: &'static str,
    /// The facts that have crossed.
    done: Array,
    rest: Vec<Fact>,
}

impl SlicedEvent {
    /// Begins with an event. `None` if it crosses at once.
    pub(super) fn begin(event: &mut Event) -> Result<Option<Self>, Thrown> {
        let (Event::End { report } | Event::Reacted { report, .. }) = event else {
            return Ok(None);
        };
        let receipt = &mut report.receipt;
        if receipt.kept.len() + receipt.appended.len() + receipt.given_up.len() <= SLICE {
            return Ok(None);
        }
        let lists = [
            ("kept", mem::take(&mut receipt.kept)),
            ("appended", mem::take(&mut receipt.appended)),
            ("givenUp", mem::take(&mut receipt.given_up)),
        ];
        let lists = lists.map(|(name, rest)| List { name, done: Array::new(), rest }).into();
        Ok(Some(Self { event: json::write(event)?, lists, slice: SLICE }))
    }

    /// Lets the next slice cross. The event, if that was the last one.
    pub(super) fn advance(&mut self) -> Result<Output, Thrown> {
        let mut left = self.slice;
        for List { done, rest, .. } in &mut self.lists {
            let next: Vec<Fact> = rest.drain(..rest.len().min(left)).collect();
            left -= next.len();
            let facts: Array = json::write(&next)?.into();
            *done = done.concat(&facts);
        }
        match self.lists.iter().all(|list| list.rest.is_empty()) {
            true => self.finish(),
            false => Ok(Output::Continue),
        }
    }

    /// Lets the next slice be all that is left.
    pub(super) fn hurry(&mut self) {
        self.slice = usize::MAX;
    }

    fn finish(&mut self) -> Result<Output, Thrown> {
        // An object without getters: to read and to set its properties cannot fail.
        let get =
            |object: &JsValue, name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
        let receipt = get(&get(&self.event, "report"), "receipt");
        for List { name, done, .. } in self.lists.drain(..) {
            let _ = Reflect::set(&receipt, &name.into(), &done);
        }
        Ok(Output::Event { event: mem::take(&mut self.event) })
    }
}
