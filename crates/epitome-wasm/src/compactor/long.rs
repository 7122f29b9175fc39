//! A very long message, which is read, counted and appended by a call each: the page can react between them.

use epitome::CountedMessage;
use epitome::message::{Message, MessageId};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::{Compactor, read_metadata};
use crate::error::Thrown;
use crate::json::{self, ReadMessage};

/// A message that is not in the conversation yet.
#[wasm_bindgen]
pub struct LongMessage {
    /// Its steps that are not counted yet.
    read: Vec<Message>,
    counted: Vec<CountedMessage>,
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
        let read = steps.into_iter().map(|step| metadata.on(step)).collect();
        Ok(LongMessage { read, counted: Vec::new(), malformed })
    }

    /// Counts the tokens of a message.
    #[wasm_bindgen(js_name = countLong)]
    pub fn count_long(&self, message: &mut LongMessage) {
        let read = std::mem::take(&mut message.read);
        message.counted.extend(read.into_iter().map(|step| self.engine.count_message(step)));
    }

    /// Appends a message that is counted.
    #[wasm_bindgen(js_name = appendLong)]
    pub fn append_long(&mut self, message: LongMessage) -> Result<(), JsValue> {
        let LongMessage { read: _, counted, malformed } = message;
        self.check_new(counted.iter().map(CountedMessage::id))?;
        let whole = counted.first().map(|step| step.id().clone());
        self.malformed.extend(whole.filter(|_| malformed));
        for step in counted {
            self.engine.append_counted(step).map_err(Thrown::from)?;
        }
        Ok(())
    }
}
