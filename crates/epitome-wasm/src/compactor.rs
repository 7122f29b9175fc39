//! The compactor as JavaScript holds it.

use std::collections::BTreeSet;

use epitome::Pressure;
use epitome::history::LogError;
use epitome::message::{Message, MessageId, RequestId};
use epitome::tokens::BoxedTokenizer;
use epitome::{CommandError, Failure, FailureKind, Policy, Snapshot, Timestamp};
use epitome_formats::{Format, Outgoing, fit, pieces_of, whole_of};
use js_sys::{Array, Object, Reflect};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::made::Made;
use crate::metadata::MessageMetadata;
use crate::output::Output;
use crate::plan::{Plans, actions};
use crate::policy::{Phase, resolve};
use crate::reason::Reason;
use crate::status::Status;
use crate::{format, json, memory, plain, room, tokenizer, usage};

/// Keeps one conversation below its threshold; see [`epitome::Compactor`], whose every command and
/// `handle_*` is here. The driver keeps the messages; this knows them by id.
#[wasm_bindgen]
pub struct Compactor {
    engine: epitome::Compactor,
    format: Format,
    agent: Option<String>,
    made: Made,
    plans: Plans,
}

#[wasm_bindgen]
impl Compactor {
    /// An empty conversation, of an agent of this name or of any.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, policy: &JsValue, agent: Option<String>) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let policy = resolve(policy, agent.as_deref())?;
        let tokenizer = counts(&policy, format)?;
        let engine = epitome::Compactor::new(policy, format, tokenizer);
        let engine = engine.map_err(Thrown::from)?;
        Ok(Self { engine, format, agent, made: Made::default(), plans: Plans::default() })
    }

    /// Goes on from a snapshot of these messages.
    pub fn restore(
        snapshot: &str,
        format: &str,
        originals: &Array,
        agent: Option<String>,
    ) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let snapshot = Snapshot::from_json(snapshot).map_err(Thrown::from)?;
        let tokenizer = counts(snapshot.policy(), format)?;
        let engine = epitome::Compactor::restore(snapshot, format, tokenizer);
        let engine = engine.map_err(Thrown::from)?;
        compare(&engine, format, originals)?;
        Ok(Self { engine, format, agent, made: Made::default(), plans: Plans::default() })
    }

    /// Adds messages at the end, with these metadata, all of them or none.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over owned lists only")]
    pub fn append(
        &mut self,
        ids: Vec<String>,
        messages: &Array,
        metadata: &JsValue,
    ) -> Result<(), JsValue> {
        let mut pieces = Vec::new();
        for (index, (id, value)) in ids.iter().zip(messages.iter()).enumerate() {
            let id = MessageId::from(id.as_str());
            let place = format_args!("messages[{index}]");
            pieces.extend(json::message(self.format, &id, &value, &place)?);
        }
        Ok(self.append_pieces(pieces, metadata)?)
    }

    /// The same for messages that are in the room as JSON, white space between them. Their ids are `m` and a number,
    /// which is `first` for the first. False where some of that cannot be read, and nothing was added.
    #[wasm_bindgen(js_name = appendPlain)]
    pub fn append_plain(
        &mut self,
        bytes: usize,
        first: u32,
        metadata: &JsValue,
    ) -> Result<bool, JsValue> {
        let read = room::look(bytes, |json| plain::read(self.format, json, first))?;
        let Some(pieces) = read else { return Ok(false) };
        self.append_pieces(pieces, metadata)?;
        Ok(true)
    }

    /// Gives a message another wording. Of its metadata, those given here change. A message of several pieces
    /// has as many afterwards, but for the last one, which may have grown.
    pub fn edit(&mut self, id: &str, message: &JsValue, metadata: &JsValue) -> Result<(), JsValue> {
        let metadata: MessageMetadata =
            json::option(metadata, "metadata", PackageErrorCode::InvalidOption.into())?;
        let whole = MessageId::from(id);
        let pieces = json::message(self.format, &whole, message, &"message")?;
        let log = self.engine.log();
        let earlier: Vec<Message> = pieces_of(log, &whole).cloned().collect();
        let last = log.messages().next_back().map(|message| &message.id);
        let grows = last.is_some() && last == earlier.last().map(|piece| &piece.id);
        let count = if grows { pieces.len().max(earlier.len()) } else { earlier.len().max(1) };
        let pieces = fit(pieces, &whole, count);
        for (index, mut piece) in pieces.into_iter().enumerate() {
            if let Some(earlier) = earlier.get(index).or(earlier.first()) {
                let own = piece.author.clone();
                piece = MessageMetadata::of(earlier).on(piece);
                piece.author = own.or(piece.author);
            }
            let piece = metadata.on(piece);
            match index < earlier.len().max(1) {
                true => self.engine.edit(piece),
                false => self.engine.append(piece),
            }
            .map_err(Thrown::from)?;
        }
        self.made = Made::default();
        Ok(())
    }

    /// Notes the open tasks.
    #[wasm_bindgen(js_name = setTodo)]
    pub fn set_todo(&mut self, text: String) -> Result<(), JsValue> {
        Ok(self.engine.set_todo(text).map_err(Thrown::from)?)
    }

    /// Why a compaction is due at this phase, if it is.
    pub fn check(&mut self, phase: &Ts<Phase>) -> Result<Option<Ts<Reason>>, JsValue> {
        let due = self.engine.check(parse_phase(phase)?).map(|due| Reason::from(due).into_ts());
        Ok(due.transpose().map_err(Thrown::from)?)
    }

    /// What [`Self::check`] would answer, for a display.
    pub fn due(&self, phase: &Ts<Phase>) -> Result<Option<Ts<Reason>>, JsValue> {
        let due = self.engine.due(parse_phase(phase)?).map(|due| Reason::from(due).into_ts());
        Ok(due.transpose().map_err(Thrown::from)?)
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

    /// Lets the compaction begin that [`Output::Before`] told of.
    pub fn proceed(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.proceed().map_err(Thrown::from)?)
    }

    /// Keeps the compaction from beginning that [`Output::Before`] told of.
    pub fn skip(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.skip().map_err(Thrown::from)?)
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
        let policy = resolve(policy, self.agent.as_deref())?;
        let counted =
            |policy: &Policy| (policy.counting.clone(), policy.family(self.format.family()));
        let another = counted(&policy) != counted(self.engine.policy());
        let tokenizer = another.then(|| counts(&policy, self.format)).transpose()?;
        self.engine.set_policy(policy).map_err(Thrown::from)?;
        if let Some(tokenizer) = tokenizer {
            self.engine.count_by(tokenizer);
        }
        Ok(())
    }

    /// Which view the model would be sent now.
    pub fn epoch(&self) -> u32 {
        self.engine.epoch()
    }

    /// Takes what the provider counted for the latest request; `epoch` tells which view that was.
    #[wasm_bindgen(js_name = handleUsage)]
    pub fn handle_usage(&mut self, usage: &JsValue, epoch: Option<u32>) -> Result<(), JsValue> {
        if let Some(usage) = usage::required(usage)? {
            self.engine.handle_usage(epitome::message::Usage { epoch, ..usage });
        }
        Ok(())
    }

    /// Takes what the provider counts for the view as it is now.
    #[wasm_bindgen(js_name = handleCount)]
    pub fn handle_count(&mut self, tokens: u32) {
        self.engine.handle_count(tokens);
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

    /// Drops a record that was not stored.
    #[wasm_bindgen(js_name = handleUnpersisted)]
    pub fn handle_unpersisted(&mut self, message: String) -> Result<(), JsValue> {
        Ok(self.engine.handle_unpersisted(message).map_err(Thrown::from)?)
    }

    /// What the driver is to do next.
    pub fn poll(&mut self) -> Result<Ts<Output>, JsValue> {
        let output = Output::from(self.engine.poll_output());
        Ok(output.into_ts().map_err(Thrown::from)?)
    }

    /// What the model sees: the id of a message that is kept; for one that is made, a number for
    /// [`Self::make`] and the ids of the messages that it is made of. The number is the same as long as the
    /// message is.
    #[wasm_bindgen(unchecked_return_type = "(string | { make: number; of: string[] })[]")]
    pub fn view(&mut self) -> Array {
        let outgoing = self.format.compose(self.engine.log(), &self.engine.view());
        let entries = outgoing.into_iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) => JsValue::from_str(id.as_str()),
            Outgoing::Make(recipe) => {
                let of: Array = recipe.needs().map(|id| JsValue::from_str(id.as_str())).collect();
                let number = self.made.number(recipe);
                let entry = Object::new();
                // A new object takes any property.
                let _ = Reflect::set(&entry, &"make".into(), &number.into());
                let _ = Reflect::set(&entry, &"of".into(), &of);
                entry.into()
            }
        });
        entries.collect()
    }

    /// Makes a message of the view from the messages that it is made of. What stays in it of theirs is their
    /// own.
    pub fn make(&self, number: u32, originals: &Array) -> Result<JsValue, JsValue> {
        let Some(recipe) = self.made.recipe(number) else { return Ok(JsValue::UNDEFINED) };
        let mut known = Vec::new();
        for (id, original) in recipe.needs().zip(originals.iter()) {
            let value = json::read(&original).map_err(|error| {
                Thrown::new(PackageErrorCode::InvalidMessage, &format!("the message {id} {error}"))
            })?;
            known.push((original, value));
        }
        let place = |id: &MessageId| recipe.needs().position(|source| source == id);
        let value = recipe.make(self.format, |id| Some(&known.get(place(id)?)?.1));
        Ok(json::graft(&known, &value)?)
    }

    /// The whole of a tool result that was put aside under this name.
    pub fn offloaded(&self, path: &str) -> Option<String> {
        self.engine.log().offloaded(path).map(str::to_owned)
    }

    /// How full the window is, as the numbers of [`Status`] in order.
    pub fn status(&self) -> Vec<f64> {
        self.status_of(self.engine.pressure()).numbers()
    }

    /// How full the window would be under another policy.
    #[wasm_bindgen(js_name = statusUnder)]
    pub fn status_under(&self, policy: &JsValue) -> Result<Ts<Status>, JsValue> {
        let policy = resolve(policy, self.agent.as_deref())?;
        let status = self.status_of(self.engine.pressure_under(&policy));
        Ok(status.into_ts().map_err(Thrown::from)?)
    }

    /// What a compaction would do now: where its numbers are in the module's memory, where they stay until the next
    /// call, and its texts, in the order of `Plans::take`. `npm/src/plan.ts` reads them; the number of an action is that in
    /// [`Self::actions`].
    #[wasm_bindgen(
        unchecked_return_type = "[number, number, number, number, number, string | undefined, string | undefined]"
    )]
    pub fn plan(&mut self, reason: &Ts<Reason>) -> Result<Array, JsValue> {
        let plan = self.engine.plan(parse_reason(reason)?);
        Ok(self.plans.take(&plan, &self.engine))
    }

    /// Everything, to go on from later.
    pub fn snapshot(&self) -> Result<String, JsValue> {
        Ok(self.engine.snapshot().to_json().map_err(Thrown::from)?)
    }

    /// The names of actions, by their numbers in a plan.
    #[wasm_bindgen(unchecked_return_type = "string[]")]
    pub fn actions(&self) -> Array {
        actions()
    }

    /// The ids of all messages as the engine knows them, in order: one of several steps is several.
    pub fn pieces(&self) -> Vec<String> {
        self.engine.log().messages().map(|message| message.id.as_str().to_owned()).collect()
    }

    /// The ids of all messages that were appended, in order.
    pub fn ids(&self) -> Vec<String> {
        let whole = |message: &Message| {
            let (whole, piece) = whole_of(&message.id);
            (piece == 0).then(|| whole.as_str().to_owned())
        };
        self.engine.log().messages().filter_map(whole).collect()
    }
}

impl Compactor {
    fn handle_failure(&mut self, request: u32, failure: Failure, now: f64) {
        self.engine.handle_failure(RequestId(request), failure, Timestamp(now as u64));
    }

    /// Adds what messages were read as, all of it or none.
    fn append_pieces(&mut self, pieces: Vec<Message>, metadata: &JsValue) -> Result<(), Thrown> {
        let metadata: MessageMetadata =
            json::option(metadata, "metadata", PackageErrorCode::InvalidOption.into())?;
        let mut taken = BTreeSet::new();
        for Message { id, .. } in &pieces {
            if self.engine.log().position(id).is_some() || !taken.insert(id) {
                return Err(CommandError::from(LogError::DuplicateId(id.clone())).into());
            }
        }
        for piece in pieces {
            memory::grow_ahead();
            self.engine.append(metadata.on(piece))?;
        }
        Ok(())
    }

    fn status_of(&self, pressure: Pressure) -> Status {
        Status::of(pressure, *self.engine.conversation().statistics())
    }
}

/// What counts as a policy says, for messages of a format.
fn counts(policy: &Policy, format: Format) -> Result<BoxedTokenizer, Thrown> {
    tokenizer::of(&policy.counting, policy.family(format.family()))
}

fn parse_phase(phase: &Ts<Phase>) -> Result<epitome::Phase, Thrown> {
    let phase: Phase =
        json::required(&phase.js_value(), "phase", PackageErrorCode::InvalidOption.into())?;
    Ok(phase.into())
}

fn parse_reason(reason: &Ts<Reason>) -> Result<epitome::Reason, Thrown> {
    let reason: Reason =
        json::option(&reason.js_value(), "reason", PackageErrorCode::InvalidOption.into())?;
    Ok(reason.into())
}

/// Refuses originals that are not the messages that the engine knows.
fn compare(engine: &epitome::Compactor, format: Format, originals: &Array) -> Result<(), Thrown> {
    let refuse = |problem: String| Err(Thrown::new(PackageErrorCode::InvalidOriginals, &problem));
    let wholes = engine.log().messages().map(|message| whole_of(&message.id));
    let ids: Vec<MessageId> = wholes.filter(|(_, piece)| *piece == 0).map(|(id, _)| id).collect();
    let (known, given) = (ids.len(), originals.length() as usize);
    if given < known {
        return refuse(format!(
            "originals[{given}] is missing: the snapshot is of {known} messages, and {given} are there"
        ));
    }
    for (index, (id, original)) in ids.iter().zip(originals.iter()).enumerate() {
        let place = format_args!("originals[{index}]");
        let count = pieces_of(engine.log(), id).count();
        let read = fit(json::message(format, id, &original, &place)?, id, count);
        let mut there = pieces_of(engine.log(), id);
        let mut same = read.iter().all(|piece| {
            there
                .next()
                .is_some_and(|known| (known.role, &known.parts) == (piece.role, &piece.parts))
        });
        same &= there.next().is_none();
        if !same {
            return refuse(format!("{place} is not the message {id} of the snapshot"));
        }
    }
    Ok(())
}
