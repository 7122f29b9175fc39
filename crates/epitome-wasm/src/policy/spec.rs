//! A policy as an app writes it: a preset, and whatever differs from it.

use std::collections::BTreeMap;

use epitome::policy;
use serde::Serialize;
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use super::Policy;
use crate::error::{PackageErrorCode, Thrown};
use crate::json;

/// A preset's name and whatever is to differ from it, for all agents or for one. Everything is optional.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
pub struct PolicySpec {
    /// `recommended` where absent; see `presets`.
    #[tsify(optional)]
    pub preset: Option<String>,
    /// Size of the context window in tokens, whatever the model.
    #[tsify(optional)]
    pub window: Option<u32>,
    /// What the provider says the model's window is. Counts where no `window` is given; 200,000 where
    /// neither is.
    #[tsify(optional)]
    pub model_window: Option<u32>,
    /// What differs for an agent of this name.
    #[tsify(optional, type = "Record<string, Omit<PolicySpec, \"agents\">>")]
    pub agents: BTreeMap<String, PolicySpec>,
    /// Any other field of a policy.
    #[serde(flatten)]
    pub fields: PolicyFields,
}

/// Fields of a policy; of `summary` and `retry`, only what differs.
#[derive(Clone, Debug, Serialize, Tsify)]
#[serde(transparent)]
#[tsify(
    type = "Partial<Omit<Policy, \"summary\" | \"retry\">> & { summary?: Partial<SummarySettings>; retry?: Partial<Retry> }"
)]
pub struct PolicyFields(pub BTreeMap<String, serde_json::Value>);

impl From<policy::PolicySpec> for PolicySpec {
    fn from(spec: policy::PolicySpec) -> Self {
        let policy::PolicySpec { preset, window, model_window, agents, fields } = spec;
        let agents = agents.into_iter().map(|(name, own)| (name, own.into())).collect();
        let fields = PolicyFields(fields.into_iter().collect());
        Self { preset, window, model_window, agents, fields }
    }
}

/// What a policy comes to, for an agent or for all.
#[wasm_bindgen(js_name = resolvePolicy)]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over owned strings only")]
pub fn resolve_policy(policy: &JsValue, agent: Option<String>) -> Result<Ts<Policy>, JsValue> {
    let policy = Policy::from(resolve(policy, agent.as_deref())?);
    Ok(policy.into_ts().map_err(Thrown::from)?)
}

/// Reads a policy.
pub(crate) fn resolve(policy: &JsValue, agent: Option<&str>) -> Result<epitome::Policy, Thrown> {
    let spec: policy::PolicySpec =
        json::option(policy, "policy", PackageErrorCode::InvalidPolicy.into())?;
    Ok(match agent {
        Some(agent) => spec.resolve_for(agent)?,
        None => spec.resolve()?,
    })
}
