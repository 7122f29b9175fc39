//! What is tracked beside the messages: open tasks, the memory and the structured state.

use epitome::{Memory, MemoryEntry, StructuredState};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Compactor;
use crate::error::{PackageErrorCode, Thrown};
use crate::json;

#[wasm_bindgen]
impl Compactor {
    /// Sets the open tasks.
    #[wasm_bindgen(js_name = setTodo)]
    pub fn set_todo(&mut self, text: String) -> Result<(), JsValue> {
        Ok(self.engine.set_todo(text).map_err(Thrown::from)?)
    }

    /// Says that a task of the workflow is complete.
    #[wasm_bindgen(js_name = completeTask)]
    pub fn complete_task(&mut self, name: String) -> Result<(), JsValue> {
        Ok(self.engine.complete_task(name).map_err(Thrown::from)?)
    }

    /// What is remembered.
    #[wasm_bindgen(unchecked_return_type = "Memory")]
    pub fn memory(&self) -> Result<JsValue, JsValue> {
        Ok(json::write(self.engine.memory())?)
    }

    /// What is remembered, as text for a model.
    #[wasm_bindgen(js_name = memoryText)]
    pub fn memory_text(&self) -> String {
        self.engine.memory().to_text()
    }

    /// The structured state as text for a model, as long as the view does not show it.
    #[wasm_bindgen(js_name = stateText)]
    pub fn state_text(&self) -> String {
        self.engine.state_text()
    }

    /// Adds an entry to the memory.
    pub fn remember(&mut self, text: String, standing: bool) -> Result<(), JsValue> {
        let entry = MemoryEntry { text, standing };
        Ok(self.engine.remember(entry).map_err(Thrown::from)?)
    }

    /// Replaces the memory.
    #[wasm_bindgen(js_name = setMemory)]
    pub fn set_memory(&mut self, memory: &JsValue) -> Result<(), JsValue> {
        let memory: Memory =
            json::required(memory, "memory", PackageErrorCode::InvalidOption.into())?;
        Ok(self.engine.set_memory(memory).map_err(Thrown::from)?)
    }

    /// The structured state.
    #[wasm_bindgen(js_name = structuredState, unchecked_return_type = "StructuredState")]
    pub fn structured_state(&self) -> Result<JsValue, JsValue> {
        Ok(json::write(self.engine.structured_state())?)
    }

    /// Sets the structured state.
    #[wasm_bindgen(js_name = setStructuredState)]
    pub fn set_structured_state(&mut self, state: &JsValue) -> Result<(), JsValue> {
        let state: StructuredState =
            json::required(state, "state", PackageErrorCode::InvalidOption.into())?;
        Ok(self.engine.set_structured_state(state).map_err(Thrown::from)?)
    }

    /// How often each layer of compaction has worked.
    #[wasm_bindgen(unchecked_return_type = "Layers")]
    pub fn layers(&self) -> Result<JsValue, JsValue> {
        Ok(json::write(&self.engine.log().layers())?)
    }
}
