//! The policies that have a name.

use epitome::PolicySpec;
use epitome::policy::PRESETS;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::Thrown;
use crate::policy::Policy;

/// A policy that has a name.
#[derive(Clone, Debug, Serialize, Tsify)]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct Preset {
    /// Its name, to give as `policy.preset`.
    pub name: String,
    /// What it stands for, in a window of 200,000 tokens.
    pub policy: Policy,
}

/// Every preset.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(transparent)]
#[tsify(missing_as_null, hashmap_as_object)]
pub struct Presets(pub Vec<Preset>);

/// Every preset, the default first.
#[wasm_bindgen]
pub fn presets() -> Result<Ts<Presets>, JsValue> {
    let preset = |name: &str| {
        let spec = PolicySpec { preset: Some(name.to_owned()), ..PolicySpec::default() };
        let policy = spec.resolve()?;
        Ok(Preset { name: name.to_owned(), policy: policy.into() })
    };
    let presets = PRESETS.into_iter().map(preset).collect::<Result<Vec<_>, Thrown>>()?;
    Ok(Presets(presets).into_ts().map_err(Thrown::from)?)
}
