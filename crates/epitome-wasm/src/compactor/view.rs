//! What the model gets of a conversation, what is wrong with it, and what is known of each message.

use epitome::CommandError;
use epitome::history::{Defect, Finding, LogError, View};
use epitome::message::MessageId;
use epitome_columns::SortedSet;
use epitome_formats::{Outgoing, Recipe, findings_of_accepted, split_step_id, steps_of};
use js_sys::{Array, Object, Reflect};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;
use crate::error::{PackageErrorCode, Thrown};
use crate::json;
use crate::metadata::StoredMetadata;

#[wasm_bindgen]
impl Compactor {
    /// True if a compaction is active: without one, the view has all messages.
    #[wasm_bindgen(js_name = isCompacted)]
    pub fn is_compacted(&self) -> bool {
        self.engine.conversation().projection().checkpoints > 0
    }

    /// True if the provider accepts all messages as they were appended.
    #[wasm_bindgen(js_name = isUntouched)]
    pub fn is_untouched(&mut self) -> bool {
        // Without a compaction, messages are rewritten if the model refuses their reasoning.
        self.engine.conversation().projection().rewritten.is_empty()
            && self.malformed.is_empty()
            && self.untouched.is_accepted(self.format, self.engine.log())
    }

    /// Increases with everything that can change the view.
    pub fn revision(&self) -> usize {
        self.engine.log().revision()
    }

    /// What is wrong with the messages, and what the view does about it.
    pub fn findings(&mut self) -> Result<Vec<Ts<Finding>>, JsValue> {
        if self.sends.is_none() && !self.is_compacted() && self.is_untouched() {
            return Ok(crossing(findings_of_accepted(self.format, self.engine.log()))?);
        }
        let view = self.engine.view();
        let outgoing = self.sends().compose(self.engine.log(), &view);
        let mut findings = view.findings;
        for outgoing in &outgoing {
            let Outgoing::Composed(recipe) = outgoing else { continue };
            let sources: SortedSet<&MessageId> = recipe.sources().collect();
            let later = sources.into_iter().filter(|id| recipe.sources().next() != Some(*id));
            findings.extend(later.map(|id| Finding { id: id.clone(), defect: Defect::Merged }));
        }
        let malformed =
            self.malformed.iter().filter(|id| findings.iter().all(|own| own.id != **id));
        let malformed: Vec<Finding> =
            malformed.map(|id| Finding { id: id.clone(), defect: Defect::Malformed }).collect();
        findings.extend(malformed);
        Ok(crossing(findings)?)
    }

    /// The ids of the app's messages that the model does not get any more, in order.
    pub fn compacted(&self) -> Vec<String> {
        let mut seen: Option<MessageId> = None;
        let mut compacted: Vec<MessageId> = Vec::new();
        let log = self.engine.log();
        let mut hidden = self.engine.conversation().projection().compacted().peekable();
        for (position, message) in log.messages().enumerate() {
            let whole = split_step_id(&message.id).0;
            match hidden.next_if_eq(&position) {
                Some(_) if seen.as_ref() != Some(&whole) => {
                    if compacted.last() != Some(&whole) {
                        compacted.push(whole);
                    }
                }
                Some(_) => {}
                // The model still gets a step of the message.
                None => {
                    compacted.pop_if(|last| *last == whole);
                    seen = Some(whole);
                }
            }
        }
        compacted.into_iter().map(|id| id.as_str().to_owned()).collect()
    }

    /// The ids of the app's messages that a line of the summary is from, in order.
    pub fn sources(&self, line: &str) -> Vec<String> {
        let steps = self.engine.sources(line).into_iter();
        let mut whole: Vec<MessageId> = steps.map(|id| split_step_id(&id).0).collect();
        whole.dedup();
        whole.into_iter().map(|id| id.as_str().to_owned()).collect()
    }

    /// What is known of a message besides its content.
    pub fn metadata(&self, id: &str) -> Result<Ts<StoredMetadata>, JsValue> {
        let (log, projection) = (self.engine.log(), self.engine.conversation().projection());
        let whole = MessageId::from(id);
        let unknown = || Thrown::from(CommandError::from(LogError::UnknownId(whole.clone())));
        let message = steps_of(log, &whole).next().ok_or_else(unknown)?;
        let is_compacted = log.position(&whole).is_some_and(|first| {
            let mut steps = first..first + steps_of(log, &whole).count();
            steps.all(|position| projection.is_compacted(position))
        });
        let metadata = StoredMetadata::of(message, is_compacted);
        Ok(metadata.into_ts().map_err(Thrown::from)?)
    }

    /// The view that the model gets: a kept message as its id; a composed one as a number for [`Self::compose`] and the ids
    /// of the messages that it is composed of. The number stays the same as long as the message does.
    #[wasm_bindgen(unchecked_return_type = "(string | { composed: number; of: string[] })[]")]
    pub fn view(&mut self) -> Array {
        let view = self.engine.view();
        self.entries(&view)
    }

    /// The same for the messages of the latest summarizer request, the prompt last. Empty if it has a transcript.
    #[wasm_bindgen(unchecked_return_type = "(string | { composed: number; of: string[] })[]")]
    pub fn asked(&mut self) -> Array {
        self.asked.take().map(|view| self.entries(&view)).unwrap_or_default()
    }

    /// Composes a message of the view from the app's messages. Values that it takes over unchanged are the same objects.
    pub fn compose(&self, number: u32, originals: &Array) -> Result<JsValue, JsValue> {
        let Some(recipe) = self.composed.recipe(number) else { return Ok(JsValue::UNDEFINED) };
        let mut known = Vec::new();
        for (id, original) in recipe.needs().zip(originals.iter()) {
            let value = json::read(&original).map_err(|error| {
                Thrown::new(PackageErrorCode::InvalidMessage, &format!("the message {id} {error}"))
            })?;
            known.push((original, value));
        }
        let place = |id: &MessageId| recipe.needs().position(|source| source == id);
        let mut value = recipe.compose(self.format, |id| Some(&known.get(place(id)?)?.1));
        if recipe.sources().any(|source| self.malformed.contains(source)) {
            self.format.normalize(&mut value);
        }
        Ok(json::graft(&known, &value)?)
    }
}

/// Findings as JavaScript gets them.
fn crossing(findings: Vec<Finding>) -> Result<Vec<Ts<Finding>>, Thrown> {
    let findings = findings.into_iter().map(|finding| finding.into_ts());
    findings.collect::<Result<_, _>>().map_err(Thrown::from)
}

impl Compactor {
    fn entries(&mut self, view: &View) -> Array {
        let log = self.engine.log();
        let outgoing = match self.sends {
            Some(_) => self.format.compose_apart(log, view),
            None => self.format.compose(log, view),
        };
        let entries = outgoing.into_iter().map(|outgoing| match outgoing {
            Outgoing::Keep(id) if self.malformed.contains(&id) => {
                Outgoing::Composed(Recipe::whole(log, &id))
            }
            outgoing => outgoing,
        });
        let entries = entries.map(|outgoing| match outgoing {
            Outgoing::Keep(id) => JsValue::from_str(id.as_str()),
            Outgoing::Composed(recipe) => {
                let of: Array = recipe.needs().map(|id| JsValue::from_str(id.as_str())).collect();
                let number = self.composed.number(recipe);
                let entry = Object::new();
                // Setting a property of a new object cannot fail.
                let _ = Reflect::set(&entry, &"composed".into(), &number.into());
                let _ = Reflect::set(&entry, &"of".into(), &of);
                entry.into()
            }
        });
        entries.collect()
    }
}
