//! The compactor of one conversation, as JavaScript calls it.

mod agents;
mod answers;
mod archive;
mod changes;
mod long;
mod sliced_event;
mod stored;
mod tracked;
mod view;

use agents::{Entered, Own};
use epitome::Pressure;
use epitome::history::{LogError, View};
use epitome::message::{Message, MessageId};
use epitome::tokens::BoxedTokenizer;
use epitome::{CommandError, Phase, Policy, Reason, Scope, Timestamp};
use epitome_columns::{Hash, Seen, SortedMap, SortedSet};
use epitome_formats::{Format, Untouched, fit_steps, split_step_id, steps_of};
use js_sys::Array;
use sliced_event::SlicedEvent;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::composed::Composed;
use crate::error::{PackageErrorCode, Thrown};
use crate::json::ReadMessage;
use crate::metadata::MessageMetadata;
use crate::output::Output;
use crate::plan::{PlanView, Plans, actions};
use crate::policy::resolve;
use crate::snapshot::ParsedSnapshot;
use crate::status::Status;
use crate::{format, json, memory, plain_json, tokenizer, usage};

/// Keeps one conversation below its threshold: all commands and `handle_*` of [`epitome::Compactor`]. The driver holds the
/// app's messages; this knows them by id.
#[wasm_bindgen]
pub struct Compactor {
    engine: epitome::Compactor,
    /// The format of the app's messages.
    format: Format,
    /// The format of the view that is entered, if it is another one.
    sends: Option<Format>,
    agent: Option<String>,
    composed: Composed,
    untouched: Untouched,
    /// The app's messages that have another form than their format.
    malformed: SortedSet<MessageId>,
    plans: Plans,
    /// The view that the latest summarizer request sends, if it sends messages.
    asked: Option<View>,
    /// The event that crosses in slices.
    sliced: Option<SlicedEvent>,
    /// What this keeps for the agents that are not entered.
    views: SortedMap<String, Own>,
    entered: Option<Entered>,
}

#[wasm_bindgen]
impl Compactor {
    /// An empty conversation, of the agent of this name if one is given.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, policy: &JsValue, agent: Option<String>) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let policy = resolve(policy, agent.as_deref())?;
        let tokenizer = tokenizer_of(&policy, format)?;
        let engine = epitome::Compactor::new(policy, format, tokenizer);
        let engine = engine.map_err(Thrown::from)?;
        Ok(Self::of(engine, format, agent))
    }

    /// Continues from a snapshot. The messages that it is of are to be [compared](Self::compare) next.
    pub fn restore(
        snapshot: ParsedSnapshot,
        format: &str,
        agent: Option<String>,
    ) -> Result<Self, JsValue> {
        let format = format::named(format)?;
        let snapshot = snapshot.into_snapshot();
        let tokenizer = tokenizer_of(snapshot.policy(), format)?;
        let engine = epitome::Compactor::restore(snapshot, format, tokenizer);
        let mut engine = engine.map_err(Thrown::from)?;
        agents::set_formats(&mut engine)?;
        Ok(Self::of(engine, format, agent))
    }

    /// Refuses messages that are not those of the snapshot, which may be fewer. These are a slice of `given` messages, which
    /// begins at `first`.
    pub fn compare(&mut self, slice: &Array, first: usize, given: usize) -> Result<(), JsValue> {
        let malformed = compare(&self.engine, self.format, slice, first, given)?;
        self.malformed.extend(malformed);
        Ok(())
    }

    /// Appends messages with these metadata, all of them or none. The first stands at `first` in the app's list.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen only passes owned lists")]
    pub fn append(
        &mut self,
        ids: Vec<String>,
        messages: &Array,
        first: u32,
        metadata: &JsValue,
    ) -> Result<(), JsValue> {
        let mut read = Vec::new();
        for (index, (id, value)) in (first..).zip(ids.iter().zip(messages.iter())) {
            let id = MessageId::from(id.as_str());
            let place = format_args!("messages[{index}]");
            read.push(json::message(self.format, &id, &value, &place)?);
        }
        Ok(self.append_read(read, metadata)?)
    }

    /// The same for messages as JSON in the scratch buffer, with white space between them. Their ids are `m` and a number
    /// that starts at `number`; the first stands at `first` in the app's list. False if the text is not JSON; then nothing
    /// was appended.
    #[wasm_bindgen(js_name = appendPlain)]
    pub fn append_plain(
        &mut self,
        bytes: usize,
        number: u32,
        first: u32,
        metadata: &JsValue,
    ) -> Result<bool, JsValue> {
        let read =
            epitome_buffer::look(bytes, |json| plain_json::read(self.format, json, number, first))?;
        let Some(read) = read else { return Ok(false) };
        self.append_read(read, metadata)?;
        Ok(true)
    }

    /// Sets what the summarizer noted when it wrote the summary that is appended next.
    #[wasm_bindgen(js_name = setReturnedNotes)]
    pub fn set_returned_notes(&mut self, notes: String) {
        self.engine.set_returned_notes(notes);
    }

    /// What the summarizer noted with the active summary.
    #[wasm_bindgen(js_name = summarizerNotes)]
    pub fn summarizer_notes(&self) -> String {
        self.engine.summarizer_notes().to_owned()
    }

    /// Why a compaction is due at this phase, if it is.
    pub fn check(&mut self, phase: &Ts<Phase>) -> Result<Option<Ts<Reason>>, JsValue> {
        let due = self.engine.check(parse_phase(phase)?).map(|due| due.into_ts());
        Ok(due.transpose().map_err(Thrown::from)?)
    }

    /// The same as [`Self::check`] for display: without a warning, and without starting a user request.
    pub fn due(&self, phase: &Ts<Phase>) -> Result<Option<Ts<Reason>>, JsValue> {
        let due = self.engine.due(parse_phase(phase)?).map(|due| due.into_ts());
        Ok(due.transpose().map_err(Thrown::from)?)
    }

    /// The phase before the next request: `loop` behind a tool result, otherwise `requestStart`.
    pub fn phase(&self) -> Result<Ts<Phase>, JsValue> {
        Ok(self.engine.phase().into_ts().map_err(Thrown::from)?)
    }

    /// Starts a compaction. Its summary ends with the message `up_to`, if that is given, and leaves out those of `exempt`.
    pub fn compact(
        &mut self,
        reason: &Ts<Reason>,
        instructions: Option<String>,
        up_to: Option<String>,
        exempt: Vec<String>,
    ) -> Result<(), JsValue> {
        let (reason, scope) = (parse_reason(reason)?, self.scope(up_to, exempt)?);
        Ok(self.engine.compact_within(reason, instructions, scope).map_err(Thrown::from)?)
    }

    /// Lets the compaction of [`Output::Before`] start.
    pub fn proceed(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.proceed().map_err(Thrown::from)?)
    }

    /// Prevents the compaction of [`Output::Before`].
    pub fn skip(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.skip().map_err(Thrown::from)?)
    }

    /// Undoes the latest compaction.
    pub fn undo(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.undo().map_err(Thrown::from)?)
    }

    /// Cancels a compaction. If it has ended already, its report is the next output.
    pub fn cancel(&mut self) {
        self.sliced.iter_mut().for_each(SlicedEvent::hurry);
        self.engine.cancel();
    }

    /// Replaces the policy, from the next plan on.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(&mut self, policy: &JsValue) -> Result<(), JsValue> {
        let policy = resolve(policy, self.agent.as_deref())?;
        let counting =
            |policy: &Policy| (policy.counting.clone(), policy.family(self.sends().family()));
        let changes = counting(&policy) != counting(self.engine.policy());
        let tokenizer = changes.then(|| tokenizer_of(&policy, self.sends())).transpose()?;
        self.engine.set_policy(policy).map_err(Thrown::from)?;
        if let Some(tokenizer) = tokenizer {
            self.engine.count_by(tokenizer);
        }
        Ok(())
    }

    /// The epoch of the current view.
    pub fn epoch(&self) -> u32 {
        self.engine.epoch()
    }

    /// Takes the usage that the provider reported for the latest request, which sent the view of this epoch.
    #[wasm_bindgen(js_name = handleUsage)]
    pub fn handle_usage(&mut self, usage: &JsValue, epoch: Option<u32>) -> Result<(), JsValue> {
        if let Some(usage) = usage::required(usage)? {
            self.engine.handle_usage(epitome::message::Usage { epoch, ..usage });
        }
        Ok(())
    }

    /// Takes the provider's count of the current view.
    #[wasm_bindgen(js_name = handleCount)]
    pub fn handle_count(&mut self, tokens: u32) {
        self.engine.handle_count(tokens);
    }

    /// Counts what the next request has besides the view, and what it leaves out of it.
    #[wasm_bindgen(js_name = setRequestContext)]
    pub fn set_request_context(&mut self, added: &Array, left_out: &Array) -> Result<(), JsValue> {
        let read = |messages: &Array, name: &str| -> Result<Vec<Message>, Thrown> {
            let id = MessageId::from("");
            let steps = messages.iter().enumerate().map(|(index, value)| {
                let place = format_args!("{name}[{index}]");
                Ok(json::message(self.sends(), &id, &value, &place)?.steps)
            });
            Ok(steps.collect::<Result<Vec<_>, Thrown>>()?.into_iter().flatten().collect())
        };
        let (added, left_out) = (read(added, "added")?, read(left_out, "leftOut")?);
        self.engine.set_request_context(&added, &left_out);
        Ok(())
    }

    /// Says what time it is by a clock that never goes back.
    #[wasm_bindgen(js_name = setTime)]
    pub fn set_time(&mut self, now: f64) {
        self.engine.set_time(Timestamp(now as u64));
    }

    /// Says whether the summarizer reads a transcript in slices.
    #[wasm_bindgen(js_name = setReadsInSlices)]
    pub fn set_reads_in_slices(&mut self, reads_in_slices: bool) {
        self.engine.set_reads_in_slices(reads_in_slices);
    }

    /// The number of the session, from 1.
    pub fn session(&self) -> u32 {
        self.engine.session()
    }

    /// Continues after the wait of [`Output::Wait`].
    #[wasm_bindgen(js_name = handleTimeout)]
    pub fn handle_timeout(&mut self, now: f64) {
        self.engine.handle_timeout(Timestamp(now as u64));
    }

    /// Applies a record that is stored.
    #[wasm_bindgen(js_name = handlePersisted)]
    pub fn handle_persisted(&mut self) -> Result<(), JsValue> {
        Ok(self.engine.handle_persisted().map_err(Thrown::from)?)
    }

    /// Drops a record that could not be stored.
    #[wasm_bindgen(js_name = handleUnpersisted)]
    pub fn handle_unpersisted(&mut self, message: String) -> Result<(), JsValue> {
        Ok(self.engine.handle_unpersisted(message).map_err(Thrown::from)?)
    }

    /// What the driver must do next.
    pub fn poll(&mut self) -> Result<Ts<Output>, JsValue> {
        Ok(self.next_output()?.into_ts().map_err(Thrown::from)?)
    }

    /// The whole tool result that was offloaded under this name.
    pub fn offloaded(&self, path: &str) -> Option<String> {
        self.engine.log().offloaded(path).map(str::to_owned)
    }

    /// How full the window is, as the address of the numbers of `Status::numbers`, which are valid until the next call.
    pub fn status(&self) -> *const f64 {
        self.status_of(self.engine.pressure()).write()
    }

    /// How full the window would be under another policy.
    #[wasm_bindgen(js_name = statusUnder)]
    pub fn status_under(&self, policy: &JsValue) -> Result<*const f64, JsValue> {
        let policy = resolve(policy, self.agent.as_deref())?;
        Ok(self.status_of(self.engine.pressure_under(&policy)).write())
    }

    /// What a compaction would do now, with these arguments of [`Self::compact`]. Its rows number the actions as [`Self::actions`]
    /// lists them.
    pub fn plan(
        &mut self,
        reason: &Ts<Reason>,
        up_to: Option<String>,
        exempt: Vec<String>,
    ) -> Result<Ts<PlanView>, JsValue> {
        let (reason, scope) = (parse_reason(reason)?, self.scope(up_to, exempt)?);
        let plan = self.engine.plan_within(reason, &scope);
        let view = self.plans.next(&plan, &self.engine);
        Ok(view.into_ts().map_err(Thrown::from)?)
    }

    /// The actions, by their numbers in a plan.
    #[wasm_bindgen(unchecked_return_type = "Action[]")]
    pub fn actions(&self) -> Array {
        actions()
    }

    /// The ids of all messages of the engine, in order: one for each step of the app's messages.
    pub fn steps(&self) -> Vec<String> {
        self.engine.log().messages().map(|message| message.id.as_str().to_owned()).collect()
    }
}

impl Compactor {
    fn of(engine: epitome::Compactor, format: Format, agent: Option<String>) -> Self {
        let (composed, untouched, malformed, plans, asked) = Default::default();
        let (sliced, views, entered, sends) = Default::default();
        Self {
            engine,
            format,
            sends,
            agent,
            composed,
            untouched,
            malformed,
            plans,
            asked,
            sliced,
            views,
            entered,
        }
    }

    /// The format of the messages that the model gets.
    fn sends(&self) -> Format {
        self.sends.unwrap_or(self.format)
    }

    fn next_output(&mut self) -> Result<Output, Thrown> {
        if let Some(sliced) = &mut self.sliced {
            let output = sliced.advance()?;
            if !matches!(output, Output::Continue) {
                self.sliced = None;
            }
            return Ok(output);
        }
        let mut output = self.engine.poll_output();
        match &mut output {
            epitome::Output::Summarize(request) => self.asked = request.messages.take(),
            epitome::Output::Event(event) => self.sliced = SlicedEvent::begin(event)?,
            _ => {}
        }
        match self.sliced {
            Some(_) => Ok(Output::Continue),
            None => Output::new(output),
        }
    }

    /// What somebody has chosen for one compaction: the last message that it may replace, and those that it leaves as they are.
    fn scope(&self, up_to: Option<String>, exempt: Vec<String>) -> Result<Scope, Thrown> {
        let log = self.engine.log();
        let steps = |id: String| {
            let whole = MessageId::from(id);
            let first = log.required(&whole).map_err(CommandError::from)?;
            Ok::<_, Thrown>(first..first + steps_of(log, &whole).count())
        };
        let mut scope = Scope::default();
        if let Some(id) = up_to {
            scope.up_to = Some(steps(id)?.end);
        }
        for id in exempt {
            scope.exempt.extend(steps(id)?);
        }
        Ok(scope)
    }

    /// Appends messages, all of them or none.
    fn append_read(&mut self, read: Vec<ReadMessage>, metadata: &JsValue) -> Result<(), Thrown> {
        let metadata = read_metadata(metadata)?;
        self.check_new(read.iter().flat_map(|message| &message.steps).map(|step| &step.id))?;
        for ReadMessage { steps, malformed } in read {
            let whole = steps.first().map(|step| step.id.clone());
            self.malformed.extend(whole.filter(|_| malformed));
            for step in steps {
                memory::grow_ahead();
                self.engine.append(metadata.on(step))?;
            }
        }
        Ok(())
    }

    /// Refuses ids that are not all different and new.
    fn check_new<'a>(&self, ids: impl Iterator<Item = &'a MessageId>) -> Result<(), Thrown> {
        let (mut known, mut seen) = (Vec::new(), Seen::default());
        for id in ids {
            let hash = Hash::of(id.as_str(), 0);
            let is_same = |index: usize| known.get(index) == Some(&id);
            if self.engine.log().contains(id) || seen.find(hash, is_same).is_some() {
                return Err(CommandError::from(LogError::DuplicateId(id.clone())).into());
            }
            seen.add(hash, known.len());
            known.push(id);
        }
        Ok(())
    }

    fn status_of(&self, pressure: Pressure) -> Status {
        Status { pressure, statistics: *self.engine.conversation().statistics() }
    }
}

/// The tokenizer that a policy asks for, for messages of a format.
fn tokenizer_of(policy: &Policy, format: Format) -> Result<BoxedTokenizer, Thrown> {
    tokenizer::of(&policy.counting, policy.family(format.family()))
}

fn read_metadata(metadata: &JsValue) -> Result<MessageMetadata, Thrown> {
    json::option(metadata, "metadata", PackageErrorCode::InvalidOption.into())
}

fn parse_phase(phase: &Ts<Phase>) -> Result<Phase, Thrown> {
    json::required(&phase.js_value(), "phase", PackageErrorCode::InvalidOption.into())
}

fn parse_reason(reason: &Ts<Reason>) -> Result<Reason, Thrown> {
    let reason: Option<Reason> =
        json::option(&reason.js_value(), "reason", PackageErrorCode::InvalidOption.into())?;
    Ok(reason.unwrap_or_default())
}

/// Refuses originals that are not the messages that the engine knows. They are a slice of `given` ones, which begins at `first`.
/// Returns the ids of those that are malformed.
fn compare(
    engine: &epitome::Compactor,
    format: Format,
    slice: &Array,
    first: usize,
    given: usize,
) -> Result<Vec<MessageId>, Thrown> {
    let refuse = |problem: String| Err(Thrown::new(PackageErrorCode::InvalidOriginals, &problem));
    let wholes = engine.log().messages().map(|message| split_step_id(&message.id));
    let ids: Vec<MessageId> = wholes.filter(|(_, step)| *step == 0).map(|(id, _)| id).collect();
    let known = ids.len();
    if given < known {
        return refuse(format!(
            "originals[{given}] is missing: the snapshot is of {known} messages, and {given} are there"
        ));
    }
    let mut all_malformed = Vec::new();
    for (index, (id, original)) in (first..).zip(ids.iter().skip(first).zip(slice.iter())) {
        let place = format_args!("originals[{index}]");
        let count = steps_of(engine.log(), id).count();
        let ReadMessage { steps, malformed } = json::message(format, id, &original, &place)?;
        all_malformed.extend(malformed.then(|| id.clone()));
        let read = fit_steps(steps, id, count);
        let mut known = steps_of(engine.log(), id);
        let mut same = read.iter().all(|step| {
            known.next().is_some_and(|known| (known.role, &known.parts) == (step.role, &step.parts))
        });
        same &= known.next().is_none();
        if !same {
            return refuse(format!("{place} is not the message {id} of the snapshot"));
        }
    }
    Ok(all_malformed)
}
