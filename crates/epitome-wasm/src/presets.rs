//! The presets of policies.

use epitome::policy::PRESETS;
use epitome::{Policy, PolicySpec};
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;

/// A policy with a name.
#[derive(Clone, Debug, Serialize, Tsify)]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct Preset {
    /// Its name, to give as `policy.preset`.
    pub name: String,
    /// Its policy for a window of 200,000 tokens.
    #[tsify(type = "Policy")]
    pub policy: Policy,
}

/// All presets.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(transparent)]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct Presets(pub Vec<Preset>);

/// All presets, the default first.
#[wasm_bindgen]
pub fn presets() -> Result<Ts<Presets>, JsValue> {
    let preset = |name: &str| {
        let spec = PolicySpec { preset: Some(name.to_owned()), ..PolicySpec::default() };
        Ok(Preset { name: name.to_owned(), policy: spec.resolve()? })
    };
    let presets = PRESETS.into_iter().map(preset).collect::<Result<Vec<_>, Thrown>>()?;
    Ok(Presets(presets).into_ts().map_err(Thrown::from)?)
}
