//! The compactor as JavaScript holds it.

use std::collections::BTreeSet;

use epitome::history::Edit;
use epitome::message::{Message, MessageId, RequestId};
use epitome::meter::BoxedTokenizer;
use epitome::{Failure, FailureKind, PolicySpec, Snapshot, Timestamp};
use epitome_formats::Format;
use epitome_tokens::Heuristic;
use js_sys::Array;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{ErrorCode, Thrown};
use crate::output::Output;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::status::Status;
use crate::usage::Usage;
use crate::{format, json};

/// Keeps one conversation below its threshold; see [`epitome::Compactor`], whose every command and
/// `handle_*` is here. The driver keeps the messages; this knows them by id.
#[wasm_bindgen]
pub struct Compactor {
    engine: epitome::Compactor,
    format: Format,
}

#[wasm_bindgen]
impl Compactor {
    /// An empty conversation.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, policy: &JsValue) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let policy = resolve(policy)?;
        let engine = epitome::Compactor::new(policy, format.contract(), tokenizer());
        Ok(Self { engine: engine.map_err(Thrown::from)?, format })
    }

    /// Goes on from a snapshot of these messages.
    pub fn restore(snapshot: &str, format: &str, originals: &Array) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let snapshot = Snapshot::from_json(snapshot).map_err(Thrown::from)?;
        let engine = epitome::Compactor::restore(snapshot, format.contract(), tokenizer());
        let engine = engine.map_err(Thrown::from)?;
        compare(&engine, format, originals)?;
        Ok(Self { engine, format })
    }

    /// Adds messages at the end, all of them or none.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over owned lists only")]
    pub fn append(&mut self, ids: Vec<String>, messages: &Array) -> Result<(), JsValue> {
        let mut taken = BTreeSet::new();
        let mut batch = Vec::with_capacity(ids.len());
        for (index, (id, value)) in ids.iter().zip(messages.iter()).enumerate() {
            let id = MessageId::from(id.as_str());
            let known = self.engine.log().position(&id).is_some();
            if known || !taken.insert(id.clone()) {
                return Err(Thrown::from(epitome::CommandError::from(
                    epitome::history::LogError::DuplicateId(id),
                ))
                .into());
            }
            batch.push(read(self.format, id, &value, &format!("messages[{index}]"))?);
        }
        for message in batch {
            self.engine.append(message).map_err(Thrown::from)?;
        }
        Ok(())
    }

    /// Gives a message another wording.
    pub fn edit(&mut self, id: &str, message: &JsValue) -> Result<(), JsValue> {
        let message = read(self.format, id.into(), message, "message")?;
        Ok(self.engine.edit(message).map_err(Thrown::from)?)
    }

    /// Begins a compaction.
    pub fn compact(
        &mut self,
        reason: &Ts<Reason>,
        instructions: Option<String>,
    ) -> Result<(), JsValue> {
        let reason = parse_reason(reason)?;
        Ok(self.engine.compact(reason, instructions).map_err(Thrown::from)?)
    }

    /// Takes the latest compaction back.
    pub fn undo(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.undo().map_err(Thrown::from)?)
    }

    /// Calls a compaction off.
    pub fn cancel(&mut self) {
        self.engine.cancel();
    }

    /// Puts another policy in force, from the next plan on.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&mut self, policy: &JsValue) -> Result<(), JsValue> {
        let policy = resolve(policy)?;
        Ok(self.engine.set_policy(policy).map_err(Thrown::from)?)
    }

    /// Takes what the provider counted for the latest request.
    #[wasm_bindgen(js_name = handleUsage)]
    pub fn handle_usage(&mut self, usage: &JsValue) -> Result<(), JsValue> {
        let usage: Option<Usage> = json::option(usage, "usage", ErrorCode::InvalidOption)?;
        if let Some(usage) = usage {
            self.engine.handle_usage(usage.into());
        }
        Ok(())
    }

    /// Takes a summary.
    #[wasm_bindgen(js_name = handleSummary)]
    pub fn handle_summary(&mut self, request: u32, text: &str) {
        self.engine.handle_summary(RequestId(request), text);
    }

    /// Takes a failure that asking again may help against.
    #[wasm_bindgen(js_name = handleTransientFailure)]
    pub fn handle_transient_failure(
        &mut self,
        request: u32,
        message: String,
        retry_after_ms: Option<f64>,
        now: f64,
    ) {
        let retry_after_ms = retry_after_ms.map(|delay_ms| delay_ms as u64);
        let kind = FailureKind::Transient { retry_after_ms };
        self.handle_failure(request, Failure { kind, message }, now);
    }

    /// Takes a failure that asking again will not help against.
    #[wasm_bindgen(js_name = handlePermanentFailure)]
    pub fn handle_permanent_failure(&mut self, request: u32, message: String, now: f64) {
        self.handle_failure(request, Failure { kind: FailureKind::Permanent, message }, now);
    }

    /// Takes the news that a request was taken back.
    #[wasm_bindgen(js_name = handleCancelled)]
    pub fn handle_cancelled(&mut self, request: u32, now: f64) {
        let failure = Failure { kind: FailureKind::Cancelled, message: String::new() };
        self.handle_failure(request, failure, now);
    }

    /// Goes on where the wait that [`Output::Wait`] asked for is over.
    #[wasm_bindgen(js_name = handleTimeout)]
    pub fn handle_timeout(&mut self, now: f64) {
        self.engine.handle_timeout(Timestamp(now as u64));
    }

    /// Brings a stored record into force.
    #[wasm_bindgen(js_name = handlePersisted)]
    pub fn handle_persisted(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.handle_persisted().map_err(Thrown::from)?)
    }

    /// What the driver is to do next.
    pub fn poll(&mut self) -> Result<Ts<Output>, JsValue> {
        let output = Output::from(self.engine.poll_output());
        Ok(output.into_ts().map_err(Thrown::from)?)
    }

    /// What the model sees: the id of a message that is kept, and the message itself where the engine
    /// put one in.
    #[wasm_bindgen(unchecked_return_type = "(string | object)[]")]
    pub fn view(&self) -> Result<Array, JsValue> {
        let view = self.engine.view();
        let edits = view.edits.into_iter().map(|edit| self.write(&edit));
        Ok(edits.collect::<Result<Array, Thrown>>()?)
    }

    /// How full the window is.
    pub fn status(&self) -> Result<Ts<Status>, JsValue> {
        Ok(Status::from(self.engine.pressure()).into_ts().map_err(Thrown::from)?)
    }

    /// What a compaction would do now.
    pub fn plan(&self, reason: &Ts<Reason>) -> Result<Ts<Plan>, JsValue> {
        let plan = self.engine.plan(parse_reason(reason)?);
        let plan = Plan::of(plan, self.engine.conversation());
        Ok(plan.into_ts().map_err(Thrown::from)?)
    }

    /// Everything, to go on from later.
    pub fn snapshot(&self) -> Result<String, JsValue> {
        Ok(self.engine.snapshot().to_json().map_err(Thrown::from)?)
    }

    /// The ids of all messages, in order.
    pub fn ids(&self) -> Vec<String> {
        self.engine.log().messages().map(|message| message.id.as_str().to_owned()).collect()
    }
}

impl Compactor {
    fn handle_failure(&mut self, request: u32, failure: Failure, now: f64) {
        self.engine.handle_failure(RequestId(request), failure, Timestamp(now as u64));
    }

    fn write(&self, edit: &Edit) -> Result<JsValue, Thrown> {
        match edit {
            Edit::Keep(id) => Ok(id.as_str().into()),
            Edit::Insert { role, parts } => json::write(&self.format.write(*role, parts)),
        }
    }
}

fn tokenizer() -> BoxedTokenizer {
    Box::new(Heuristic)
}

fn resolve(policy: &JsValue) -> Result<epitome::Policy, Thrown> {
    let spec: PolicySpec = json::option(policy, "policy", ErrorCode::InvalidPolicy)?;
    Ok(spec.resolve()?)
}

fn parse_reason(reason: &Ts<Reason>) -> Result<epitome::Reason, Thrown> {
    let reason: Reason = json::option(&reason.js_value(), "reason", ErrorCode::InvalidOption)?;
    Ok(reason.into())
}

/// Reads one message; `place` is how the error calls it.
fn read(format: Format, id: MessageId, value: &JsValue, place: &str) -> Result<Message, Thrown> {
    let invalid = |problem: String| Thrown::new(ErrorCode::InvalidMessage, &problem);
    let value = json::read(value).map_err(|error| invalid(format!("{place} {error}")))?;
    let reading = format.read(id, &value).map_err(|error| invalid(format!("{place}: {error}")))?;
    Ok(reading.message)
}

/// Refuses originals that are not the messages that the engine knows.
fn compare(engine: &epitome::Compactor, format: Format, originals: &Array) -> Result<(), Thrown> {
    let refuse = |problem: String| Err(Thrown::new(ErrorCode::InvalidOriginals, &problem));
    let (known, given) = (engine.log().len(), originals.length() as usize);
    if given < known {
        return refuse(format!(
            "originals[{given}] is missing: the snapshot is of {known} messages, and {given} are there"
        ));
    }
    for (index, (message, original)) in engine.log().messages().zip(originals.iter()).enumerate() {
        let place = format!("originals[{index}]");
        let read = read(format, message.id.clone(), &original, &place)?;
        if (read.role, &read.parts) != (message.role, &message.parts) {
            let id = &message.id;
            return refuse(format!("{place} is not the message {id} of the snapshot"));
        }
    }
    Ok(())
}
