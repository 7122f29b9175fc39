//! Changes of messages that are in the conversation already, and its branches.

use epitome::CommandError;
use epitome::history::{Log, LogError, Record};
use epitome::message::{Message, MessageId};
use epitome_formats::{split_step_id, step_id, steps_of};
use js_sys::Array;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;
use crate::composed::Composed;
use crate::error::{PackageErrorCode, Thrown};
use crate::json::{self, ReadMessage};
use crate::memory;
use crate::metadata::MessageMetadata;
use crate::plan::Plans;

#[wasm_bindgen]
impl Compactor {
    /// Replaces a message. Of its metadata, those given here change.
    pub fn edit(&mut self, id: &str, message: &JsValue, metadata: &JsValue) -> Result<(), JsValue> {
        let metadata: MessageMetadata =
            json::option(metadata, "metadata", PackageErrorCode::InvalidOption.into())?;
        let whole = MessageId::from(id);
        let ReadMessage { steps, malformed } =
            json::message(self.format, &whole, message, &"message")?;
        let earlier: Vec<Message> = steps_of(self.engine.log(), &whole).cloned().collect();
        if self.engine.log().aside(&whole).is_none() {
            self.engine
                .log()
                .required(&whole)
                .map_err(|error| Thrown::from(CommandError::from(error)))?;
        } else if earlier.len() < steps.len() {
            // A further step would have no place of its own in the views of the agents.
            let error = CommandError::from(LogError::Private(whole));
            return Err(Thrown::from(error).into());
        }
        let (same, count) = (earlier.len().min(steps.len()), steps.len());
        for (index, mut step) in steps.into_iter().enumerate() {
            if let Some(earlier) = earlier.get(index).or(earlier.first()) {
                let own = step.author.clone();
                step = MessageMetadata::of(earlier).on(step);
                step.author = own.or(step.author);
            }
            let step = metadata.on(step);
            match index < same {
                true => self.engine.edit(step).map_err(Thrown::from)?,
                false => self.put_behind(&step_id(&whole, index - 1), step)?,
            }
        }
        for step in earlier.iter().skip(count.max(1)) {
            self.engine.remove(step.id.clone()).map_err(Thrown::from)?;
        }
        if count < earlier.len() {
            self.plans = Plans::default();
        }
        self.composed = Composed::default();
        self.malformed.remove(&whole);
        self.malformed.extend(malformed.then_some(whole));
        Ok(())
    }

    /// Puts a message in front of another one.
    pub fn insert(
        &mut self,
        id: &str,
        message: &JsValue,
        before: &str,
        metadata: &JsValue,
    ) -> Result<(), JsValue> {
        let metadata: MessageMetadata =
            json::option(metadata, "metadata", PackageErrorCode::InvalidOption.into())?;
        let (whole, before) = (MessageId::from(id), MessageId::from(before));
        let ReadMessage { steps, malformed } =
            json::message(self.format, &whole, message, &"message")?;
        for step in steps {
            memory::grow_ahead();
            self.engine.insert(metadata.on(step), before.clone()).map_err(Thrown::from)?;
        }
        self.malformed.extend(malformed.then_some(whole));
        self.plans = Plans::default();
        Ok(())
    }

    /// Removes a message from the conversation and from every branch.
    pub fn remove(&mut self, id: &str) -> Result<(), JsValue> {
        let whole = MessageId::from(id);
        let steps: Vec<MessageId> =
            steps_of(self.engine.log(), &whole).map(|step| step.id.clone()).collect();
        if self.engine.log().aside(&whole).is_none() {
            self.engine
                .log()
                .required(&whole)
                .map_err(|error| Thrown::from(CommandError::from(error)))?;
        }
        // From the last one: steps are found by those before them.
        for step in steps.into_iter().rev() {
            self.engine.remove(step).map_err(Thrown::from)?;
        }
        self.malformed.remove(&whole);
        self.plans = Plans::default();
        Ok(())
    }

    /// Ends the conversation with this message of any branch; without one, it is empty. Returns the ids of the last message
    /// that stays where it is, or an empty text, and of those that follow it now.
    #[wasm_bindgen(js_name = moveHead)]
    pub fn move_head(&mut self, id: Option<String>) -> Result<Vec<String>, JsValue> {
        let (changes, before) = (self.engine.log().changes(), self.engine.log().len());
        let head = id.map(|id| last_step(self.engine.log(), &MessageId::from(id)));
        self.engine.move_head(head).map_err(Thrown::from)?;
        self.plans = Plans::default();
        let log = self.engine.log();
        let stay = log.changed_since(changes).unwrap_or(before);
        let last = stay.checked_sub(1).and_then(|last| log.message(last));
        let last = last.map(|last| split_step_id(&last.id).0.as_str().to_owned());
        let joined = (stay..log.len()).filter_map(|position| log.message(position));
        Ok(std::iter::once(last.unwrap_or_default()).chain(joined.filter_map(whole)).collect())
    }

    /// The last message of the branch with this one, as it was when that was the conversation; of all branches with it, the
    /// latest one.
    #[wasm_bindgen(js_name = branchWith)]
    pub fn branch_with(&self, id: &str) -> Option<String> {
        let head = self.engine.log().last_head(&MessageId::from(id))?;
        Some(split_step_id(head).0.as_str().to_owned())
    }

    /// The ids of the messages that follow this one on any branch, oldest first; without one, of those that begin a branch.
    pub fn following(&self, id: Option<String>) -> Vec<String> {
        let log = self.engine.log();
        let last = id.map(|id| last_step(log, &MessageId::from(id)));
        let following = log.following(last.as_ref());
        following.map(|message| message.id.as_str().to_owned()).collect()
    }

    /// True if a message reads as the one with this id, on any branch, does.
    #[wasm_bindgen(js_name = isSame)]
    pub fn is_same(&self, id: &str, message: &JsValue) -> bool {
        let (log, whole) = (self.engine.log(), MessageId::from(id));
        let Ok(read) = json::message(self.format, &whole, message, &"message") else {
            return false;
        };
        let step = |id: &MessageId| log.find(id).or_else(|| log.aside(id));
        let mut known = (0..).map_while(|index| step(&step_id(&whole, index)));
        let is_known = |step: &Message| {
            known.next().is_some_and(|known| {
                let own = step.author.is_none() || step.author == known.author;
                own && (known.role, &known.parts) == (step.role, &step.parts)
            })
        };
        read.steps.iter().all(is_known) && known.next().is_none()
    }

    /// Reads messages without keeping them, for the error that one of them leads to. Their numbers in the list of the app
    /// are `numbers`.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen only passes owned lists")]
    pub fn examine(&self, messages: &Array, numbers: Vec<u32>) -> Result<(), JsValue> {
        for (number, value) in numbers.iter().zip(messages.iter()) {
            let place = format_args!("messages[{number}]");
            json::message(self.format, &MessageId::from("m"), &value, &place)?;
        }
        Ok(())
    }

    /// The numbers of the compactions that are active, oldest first.
    pub fn checkpoints(&self) -> Vec<u32> {
        self.engine.log().active_checkpoints().map(|checkpoint| checkpoint.id.0).collect()
    }

    /// The ids of the app's messages, in order.
    pub fn ids(&self) -> Vec<String> {
        self.engine.log().messages().filter_map(whole).collect()
    }

    /// The number of the next id: no message has had `m` and this number or a higher one.
    #[wasm_bindgen(js_name = nextNumber)]
    pub fn next_number(&self) -> u32 {
        let messages = self.engine.log().records().iter().filter_map(Record::message);
        let numbers = messages.filter_map(|message| {
            split_step_id(&message.id).0.as_str().strip_prefix('m')?.parse().ok()
        });
        numbers.max().map_or(0, |last: u32| last.saturating_add(1))
    }
}

impl Compactor {
    /// Puts a step behind another one of the same message.
    fn put_behind(&mut self, earlier: &MessageId, step: Message) -> Result<(), Thrown> {
        let log = self.engine.log();
        let next = log.position(earlier).and_then(|position| log.message(position + 1));
        let next = next.map(|message| message.id.clone());
        match next {
            Some(next) => {
                self.engine.insert(step, next)?;
                self.plans = Plans::default();
            }
            None => self.engine.append(step)?,
        }
        Ok(())
    }
}

/// The id of the app's message that begins with this step; `None` for a later step.
pub(super) fn whole(message: &Message) -> Option<String> {
    let (whole, step) = split_step_id(&message.id);
    (step == 0).then(|| whole.as_str().to_owned())
}

/// The last step of a message on any branch.
fn last_step(log: &Log, id: &MessageId) -> MessageId {
    let steps = (0..).map(|index| step_id(id, index)).take_while(|step| log.contains(step));
    steps.last().unwrap_or_else(|| id.clone())
}
