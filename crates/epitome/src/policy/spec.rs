//! A policy as a host writes it: a preset, and whatever differs from it.

use serde::{Deserialize, Serialize};

use super::{Keep, Policy, PolicyError, SummarySettings, Trigger};
use crate::Retry;

/// Window of a model that nobody has told about.
pub const DEFAULT_WINDOW: u32 = 200_000;

/// The names that [`PolicySpec::preset`] takes.
pub const PRESETS: [&str; 1] = ["recommended"];

/// A preset's name and the fields that differ. Everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PolicySpec {
    /// One of [`PRESETS`]; `recommended` where absent.
    pub preset: Option<String>,
    /// Size of the model's context window in tokens; [`DEFAULT_WINDOW`] where absent.
    pub window: Option<u32>,
    /// See [`Policy::triggers`].
    pub triggers: Option<Vec<Trigger>>,
    /// See [`Policy::trim`].
    pub trim: Option<Trigger>,
    /// See [`Policy::target`].
    pub target: Option<f64>,
    /// See [`Policy::keep`].
    pub keep: Option<Keep>,
    /// See [`Policy::summary`].
    pub summary: Option<SummarySettings>,
    /// See [`Policy::retry`].
    pub retry: Option<Retry>,
    /// See [`Policy::tool_schema_tokens`].
    pub tool_schema_tokens: Option<u32>,
}

impl PolicySpec {
    /// The policy that is meant, if it can work.
    pub fn resolve(self) -> Result<Policy, PolicyError> {
        let window = self.window.unwrap_or(DEFAULT_WINDOW);
        let preset = match self.preset.as_deref() {
            None | Some("recommended") => Policy::recommended(window),
            Some(other) => {
                let problem = format!("{other:?} is no preset; there are {}", PRESETS.join(", "));
                return Err(PolicyError { field: "preset", problem });
            }
        };
        let policy = Policy {
            window,
            triggers: self.triggers.unwrap_or(preset.triggers),
            trim: self.trim.unwrap_or(preset.trim),
            target: self.target.unwrap_or(preset.target),
            keep: self.keep.unwrap_or(preset.keep),
            summary: self.summary.unwrap_or(preset.summary),
            retry: self.retry.unwrap_or(preset.retry),
            tool_schema_tokens: self.tool_schema_tokens.unwrap_or(preset.tool_schema_tokens),
        };
        policy.check()?;
        Ok(policy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b10_a_window_that_nobody_names_is_200_000_tokens() {
        assert_eq!(PolicySpec::default().resolve().unwrap(), Policy::recommended(200_000));
    }

    #[test]
    fn what_is_given_goes_before_the_preset() {
        let spec: PolicySpec = serde_json::from_str(
            r#"{ "window": 1000, "keep": { "messages": 6 }, "triggers": [{ "tokens": 500 }] }"#,
        )
        .unwrap();
        let policy = spec.resolve().unwrap();
        assert_eq!((policy.keep, policy.threshold()), (Keep::Messages(6), Some(500)));
        assert_eq!(policy.target_tokens(), 499);
    }

    #[test]
    fn an_unknown_preset_is_refused_by_name() {
        let spec = PolicySpec { preset: Some("best".into()), ..PolicySpec::default() };
        let error = spec.resolve().unwrap_err().to_string();
        assert_eq!(error, "policy.preset: \"best\" is no preset; there are recommended");
    }
}
