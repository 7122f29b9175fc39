//! A policy as the app writes it: a preset and the fields that differ from it, for all agents or for one.

use std::fmt;

use epitome_columns::SortedMap;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::json::{self, Misread};

use super::{ClearToolResults, Fill, PRESETS, Policy, PolicyError, Reducer, ReducerRule, Trigger};

/// The window in tokens if the app gives neither `window` nor `modelWindow`.
pub const DEFAULT_WINDOW: u32 = 200_000;

/// The name of a preset and the fields that differ from it. Every field is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default)]
pub struct PolicySpec {
    /// The preset to start from, one of [`PRESETS`]. Default: `recommended`.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub preset: Option<String>,
    /// Size of the context window in tokens, whatever the model's is. Default: `modelWindow`.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub window: Option<u32>,
    /// The model's context window in tokens, according to its provider. Used if `window` is not given. Default:
    /// [`DEFAULT_WINDOW`].
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub model_window: Option<u32>,
    /// Tokens of the window that are kept free for the answer. Default: 0.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub reserve_output: Option<u32>,
    /// When a compaction is due, in place of `triggers`: if one of these conditions holds, each with all of its parts.
    #[cfg_attr(feature = "tsify", tsify(optional, type = "TriggerCondition | TriggerCondition[]"))]
    pub trigger: Option<Value>,
    /// Clears old tool results: adds the reducer `clearToolResults` to `reducers`.
    #[cfg_attr(feature = "tsify", tsify(optional, type = "ClearToolResultsRule"))]
    pub clear_tool_results: Option<Value>,
    /// The fields that differ for an agent, by the agent's name. All fields but `agents` are allowed here.
    #[cfg_attr(feature = "tsify", tsify(type = "Record<string, Omit<PolicySpec, \"agents\">>"))]
    pub agents: SortedMap<String, PolicySpec>,
    /// Any other field of [`Policy`]. Of `summary` and `retry` only the parts that differ are needed; every other
    /// field is replaced as a whole.
    #[serde(flatten)]
    pub fields: FieldOverrides,
}

/// Not derived, because serde reads flattened fields by a deserializer of its own; see [`json`].
impl<'de> Deserialize<'de> for PolicySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PolicySpecVisitor)
    }
}

struct PolicySpecVisitor;

impl<'de> Visitor<'de> for PolicySpecVisitor {
    type Value = PolicySpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy with its fields")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<PolicySpec, M::Error> {
        let mut spec = PolicySpec::default();
        while let Some(field) = map.next_key::<String>()? {
            match field.as_str() {
                "preset" => spec.preset = map.next_value()?,
                "window" => spec.window = map.next_value()?,
                "modelWindow" => spec.model_window = map.next_value()?,
                "reserveOutput" => spec.reserve_output = map.next_value()?,
                "trigger" => spec.trigger = map.next_value()?,
                "clearToolResults" => spec.clear_tool_results = map.next_value()?,
                "agents" => spec.agents = map.next_value()?,
                _ => {
                    spec.fields.insert(field, map.next_value()?);
                }
            }
        }
        Ok(spec)
    }
}

/// When old tool results are cleared, and which ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ClearToolResultsRule {
    /// When they are cleared. Default: as part of every compaction, and only then.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub trigger: Option<TriggerCondition>,
    /// Nothing is cleared if that would save fewer tokens than this. Default: 0.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub clear_at_least: u32,
    /// How many of the newest results stay. Default: 3.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub keep: Option<u32>,
    /// Tools whose results and inputs stay. Default: none.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub exclude_tools: Vec<String>,
    /// Whether the inputs of the calls are shortened too. Default: false.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub clear_tool_inputs: bool,
    /// What stands in place of a result. Default: `[cleared]`.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub placeholder: Option<String>,
}

impl ClearToolResultsRule {
    fn rule(self) -> ReducerRule {
        let Self { trigger, clear_at_least, keep, exclude_tools, clear_tool_inputs, placeholder } =
            self;
        let usual = ClearToolResults::default();
        let reducer = Reducer::ClearToolResults(ClearToolResults {
            keep: keep.unwrap_or(usual.keep),
            exclude_tools,
            clear_tool_inputs,
            placeholder: placeholder.unwrap_or(usual.placeholder),
        });
        let when = trigger.and_then(TriggerCondition::trigger);
        ReducerRule { reducer, when, clear_at_least }
    }
}

/// A condition under which a compaction is due. All parts that are given have to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct TriggerCondition {
    /// From this share of the window on, above 0 and at most 1.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub fraction: Option<f64>,
    /// From this many tokens on.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub tokens: Option<u32>,
    /// From this many messages on, not counting system messages and those that a summary stands for.
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub messages: Option<u32>,
}

impl TriggerCondition {
    /// The trigger with this condition; `None` if no part is given.
    fn trigger(self) -> Option<Trigger> {
        let Self { fraction, tokens, messages } = self;
        let fill = fraction.map(|fraction| Trigger::Fill(Fill { fraction, max_tokens: 0 }));
        let tokens = tokens.map(|tokens| Trigger::Tokens(tokens.into()));
        let messages = messages.map(|messages| Trigger::Messages(messages.saturating_sub(1)));
        let mut parts: Vec<Trigger> = [fill, tokens, messages].into_iter().flatten().collect();
        match parts.len() {
            0 | 1 => parts.pop(),
            _ => Some(Trigger::All(parts)),
        }
    }
}

/// Fields of [`Policy`] that differ from the preset, as JSON. In TypeScript, `Partial<PolicyFields>`.
pub type FieldOverrides = Map<String, Value>;

impl PolicySpec {
    /// The fields of [`Policy`] that are objects and are merged: a spec may give only some of their parts.
    pub const MERGED_FIELDS: [&str; 2] = ["summary", "retry"];

    /// The complete policy, after checking that it can work.
    pub fn resolve(&self) -> Result<Policy, PolicyError> {
        let policy = self.draft()?;
        policy.check()?;
        Ok(policy)
    }

    /// The complete policy without the check: for a form that the user is still filling in.
    pub fn draft(&self) -> Result<Policy, PolicyError> {
        let window = self.window.or(self.model_window).unwrap_or(DEFAULT_WINDOW);
        let reserved = self.reserve_output.unwrap_or(0);
        if reserved > 0 && reserved >= window {
            let problem = format!("is {reserved}, the whole window of {window}");
            return Err(PolicyError { field: "reserveOutput".into(), problem });
        }
        let window = window - reserved;
        let name = self.preset.as_deref().unwrap_or("recommended");
        let Some(preset) = Policy::preset(name, window) else {
            let problem = format!("{name:?} is not a preset; there are {}", PRESETS.join(", "));
            return Err(PolicyError { field: "preset".into(), problem });
        };
        // Merged as JSON and then read again, so that a wrong type is reported with the path of its field.
        let mut whole =
            json::write(&preset).map_err(|error| unreadable("preset", &error.to_string()))?;
        for (field, given) in &self.fields {
            overlay(&mut whole, field, given);
        }
        let triggers = self.trigger.as_ref().map(|trigger| self.triggers(trigger)).transpose()?;
        let clear = self.clear_tool_results.as_ref();
        let clear: Option<ClearToolResultsRule> =
            clear.map(|clear| read("clearToolResults", clear)).transpose()?;
        let mut policy: Policy = json::read(&whole).map_err(|error| misread("", &error))?;
        if let Some(triggers) = triggers {
            policy.triggers = triggers;
        }
        policy.reducers.extend(clear.map(ClearToolResultsRule::rule));
        Ok(policy)
    }

    /// The triggers that `trigger` stands for.
    fn triggers(&self, trigger: &Value) -> Result<Vec<Trigger>, PolicyError> {
        let refuse = |field: String, problem: &str| PolicyError { field, problem: problem.into() };
        if self.fields.contains_key("triggers") {
            return Err(refuse(
                "trigger".into(),
                "is given in addition to triggers; give one of them",
            ));
        }
        let (conditions, is_list) = match trigger {
            Value::Array(conditions) => (conditions.as_slice(), true),
            condition => (std::slice::from_ref(condition), false),
        };
        let mut triggers = Vec::new();
        for (index, condition) in conditions.iter().enumerate() {
            let field = if is_list { format!("trigger[{index}]") } else { "trigger".into() };
            let read: TriggerCondition = read(&field, condition)?;
            let empty = || refuse(field, "is empty; give a fraction, tokens or messages");
            triggers.push(read.trigger().ok_or_else(empty)?);
        }
        Ok(triggers)
    }

    /// The complete policy of an agent: its own fields are used before those for all agents. The window is the first
    /// of: the agent's `window`, the agent's `modelWindow`, `window` for all, `modelWindow` for all,
    /// [`DEFAULT_WINDOW`].
    pub fn resolve_for(&self, agent: &str) -> Result<Policy, PolicyError> {
        if !self.agents.contains_key(agent) {
            return self.resolve();
        }
        self.for_agent(agent).resolve().map_err(|error| PolicyError {
            field: format!("agents.{agent}.{}", error.field),
            ..error
        })
    }

    /// The fields for one agent, without those of other agents; see [`Self::resolve_for`].
    #[must_use]
    pub fn for_agent(&self, agent: &str) -> Self {
        let Some(own) = self.agents.get(agent) else {
            return Self { agents: SortedMap::new(), ..self.clone() };
        };
        let mut fields = Value::Object(self.fields.clone());
        for (field, given) in &own.fields {
            overlay(&mut fields, field, given);
        }
        Self {
            preset: own.preset.clone().or_else(|| self.preset.clone()),
            // The agent's `modelWindow` becomes its `window`. As a `modelWindow` it would come after the
            // `window` for all agents, which is for another model.
            window: own.window.or(own.model_window).or(self.window),
            model_window: self.model_window,
            reserve_output: own.reserve_output.or(self.reserve_output),
            // The agent's `triggers` are not for those of all agents to replace.
            trigger: own.trigger.clone().or_else(|| {
                let all = self.trigger.as_ref();
                all.filter(|_| !own.fields.contains_key("triggers")).cloned()
            }),
            clear_tool_results: own
                .clear_tool_results
                .clone()
                .or_else(|| self.clear_tool_results.clone()),
            agents: SortedMap::new(),
            fields: fields.as_object().cloned().unwrap_or_default(),
        }
    }
}

/// Replaces a field of a policy; of the fields in [`PolicySpec::MERGED_FIELDS`], only the given parts.
fn overlay(policy: &mut Value, field: &str, given: &Value) {
    let Some(fields) = policy.as_object_mut() else { return };
    match (fields.get_mut(field), given) {
        (Some(Value::Object(parts)), Value::Object(given))
            if PolicySpec::MERGED_FIELDS.contains(&field) =>
        {
            for (part, value) in given {
                parts.insert(part.clone(), value.clone());
            }
        }
        _ => {
            fields.insert(field.to_owned(), given.clone());
        }
    }
}

/// Reads a value that is not part of [`Policy`].
fn read<T: DeserializeOwned>(field: &str, value: &Value) -> Result<T, PolicyError> {
    json::read(value).map_err(|error| misread(field, &error))
}

fn misread(field: &str, error: &Misread) -> PolicyError {
    let dot = if field.is_empty() || error.path().is_empty() { "" } else { "." };
    unreadable(&[field, dot, error.path()].concat(), error.problem())
}

fn unreadable(field: &str, error: &str) -> PolicyError {
    // serde names Rust's types, which the author of a policy may not know.
    let problem = error
        .replace("expected u32", "expected a whole number of 0 or more")
        .replace("expected i64", "expected a whole number")
        .replace("expected f64", "expected a number");
    PolicyError { field: field.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Keep, Summarizer, Trigger};

    fn spec(text: &str) -> PolicySpec {
        serde_json::from_str(text).unwrap()
    }

    fn refused(text: &str) -> String {
        spec(text).resolve().unwrap_err().to_string()
    }

    #[test]
    fn b10_the_window_is_the_given_one_then_the_models_then_200_000() {
        assert_eq!(PolicySpec::default().resolve().unwrap(), Policy::recommended(200_000));
        let window = |text| spec(text).resolve().unwrap().window;
        assert_eq!(window(r#"{ "modelWindow": 64000 }"#), 64_000);
        assert_eq!(window(r#"{ "modelWindow": 64000, "window": 9000 }"#), 9_000);
    }

    #[test]
    fn b10_the_thresholds_of_an_agent_depend_on_its_models_window() {
        let threshold = |model| {
            let text = format!(
                r#"{{ "window": 200000, "agents": {{ "coder": {{ "modelWindow": {model} }} }} }}"#
            );
            spec(&text).resolve_for("coder").unwrap().threshold()
        };
        assert_eq!((threshold(128_000), threshold(32_000)), (Some(96_000), Some(24_000)));
    }

    #[test]
    fn given_fields_replace_those_of_the_preset() {
        let policy = spec(
            r#"{ "window": 1000, "keep": { "messages": 6 }, "triggers": [{ "tokens": 500 }],
                 "summary": { "chunks": 3 } }"#,
        )
        .resolve()
        .unwrap();
        assert_eq!((policy.keep, policy.threshold()), (Keep::Messages(6), Some(500)));
        assert_eq!(policy.target_tokens(), 499);
        assert_eq!((policy.summary.chunks, policy.summary.chunk_characters), (3, Some(120_000)));
    }

    #[test]
    fn k8_a_trigger_is_one_condition_or_several_in_words_that_other_libraries_use() {
        let triggers =
            |text: &str| spec(&format!("{{ \"trigger\": {text} }}")).resolve().unwrap().triggers;
        let fill = || Trigger::Fill(Fill { fraction: 0.8, max_tokens: 0 });
        assert_eq!(triggers(r#"{ "fraction": 0.8 }"#), [fill()]);
        assert_eq!(
            triggers(r#"[{ "tokens": 4000, "messages": 10 }, { "fraction": 0.8 }]"#),
            [Trigger::All(vec![Trigger::Tokens(4_000), Trigger::Messages(9)]), fill()]
        );
        let problems = [
            (r#"{ "trigger": {} }"#, "policy.trigger: is empty"),
            (r#"{ "trigger": [{ "tokens": 1 }, { "tokens": -1 }] }"#, "policy.trigger[1].tokens: "),
            (r#"{ "trigger": { "token": 1 } }"#, "policy.trigger"),
            (
                r#"{ "trigger": { "tokens": 1 }, "triggers": [] }"#,
                "policy.trigger: is given in addition",
            ),
            (r#"{ "trigger": { "fraction": 7 } }"#, "policy.triggers[0]"),
            (r#"{ "window": 10, "reserveOutput": 10 }"#, "policy.reserveOutput: is 10"),
        ];
        for (text, problem) in problems {
            let error = refused(text);
            assert!(error.starts_with(problem), "{text}: {error}");
        }
        let agent =
            r#"{ "trigger": { "tokens": 9 }, "agents": { "a": { "triggers": ["always"] } } }"#;
        assert_eq!(spec(agent).resolve_for("a").unwrap().triggers, [Trigger::Always]);
        assert_eq!(spec(agent).resolve_for("b").unwrap().triggers, [Trigger::Tokens(9)]);
    }

    #[test]
    fn k8_tokens_for_the_answer_are_no_part_of_the_window() {
        let policy = spec(r#"{ "window": 1000, "reserveOutput": 200 }"#).resolve().unwrap();
        assert_eq!(
            (policy.window, policy.threshold()),
            (800, Policy::recommended(800).threshold())
        );
    }

    #[test]
    fn d11_every_setting_can_differ_for_an_agent() {
        let spec = spec(
            r#"{ "preset": "fill", "summary": { "agent": "Slow", "chunks": 2 },
                 "agents": {
                    "coder": { "summary": { "prompt": "mine", "prompts": { "mine": "Condense." } } },
                    "writer": { "preset": "loop", "keep": { "rounds": 1 } },
                    "reader": { "summary": { "agent": null, "defaultAgent": null } }
                 } }"#,
        );
        let all = spec.resolve().unwrap();
        assert_eq!(all.summary.summarizer(), Some(Summarizer::Agent { name: "Slow".into() }));
        let coder = spec.resolve_for("coder").unwrap();
        assert_eq!(coder.summary.summarizer(), Some(Summarizer::Own { prompt: "mine".into() }));
        assert_eq!((coder.summary.chunks, coder.threshold()), (2, all.threshold()));
        let writer = spec.resolve_for("writer").unwrap();
        assert_eq!((writer.keep, writer.threshold()), (Keep::Rounds(1), Some(200_000)));
        assert_eq!(spec.resolve_for("reader").unwrap().summary.summarizer(), None);
        assert_eq!(spec.resolve_for("somebody").unwrap(), all);
    }

    #[test]
    fn a_value_that_cannot_be_read_is_refused_by_field() {
        let unknown = refused(r#"{ "preset": "best" }"#);
        assert!(
            unknown.starts_with("policy.preset: \"best\" is not a preset; there are recommended")
        );
        let negative = refused(r#"{ "keep": { "messages": -1 } }"#);
        assert!(
            negative.starts_with("policy.keep.messages: ") && negative.contains("-1"),
            "{negative}"
        );
        let typo = refused(r#"{ "tresholds": 3 }"#);
        assert!(typo.starts_with("policy.tresholds: unknown field"), "{typo}");
        let spec = spec(r#"{ "agents": { "a": { "target": 7 } } }"#);
        let agent = spec.resolve_for("a").unwrap_err().to_string();
        assert!(agent.starts_with("policy.agents.a.target: is 7"), "{agent}");
    }

    #[test]
    fn a_policy_with_only_the_manual_trigger_has_no_threshold() {
        let policy = spec(r#"{ "triggers": ["manual"] }"#).resolve().unwrap();
        assert_eq!(
            (policy.triggers.as_slice(), policy.threshold()),
            (&[Trigger::Manual][..], None)
        );
    }

    #[test]
    fn k8_old_tool_results_are_cleared_in_words_that_other_libraries_use() {
        let policy = spec(
            r#"{ "window": 1000, "reducers": [], "clearToolResults": { "trigger": { "tokens": 400 },
                 "keep": 2, "clearAtLeast": 50, "excludeTools": ["search*"], "clearToolInputs": true,
                 "placeholder": "[gone]" } }"#,
        )
        .resolve()
        .unwrap();
        let clear = ClearToolResults {
            keep: 2,
            exclude_tools: vec!["search*".into()],
            clear_tool_inputs: true,
            placeholder: "[gone]".into(),
        };
        let rule = ReducerRule {
            reducer: Reducer::ClearToolResults(clear),
            when: Some(Trigger::Tokens(400)),
            clear_at_least: 50,
        };
        assert_eq!(policy.reducers, [rule]);
        let usual = spec(r#"{ "clearToolResults": {} }"#).resolve().unwrap();
        let rule =
            ReducerRule::in_compactions(Reducer::ClearToolResults(ClearToolResults::default()));
        assert_eq!(usual.reducers.last(), Some(&rule));
        let wrong = refused(r#"{ "clearToolResults": { "keep": "all" } }"#);
        assert!(wrong.contains("policy.clearToolResults.keep"), "{wrong}");
        let blank = refused(r#"{ "clearToolResults": { "placeholder": " " } }"#);
        assert!(blank.contains("clearToolResults.placeholder: is blank"), "{blank}");
    }
}
