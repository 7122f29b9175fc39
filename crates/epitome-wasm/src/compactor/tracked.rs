//! What is tracked beside the messages: open tasks and the structured state.

use epitome::StructuredState;
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
}
