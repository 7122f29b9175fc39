//! Policies as apps write them, and as they are resolved.

use epitome::{Policy, PolicySpec};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// The complete policy of a spec, for one of its agents or for all.
#[wasm_bindgen(js_name = resolvePolicy, unchecked_return_type = "Policy")]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen only passes owned strings")]
pub fn resolve_policy(policy: &JsValue, agent: Option<String>) -> Result<JsValue, JsValue> {
    Ok(json::write(&resolve(policy, agent.as_deref())?)?)
}

/// What counts tokens by a policy, so that it can be loaded before a compactor needs it.
#[wasm_bindgen(js_name = countingOf, unchecked_return_type = "Counting")]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen only passes owned strings")]
pub fn counting_of(policy: &JsValue, agent: Option<String>) -> Result<JsValue, JsValue> {
    Ok(json::write(&resolve(policy, agent.as_deref())?.counting)?)
}

/// Reads and resolves a policy.
pub(crate) fn resolve(policy: &JsValue, agent: Option<&str>) -> Result<Policy, Thrown> {
    let spec: PolicySpec = json::option(policy, "policy", PackageErrorCode::InvalidPolicy.into())?;
    Ok(match agent {
        Some(agent) => spec.resolve_for(agent)?,
        None => spec.resolve()?,
    })
}
