//! The presets of policies.

use epitome::policy::PRESETS;
use epitome::{Policy, PolicySpec};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::json;

/// A policy with a name.
#[derive(Clone, Debug, Serialize, Tsify)]
pub struct Preset {
    /// Its name, to give as `policy.preset`.
    pub name: String,
    /// Its policy for a window of 200,000 tokens.
    #[tsify(type = "Policy")]
    pub policy: Policy,
}

/// All presets, the default first.
#[wasm_bindgen(unchecked_return_type = "Preset[]")]
pub fn presets() -> Result<JsValue, JsValue> {
    let preset = |name: &str| {
        let spec = PolicySpec { preset: Some(name.to_owned()), ..PolicySpec::default() };
        Ok(Preset { name: name.to_owned(), policy: spec.resolve()? })
    };
    let presets = PRESETS.into_iter().map(preset).collect::<Result<Vec<_>, Thrown>>()?;
    Ok(json::write(&presets)?)
}
