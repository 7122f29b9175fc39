//! A very long message, which is read, counted part by part and appended, each by a call: the page can react between them.

use epitome::CountedMessage;
use epitome::message::MessageId;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::{Compactor, read_metadata};
use crate::error::Thrown;
use crate::json::{self, ReadMessage};

/// A message that is not in the conversation yet.
#[wasm_bindgen]
pub struct LongMessage {
    steps: Vec<CountedMessage>,
    /// The number of its steps that are counted.
    counted: usize,
    malformed: bool,
}

#[wasm_bindgen]
impl Compactor {
    /// Reads a message with these metadata. It stands at `index` in the app's list.
    #[wasm_bindgen(js_name = readLong)]
    pub fn read_long(
        &self,
        id: &str,
        message: &JsValue,
        index: u32,
        metadata: &JsValue,
    ) -> Result<LongMessage, JsValue> {
        let metadata = read_metadata(metadata)?;
        let (id, place) = (MessageId::from(id), format_args!("messages[{index}]"));
        let ReadMessage { steps, malformed } = json::message(self.format, &id, message, &place)?;
        let begin = |step| self.engine.begin_message(metadata.on(step));
        Ok(LongMessage { steps: steps.into_iter().map(begin).collect(), counted: 0, malformed })
    }

    /// Counts the tokens of a part of a message. True if there is more of it.
    #[wasm_bindgen(js_name = countLong)]
    pub fn count_long(&self, message: &mut LongMessage) -> bool {
        if let Some(step) = message.steps.get_mut(message.counted)
            && self.engine.count_message(step)
        {
            message.counted += 1;
        }
        message.counted < message.steps.len()
    }

    /// Appends a message that is counted.
    #[wasm_bindgen(js_name = appendLong)]
    pub fn append_long(&mut self, message: LongMessage) -> Result<(), JsValue> {
        let LongMessage { steps, malformed, .. } = message;
        self.check_new(steps.iter().map(CountedMessage::id))?;
        let whole = steps.first().map(|step| step.id().clone());
        self.malformed.extend(whole.filter(|_| malformed));
        for step in steps {
            self.engine.append_counted(step).map_err(Thrown::from)?;
        }
        Ok(())
    }
}
