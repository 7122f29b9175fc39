//! Finds and repairs what a provider would refuse, and converts messages between formats.

use epitome::Thinking;
use epitome_formats::{
    Adapted, Format, Issue, IssueCode, OwnForm, Reach, RepairedMessage, Severity, Strictness,
};
use js_sys::{Array, Object, Reflect};
use serde_json::Value;
use tsify::{Ts, Tsify};
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
    messages: Array,
    /// The same as JSON.
    values: Vec<Value>,
}

#[wasm_bindgen]
impl ReadMessages {
    /// No messages of this format yet.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        Ok(Self { format, messages: Array::new(), values: Vec::new() })
    }

    /// Reads the next messages.
    pub fn add(&mut self, messages: &Array) -> Result<(), JsValue> {
        self.values.extend(json::messages(messages, self.values.len())?);
        self.messages = self.messages.concat(messages);
        Ok(())
    }

    /// What the provider would refuse in the messages; with `strict`, also what only some servers of this format refuse.
    pub fn validate(&self, strict: bool) -> Result<Vec<Ts<Issue>>, JsValue> {
        let strictness = if strict { Strictness::Strictest } else { Strictness::Provider };
        let mut issues = epitome_formats::validate(&self.values, self.format, strictness);
        issues.extend(lone_surrogates(&self.messages, &self.values));
        issues.sort_by_key(Issue::message_index);
        list(issues)
    }

    /// The signed reasoning in the messages that a model which locks it to its prefix would refuse, by the messages that were
    /// sent before; see [`epitome_formats::validate_locked`]. Empty for a model that does not. Without a model, the check is
    /// made.
    #[wasm_bindgen(js_name = validateLocked)]
    pub fn validate_locked(
        &self,
        earlier: Vec<ReadMessages>,
        model: Option<String>,
    ) -> Result<Vec<Ts<Issue>>, JsValue> {
        let contract = self.format.contract();
        let is_free = |model: String| contract.thinking(Some(&model)) != Thinking::LockedToPrefix;
        if model.is_some_and(is_free) {
            return Ok(Vec::new());
        }
        let earlier: Vec<Vec<Value>> = earlier.into_iter().map(|sent| sent.values).collect();
        list(epitome_formats::validate_locked(&self.values, &earlier, self.format))
    }

    /// The notes in the messages that stand for text which the model cannot get back, if its tools return at most what was put
    /// aside under a path; see [`epitome_formats::validate_notes`].
    #[wasm_bindgen(js_name = validateNotes)]
    pub fn validate_notes(&self, reads_put_aside: bool) -> Result<Vec<Ts<Issue>>, JsValue> {
        let reach = if reads_put_aside { Reach::PutAside } else { Reach::Nothing };
        list(epitome_formats::validate_notes(&self.values, self.format, reach))
    }

    /// The messages as the provider accepts them, and what was done.
    #[wasm_bindgen(unchecked_return_type = "Repaired")]
    pub fn repair(&self) -> Result<Object, JsValue> {
        let mut repaired = epitome_formats::repair(&self.values, self.format);
        repaired.done.extend(lone_surrogates(&self.messages, &self.values));
        repaired.done.sort_by_key(Issue::message_index);
        let original = |index: usize| self.messages.get(u32::try_from(index).unwrap_or(u32::MAX));
        let written = repaired.messages.into_iter().map(|message| {
            let (sources, message) = match message {
                RepairedMessage::Keep(index) => match self.values.get(index) {
                    Some(value) if json::has_replacement(value) => (vec![index], value.clone()),
                    _ => return Ok(original(index)),
                },
                RepairedMessage::Composed { sources, message } => (sources, message),
            };
            let known = sources
                .into_iter()
                .filter_map(|at| Some((original(at), self.values.get(at)?.clone())));
            json::graft(&known.collect::<Vec<_>>(), &message)
        });
        let written = written.collect::<Result<Array, Thrown>>()?;
        let entry = Object::new();
        // Setting a property of a new object cannot fail.
        let _ = Reflect::set(&entry, &"messages".into(), &written);
        let _ = Reflect::set(&entry, &"done".into(), &array(repaired.done)?);
        let _ = Reflect::set(&entry, &"left".into(), &array(repaired.left)?);
        Ok(entry)
    }

    /// The messages in another format.
    #[wasm_bindgen(unchecked_return_type = "Converted")]
    pub fn convert(&self, to: &str) -> Result<Object, JsValue> {
        let converted = epitome_formats::convert(&self.values, self.format, format::named(to)?);
        // Only bytes must be taken from the originals: everything else is in the JSON.
        let all = self.messages.iter().zip(&self.values);
        let known: Vec<json::Known> = all
            .filter(|(_, value)| json::has_bytes(value))
            .map(|(message, value)| (message, value.clone()))
            .collect();
        let written = converted.messages.iter().map(|message| json::graft(&known, message));
        let written = written.collect::<Result<Array, Thrown>>()?;
        let entry = Object::new();
        // Setting a property of a new object cannot fail.
        let _ = Reflect::set(&entry, &"messages".into(), &written);
        let _ = Reflect::set(&entry, &"lost".into(), &array(converted.lost)?);
        let _ = Reflect::set(&entry, &"left".into(), &array(converted.left)?);
        Ok(entry)
    }
}

/// Texts with a lone surrogate, which only JavaScript can represent.
fn lone_surrogates(messages: &Array, values: &[Value]) -> impl Iterator<Item = Issue> {
    let paths = messages.iter().zip(values).enumerate().flat_map(|(index, (message, value))| {
        json::ill_formed(&message, value, &format!("messages[{index}]"))
    });
    paths.map(|path| Issue {
        path,
        code: IssueCode::LoneSurrogate,
        severity: Severity::Refused,
        message: "half a character; it is sent as \u{fffd}".to_owned(),
    })
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

fn list(issues: Vec<Issue>) -> Result<Vec<Ts<Issue>>, JsValue> {
    let issues = issues.into_iter().map(|issue| issue.into_ts());
    Ok(issues.collect::<Result<_, _>>().map_err(Thrown::from)?)
}

fn array(issues: Vec<Issue>) -> Result<JsValue, JsValue> {
    Ok(list(issues)?.iter().map(Ts::js_value).collect::<Array>().into())
}
