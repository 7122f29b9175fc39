//! Finds and repairs what a provider would refuse, and converts messages between formats.

use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use epitome::Thinking;
use epitome_formats::{
    Adapted, Format, Issue, IssueCode, OwnForm, Reach, RepairedMessage, Severity, Slices,
    Strictness,
};
use js_sys::{Array, Object, Reflect};
use serde_json::Value;
use tsify::Tsify;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::{format, json};

/// The results of repairing and converting. Their messages are of the app's own type, which Rust does not know.
#[wasm_bindgen(typescript_custom_section)]
const REPAIRED: &str = r"
/** Repaired messages, and what was done. */
export interface Repaired<M extends object = object> {
    /** The messages. Those that were valid are the same objects. */
    messages: M[];
    /** What was repaired. */
    done: Issue[];
    /** What is still wrong, because a repair would be a guess. */
    left: Issue[];
}

/** Messages in another format. */
export interface Converted<M extends object = object> {
    messages: M[];
    /** What the other format cannot represent, and where it was. */
    lost: Issue[];
    /** What the provider of the other format refuses in the result, and where it is: defects of the originals. */
    left: Issue[];
}
";

/// Messages that are read slice by slice, and then looked at as a whole.
#[wasm_bindgen]
pub struct ReadMessages {
    format: Format,
    read: Rc<Read>,
    /// How many slices they were read in.
    slices: usize,
}

#[derive(Clone)]
struct Read {
    messages: Array,
    /// The same as JSON.
    values: Vec<Value>,
}

/// Long work on messages, of which each call does a slice.
#[wasm_bindgen]
pub struct LongWork(Pin<Box<dyn Future<Output = Result<JsValue, Thrown>>>>);

#[wasm_bindgen]
impl LongWork {
    /// Does a slice of it. The result, once it is there; `undefined` before. Not to be called again after the result or an error.
    pub fn advance(&mut self) -> Result<JsValue, JsValue> {
        match self.0.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Ok(result?),
            Poll::Pending => Ok(JsValue::UNDEFINED),
        }
    }
}

impl LongWork {
    fn new(work: impl Future<Output = Result<JsValue, Thrown>> + 'static) -> Self {
        Self(Box::pin(work))
    }
}

/// The most messages of which a slice looks at all.
const MANY: usize = 1_000;

#[wasm_bindgen]
impl ReadMessages {
    /// No messages of this format yet.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let read = Rc::new(Read { messages: Array::new(), values: Vec::new() });
        Ok(Self { format, read, slices: 0 })
    }

    /// Reads the next messages.
    pub fn add(&mut self, messages: &Array) -> Result<(), JsValue> {
        let read = Rc::make_mut(&mut self.read);
        read.values.extend(json::messages(messages, read.values.len())?);
        read.messages = read.messages.concat(messages);
        self.slices += 1;
        Ok(())
    }

    /// As many messages as a slice had by which they were read, on average.
    fn in_slices(&self) -> Slices {
        Slices::of((self.read.values.len() / self.slices.max(1)).min(MANY))
    }

    /// What the provider would refuse in the messages; with `strict`, also what only some servers of this format refuse.
    pub fn validate(&self, strict: bool) -> LongWork {
        let strictness = if strict { Strictness::Strictest } else { Strictness::Provider };
        let (read, format, mut slices) = (Rc::clone(&self.read), self.format, self.in_slices());
        LongWork::new(async move {
            let slices = &mut slices;
            let mut issues =
                epitome_formats::validate_in_slices(&read.values, format, strictness, slices).await;
            issues.extend(read.lone_surrogates(slices).await);
            issues.sort_by_key(Issue::message_index);
            Ok(list(issues, slices).await?.into())
        })
    }

    /// The signed reasoning in the messages that a model which locks it to its prefix would refuse, by the messages that were
    /// sent before; see [`epitome_formats::validate_locked`]. Empty for a model that does not. Without a model, the check is
    /// made.
    #[wasm_bindgen(js_name = validateLocked)]
    pub fn validate_locked(&self, earlier: Vec<ReadMessages>, model: Option<String>) -> LongWork {
        let (read, format, mut slices) = (Rc::clone(&self.read), self.format, self.in_slices());
        let is_free =
            |model: String| format.contract().thinking(Some(&model)) != Thinking::LockedToPrefix;
        let is_free = model.is_some_and(is_free);
        LongWork::new(async move {
            if is_free {
                return Ok(Array::new().into());
            }
            let (values, slices) = (&read.values, &mut slices);
            let earlier = earlier.iter().map(|sent| sent.read.values.as_slice());
            let locked =
                epitome_formats::validate_locked_in_slices(values, earlier, format, slices).await;
            Ok(list(locked, slices).await?.into())
        })
    }

    /// The notes in the messages that stand for text which the model cannot get back, if its tools return at most what was put
    /// aside under a path; see [`epitome_formats::validate_notes`].
    #[wasm_bindgen(js_name = validateNotes)]
    pub fn validate_notes(&self, reads_put_aside: bool) -> LongWork {
        let reach = if reads_put_aside { Reach::PutAside } else { Reach::Nothing };
        let (read, format, mut slices) = (Rc::clone(&self.read), self.format, self.in_slices());
        LongWork::new(async move {
            let (values, slices) = (&read.values, &mut slices);
            let notes =
                epitome_formats::validate_notes_in_slices(values, format, reach, slices).await;
            Ok(list(notes, slices).await?.into())
        })
    }

    /// The messages as the provider accepts them, and what was done: a `Repaired`.
    pub fn repair(&self) -> LongWork {
        let (read, format, mut slices) = (Rc::clone(&self.read), self.format, self.in_slices());
        LongWork::new(async move {
            let slices = &mut slices;
            let mut repaired =
                epitome_formats::repair_in_slices(&read.values, format, slices).await;
            repaired.done.extend(read.lone_surrogates(slices).await);
            repaired.done.sort_by_key(Issue::message_index);
            let write = |message: &RepairedMessage| read.repaired(message);
            let written = written(&repaired.messages, write, slices).await?;
            let done = list(repaired.done, slices).await?;
            let left = list(repaired.left, slices).await?;
            Ok(object([("messages", written), ("done", done), ("left", left)]))
        })
    }

    /// The messages in another format: a `Converted`.
    pub fn convert(&self, to: &str) -> Result<LongWork, JsValue> {
        let to = format::named(to)?;
        let (read, from, mut slices) = (Rc::clone(&self.read), self.format, self.in_slices());
        Ok(LongWork::new(async move {
            let slices = &mut slices;
            let converted =
                epitome_formats::convert_in_slices(&read.values, from, to, slices).await;
            // Only bytes must be taken from the originals: everything else is in the JSON.
            let mut known: Vec<json::Known> = Vec::new();
            let find = &mut |indices: Range<usize>| {
                let values = indices.filter_map(|index| Some((index, read.values.get(index)?)));
                let has_bytes = values.filter(|(_, value)| json::has_bytes(value));
                known.extend(has_bytes.map(|(index, value)| (read.original(index), value.clone())));
            };
            slices.each(read.values.len(), find).await;
            let write = |message: &Value| json::graft(&known, message);
            let written = written(&converted.messages, write, slices).await?;
            let lost = list(converted.lost, slices).await?;
            let left = list(converted.left, slices).await?;
            Ok(object([("messages", written), ("lost", lost), ("left", left)]))
        }))
    }
}

impl Read {
    fn original(&self, index: usize) -> JsValue {
        self.messages.get(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// A repaired message. What was valid is the same object.
    fn repaired(&self, message: &RepairedMessage) -> Result<JsValue, Thrown> {
        let (sources, message) = match message {
            RepairedMessage::Keep(index) => match self.values.get(*index) {
                Some(value) if json::has_replacement(value) => (&[*index][..], value),
                _ => return Ok(self.original(*index)),
            },
            RepairedMessage::Composed { sources, message } => (&sources[..], message),
        };
        let known = sources
            .iter()
            .filter_map(|at| Some((self.original(*at), self.values.get(*at)?.clone())));
        json::graft(&known.collect::<Vec<_>>(), message)
    }

    /// Texts with a lone surrogate, which only JavaScript can represent.
    async fn lone_surrogates(&self, slices: &mut Slices) -> Vec<Issue> {
        let mut issues = Vec::new();
        let find = &mut |indices: Range<usize>| {
            let values = indices.clone().zip(self.values.get(indices).unwrap_or_default());
            let paths = values.flat_map(|(index, value)| {
                json::ill_formed(&self.original(index), value, &format!("messages[{index}]"))
            });
            issues.extend(paths.map(|path| Issue {
                path,
                code: IssueCode::LoneSurrogate,
                severity: Severity::Refused,
                message: "half a character; it is sent as \u{fffd}".to_owned(),
            }));
        };
        slices.each(self.values.len(), find).await;
        issues
    }
}

/// The results of writing each of these.
async fn written<T>(
    messages: &[T],
    write: impl Fn(&T) -> Result<JsValue, Thrown>,
    slices: &mut Slices,
) -> Result<Array, Thrown> {
    let (written, mut failed) = (Array::new(), None);
    let step = &mut |range| {
        for message in messages.get(range).unwrap_or_default() {
            match write(message) {
                Ok(message) => _ = written.push(&message),
                Err(error) => failed = Some(error),
            }
        }
    };
    slices.each(messages.len(), step).await;
    failed.map_or(Ok(written), Err)
}

async fn list(issues: Vec<Issue>, slices: &mut Slices) -> Result<Array, Thrown> {
    let write = |issue: &Issue| Ok(issue.clone().into_ts()?.js_value());
    written(&issues, write, slices).await
}

fn object(entries: [(&str, Array); 3]) -> JsValue {
    let object = Object::new();
    for (key, value) in entries {
        // Setting a property of a new object cannot fail.
        let _ = Reflect::set(&object, &key.into(), &value);
    }
    object.into()
}

/// The messages of a team in the format of an agent. `own` has what the agent has written itself in that format: `places` says,
/// in three numbers for each of its parts, the index of the first message that it stands for, how many these are, and how many of
/// `own` stand for them. Those of `own` that are unchanged are the same objects.
#[wasm_bindgen]
pub fn adapt(
    messages: &Array,
    from: &str,
    to: &str,
    own: &Array,
    places: &[u32],
    repairs: bool,
) -> Result<Array, JsValue> {
    let (from, to) = (format::named(from)?, format::named(to)?);
    let (values, own_values) = (json::messages(messages, 0)?, json::messages(own, 0)?);
    let mut rest = own_values.iter();
    let forms = places.chunks_exact(3).map(|place| {
        let number = |at: usize| place.get(at).map_or(0, |number| *number as usize);
        let messages = rest.by_ref().take(number(2)).cloned().collect();
        OwnForm { first: number(0), count: number(1), messages }
    });
    let forms: Vec<OwnForm> = forms.collect();
    let adapted = epitome_formats::adapt(&values, from, to, &forms, repairs);
    let all = messages.iter().zip(values).chain(own.iter().zip(own_values));
    let known: Vec<json::Known> = all.filter(|(_, value)| json::has_bytes(value)).collect();
    let written = adapted.into_iter().map(|adapted| match adapted {
        Adapted::Own(index) => Ok(own.get(u32::try_from(index).unwrap_or(u32::MAX))),
        Adapted::Written(value) => json::graft(&known, &value),
    });
    Ok(written.collect::<Result<Array, Thrown>>()?)
}

/// Messages in another format, each with the index of the first message that it was made of.
#[wasm_bindgen(js_name = convertEach, unchecked_return_type = "[object, number][]")]
pub fn convert_each(messages: &Array, from: &str, to: &str) -> Result<Array, JsValue> {
    let (from, to) = (format::named(from)?, format::named(to)?);
    let values = json::messages(messages, 0)?;
    let converted = epitome_formats::convert(&values, from, to);
    let known: Vec<json::Known> =
        messages.iter().zip(values).filter(|(_, value)| json::has_bytes(value)).collect();
    let written = converted.messages.iter().zip(converted.origins).map(|(message, origin)| {
        let origin = u32::try_from(origin).unwrap_or(u32::MAX);
        Ok(Array::of2(&json::graft(&known, message)?, &origin.into()))
    });
    Ok(written.collect::<Result<Array, Thrown>>()?)
}
