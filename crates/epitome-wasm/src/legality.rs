//! What a provider would refuse, what can be done about it, and messages of one format as another.

use epitome_formats::{RepairedMessage, Strictness};
use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::{format, json};

/// Something about messages that a provider, or some server of its kind, refuses.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct Issue {
    /// Where: `messages[3].content[1]`.
    pub path: String,
    /// What.
    pub code: IssueCode,
    /// How bad that is.
    pub severity: Severity,
    /// What, for a person.
    pub message: String,
}

/// How bad an issue is.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nobody refuses it.
    Odd,
    /// Some servers of this format refuse it, and others do not.
    Depends,
    /// The provider refuses it.
    Refused,
}

/// What can be wrong with messages.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub enum IssueCode {
    /// No message at all.
    NotAMessage,
    /// A part that this format does not have.
    UnknownPart,
    /// A part of another format.
    ForeignPart,
    /// A role that is missing, or is none.
    UnknownRole,
    /// Nothing where something must be said.
    MissingContent,
    /// Something else than text where text must be.
    NotText,
    /// A call without arguments.
    MissingArguments,
    /// Arguments that are no JSON.
    BrokenArguments,
    /// A call without a result.
    MissingResult,
    /// A result without a call.
    OrphanResult,
    /// A second result of a call.
    RepeatedResult,
    /// A result that does not stand where it must.
    MisplacedResult,
    /// Results of one turn in several messages.
    SplitResults,
    /// Two calls of one message share an id.
    SharedCallId,
    /// The id of an earlier call is used again.
    ReusedCallId,
    /// An id of a call that has characters which are refused, or too many.
    RefusedCallId,
    /// A call or a result without an id.
    MissingCallId,
    /// The id of an earlier message, where each has its own.
    RepeatedId,
    /// A message without an id, where each has its own.
    MissingId,
    /// The id of a message that does not begin as those of its kind do.
    RefusedId,
    /// A message with nothing in it.
    BlankMessage,
    /// An empty text in a message.
    BlankText,
    /// Nothing but system messages.
    NothingSaid,
    /// A system message where none may stand.
    SystemInside,
    /// Somebody else than a user speaks first.
    NotUserFirst,
    /// The model itself speaks last in a request.
    AssistantLast,
    /// The same role twice in a row.
    SameRoleTwice,
    /// Reasoning without the provider's signature.
    UnsignedReasoning,
    /// A message of nothing but thoughts.
    ReasoningAlone,
    /// A compaction by the provider with nothing in it.
    EmptyCompaction,
    /// A compaction by the provider, or a request for one, that does not stand where it must.
    MisplacedCompaction,
    /// Half a character, as after a cut through an emoji: no text that can be sent.
    LoneSurrogate,
    /// Something that another format cannot hold.
    Lost,
}

/// What repairing and converting answer; the messages in them are the app's own type.
#[wasm_bindgen(typescript_custom_section)]
const REPAIRED: &str = r"
/** Messages that were put right, and what was done. */
export interface Repaired<M extends object = object> {
    /** The messages: those that were right are the very objects that came. */
    messages: M[];
    /** What was wrong, and is not any more. */
    done: Issue[];
    /** What is still wrong: it could only be put right by guessing. */
    left: Issue[];
}

/** Messages in another format. */
export interface Converted<M extends object = object> {
    messages: M[];
    /** What the target could not hold, and where it was. */
    lost: Issue[];
}
";

/// What the provider of this format would refuse in these messages; with `strict`, also what only some
/// servers of this format refuse.
#[wasm_bindgen]
pub fn validate(messages: &Array, format: &str, strict: bool) -> Result<Vec<Ts<Issue>>, JsValue> {
    let format = format::named(format)?;
    let values = json::messages(messages)?;
    let strictness = if strict { Strictness::Strictest } else { Strictness::Provider };
    let mut issues = epitome_formats::validate(&values, format, strictness);
    issues.extend(halves(messages));
    issues.sort_by_key(epitome_formats::Issue::message_index);
    list(issues)
}

/// Texts with half a character in them, which only JavaScript can hold.
fn halves(messages: &Array) -> impl Iterator<Item = epitome_formats::Issue> {
    json::ill_formed(messages, "messages").into_iter().map(|path| epitome_formats::Issue {
        path,
        code: epitome_formats::IssueCode::LoneSurrogate,
        severity: epitome_formats::Severity::Refused,
        message: "half a character; it is sent as \u{fffd}".to_owned(),
    })
}

/// The same messages as this provider takes them, and what was done.
#[wasm_bindgen(unchecked_return_type = "Repaired")]
pub fn repair(messages: &Array, format: &str) -> Result<Object, JsValue> {
    let format = format::named(format)?;
    let values = json::messages(messages)?;
    let mut repaired = epitome_formats::repair(&values, format);
    repaired.done.extend(halves(messages));
    repaired.done.sort_by_key(epitome_formats::Issue::message_index);
    let original = |index: usize| messages.get(u32::try_from(index).unwrap_or(u32::MAX));
    let made = repaired.messages.into_iter().map(|message| match message {
        RepairedMessage::Keep(index) => match values.get(index) {
            Some(value) => json::graft(&[(original(index), value.clone())], value),
            None => Ok(original(index)),
        },
        RepairedMessage::Composed { sources, message } => {
            let known =
                sources.into_iter().filter_map(|at| Some((original(at), values.get(at)?.clone())));
            json::graft(&known.collect::<Vec<_>>(), &message)
        }
    });
    let made = made.collect::<Result<Array, Thrown>>()?;
    let entry = Object::new();
    // A new object takes any property.
    let _ = Reflect::set(&entry, &"messages".into(), &made);
    let _ = Reflect::set(&entry, &"done".into(), &array(repaired.done)?);
    let _ = Reflect::set(&entry, &"left".into(), &array(repaired.left)?);
    Ok(entry)
}

/// Messages of one format in another.
#[wasm_bindgen(unchecked_return_type = "Converted")]
pub fn convert(messages: &Array, from: &str, to: &str) -> Result<Object, JsValue> {
    let (from, to) = (format::named(from)?, format::named(to)?);
    let values = json::messages(messages)?;
    let converted = epitome_formats::convert(&values, from, to);
    // Only bytes have to be found again in what came.
    let known: Vec<json::Known> =
        messages.iter().zip(values).filter(|(_, value)| json::has_bytes(value)).collect();
    let written = converted.messages.iter().map(|message| json::graft(&known, message));
    let written = written.collect::<Result<Array, Thrown>>()?;
    let entry = Object::new();
    // A new object takes any property.
    let _ = Reflect::set(&entry, &"messages".into(), &written);
    let _ = Reflect::set(&entry, &"lost".into(), &array(converted.lost)?);
    Ok(entry)
}

fn list(issues: Vec<epitome_formats::Issue>) -> Result<Vec<Ts<Issue>>, JsValue> {
    let issues = issues.into_iter().map(|issue| Issue::from(issue).into_ts());
    Ok(issues.collect::<Result<_, _>>().map_err(Thrown::from)?)
}

fn array(issues: Vec<epitome_formats::Issue>) -> Result<JsValue, JsValue> {
    Ok(list(issues)?.iter().map(Ts::js_value).collect::<Array>().into())
}

impl From<epitome_formats::Issue> for Issue {
    fn from(issue: epitome_formats::Issue) -> Self {
        let epitome_formats::Issue { path, code, severity, message } = issue;
        Self { path, code: code.into(), severity: severity.into(), message }
    }
}

impl From<epitome_formats::Severity> for Severity {
    fn from(severity: epitome_formats::Severity) -> Self {
        use epitome_formats::Severity as S;
        match severity {
            S::Odd => Self::Odd,
            S::Depends => Self::Depends,
            S::Refused => Self::Refused,
        }
    }
}

impl From<epitome_formats::IssueCode> for IssueCode {
    fn from(code: epitome_formats::IssueCode) -> Self {
        use epitome_formats::IssueCode as C;
        match code {
            C::NotAMessage => Self::NotAMessage,
            C::UnknownPart => Self::UnknownPart,
            C::ForeignPart => Self::ForeignPart,
            C::UnknownRole => Self::UnknownRole,
            C::MissingContent => Self::MissingContent,
            C::NotText => Self::NotText,
            C::MissingArguments => Self::MissingArguments,
            C::BrokenArguments => Self::BrokenArguments,
            C::MissingResult => Self::MissingResult,
            C::OrphanResult => Self::OrphanResult,
            C::RepeatedResult => Self::RepeatedResult,
            C::MisplacedResult => Self::MisplacedResult,
            C::SplitResults => Self::SplitResults,
            C::SharedCallId => Self::SharedCallId,
            C::ReusedCallId => Self::ReusedCallId,
            C::RefusedCallId => Self::RefusedCallId,
            C::MissingCallId => Self::MissingCallId,
            C::RepeatedId => Self::RepeatedId,
            C::MissingId => Self::MissingId,
            C::RefusedId => Self::RefusedId,
            C::BlankMessage => Self::BlankMessage,
            C::BlankText => Self::BlankText,
            C::NothingSaid => Self::NothingSaid,
            C::SystemInside => Self::SystemInside,
            C::NotUserFirst => Self::NotUserFirst,
            C::AssistantLast => Self::AssistantLast,
            C::SameRoleTwice => Self::SameRoleTwice,
            C::UnsignedReasoning => Self::UnsignedReasoning,
            C::ReasoningAlone => Self::ReasoningAlone,
            C::EmptyCompaction => Self::EmptyCompaction,
            C::MisplacedCompaction => Self::MisplacedCompaction,
            C::LoneSurrogate => Self::LoneSurrogate,
            C::Lost => Self::Lost,
        }
    }
}
