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

/// What counts tokens by a policy, so that it can be loaded before a compactor needs it: for one of its agents, or for all and
/// for each of them.
#[wasm_bindgen(js_name = countingsOf, unchecked_return_type = "Counting[]")]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen only passes owned strings")]
pub fn countings_of(policy: &JsValue, agent: Option<String>) -> Result<JsValue, JsValue> {
    let spec = read(policy)?;
    let agents = if agent.is_some() { Vec::new() } else { spec.agents.keys().collect() };
    let mut countings = vec![resolved(&spec, agent.as_deref())?.counting];
    for agent in agents {
        countings.push(resolved(&spec, Some(agent))?.counting);
    }
    Ok(json::write(&countings)?)
}

/// Reads and resolves a policy.
pub(crate) fn resolve(policy: &JsValue, agent: Option<&str>) -> Result<Policy, Thrown> {
    resolved(&read(policy)?, agent)
}

fn read(policy: &JsValue) -> Result<PolicySpec, Thrown> {
    json::option(policy, "policy", PackageErrorCode::InvalidPolicy.into())
}

fn resolved(spec: &PolicySpec, agent: Option<&str>) -> Result<Policy, Thrown> {
    Ok(match agent {
        Some(agent) => spec.resolve_for(agent)?,
        None => spec.resolve()?,
    })
}
