//! The form: the policy as it is written, the agent that it is written for, and the text that is being typed.

use std::collections::BTreeMap;

use epitome::policy::{DEFAULT_WINDOW, PrepareAt};
use epitome::{Policy, PolicyError, PolicySpec};
use serde_json::{Map, Value};

use super::field::TextField;
use super::triggers::write_threshold;
use crate::language::t;

/// The settings as written. A policy is written as a [`PolicySpec`]: a preset and the fields that differ from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Form {
    spec: PolicySpec,
    /// The agent whose settings are shown and changed; empty: the settings of all agents.
    agent: String,
    /// The text in fields, by field name, because `64,000` or `hal` must not be replaced while the user types.
    typed: BTreeMap<String, Typed>,
}

#[derive(Clone, Debug, PartialEq)]
struct Typed {
    text: String,
    /// Why the text cannot be read. The policy then has the value from before.
    problem: Option<String>,
}

/// The field that is set from the loaded document and not by the user.
const DOCUMENT_FIELD: &str = "toolSchemaTokens";

/// True for a field whose parts are written one by one.
fn is_merged(field: &str) -> bool {
    PolicySpec::MERGED_FIELDS.contains(&field)
}

impl Form {
    /// The recommended policy for a window of 128,000 tokens.
    pub(crate) fn recommended() -> Self {
        Self {
            spec: PolicySpec { window: Some(128_000), ..PolicySpec::default() },
            ..Self::default()
        }
    }

    /// The policy as it is written, valid or not.
    pub(crate) fn policy(&self) -> Policy {
        let spec = self.spec.for_agent(&self.agent);
        // A spec only fails here if a field has a wrong type, and no method writes such a field.
        spec.draft().unwrap_or_else(|_| Policy::recommended(DEFAULT_WINDOW))
    }

    /// The policy, if it is valid and all typed text can be read.
    pub(crate) fn resolve(&self) -> Result<Policy, PolicyError> {
        let unread = self.typed.iter().find_map(|(field, typed)| {
            Some(PolicyError { field: field.clone(), problem: typed.problem.clone()? })
        });
        match unread {
            Some(error) => Err(error),
            None => self.spec.for_agent(&self.agent).resolve(),
        }
    }

    /// The policy of an agent, if it is valid.
    pub(crate) fn resolve_for(&self, agent: &str) -> Result<Policy, PolicyError> {
        self.spec.for_agent(agent).resolve()
    }

    /// The text of a field: what the user typed, or the value of the policy.
    pub(crate) fn text(&self, field: &TextField, policy: &Policy) -> String {
        let typed = self.typed.get(&field.name);
        typed.map_or_else(|| field.read(policy), |typed| typed.text.clone())
    }

    /// Sets the text of a field, and the policy if the text can be read.
    pub(crate) fn set_text(&mut self, field: &TextField, text: String) {
        let mut problem = None;
        self.edit(|policy| problem = field.write(policy, &text).err());
        self.typed.insert(field.name.clone(), Typed { text, problem });
    }

    /// True if the text of a field cannot be read.
    pub(crate) fn is_unread(&self, field: &str) -> bool {
        self.typed.get(field).is_some_and(|typed| typed.problem.is_some())
    }

    /// Discards the text of fields whose names start with `prefix`, because their values have been replaced.
    pub(crate) fn discard_text(&mut self, prefix: &str) {
        self.typed.retain(|name, _| !name.starts_with(prefix));
    }

    /// Sets the request overhead that was counted in a loaded document.
    pub(crate) fn set_document_overhead(&mut self, tokens: u32) {
        self.discard_text(DOCUMENT_FIELD);
        self.edit(|policy| policy.tool_schema_tokens = tokens);
    }

    /// Removes the request overhead of a document, unless the user has changed it.
    pub(crate) fn clear_document_overhead(&mut self, tokens: u32) {
        if tokens > 0 && self.policy().tool_schema_tokens == tokens {
            self.set_document_overhead(0);
        }
    }

    /// Changes the policy, and writes the fields that the change touches. A value that the preset has too is not
    /// written.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Policy)) {
        let before = self.policy();
        let mut after = before.clone();
        change(&mut after);
        let (before, after) = (object(&before), object(&after));
        let changed: Vec<_> =
            after.into_iter().filter(|(field, value)| before.get(field) != Some(value)).collect();
        if let Some((_, window)) = changed.iter().find(|(field, _)| field == "window") {
            self.layer_mut().window = window.as_u64().and_then(|window| u32::try_from(window).ok());
        }
        let base = self.base();
        let layer = self.layer_mut();
        for (field, value) in changed {
            let (was, base) = (before.get(&field), base.get(&field));
            match (value, was) {
                _ if field == "window" => {}
                (Value::Object(parts), Some(Value::Object(was))) if is_merged(&field) => {
                    let written = layer.fields.entry(field.clone()).or_insert_with(empty);
                    let Some(written) = written.as_object_mut() else { continue };
                    for (part, value) in parts {
                        if was.get(&part) != Some(&value) {
                            put(
                                written,
                                part.clone(),
                                value,
                                base.and_then(|base| base.get(&part)),
                            );
                        }
                    }
                    if written.is_empty() {
                        layer.fields.remove(&field);
                    }
                }
                (value, _) => put(&mut layer.fields, field, value, base),
            }
        }
    }

    /// The spec that changes are written to: that of all agents, or that of one.
    fn layer_mut(&mut self) -> &mut PolicySpec {
        if self.agent.is_empty() {
            return &mut self.spec;
        }
        self.spec.agents.entry(self.agent.clone()).or_default()
    }

    /// The policy without the fields written here: that of the preset, or for an agent that of all agents. What a loaded
    /// document has set is not a difference.
    pub(crate) fn preset_policy(&self) -> Policy {
        let mut bare = self.clone();
        bare.layer_mut().fields.clear();
        Policy { tool_schema_tokens: self.policy().tool_schema_tokens, ..bare.policy() }
    }

    /// The fields of that policy, with none that a document has set.
    fn base(&self) -> Map<String, Value> {
        let mut bare = self.clone();
        bare.layer_mut().fields.clear();
        object(&bare.policy())
    }

    /// The active preset.
    pub(crate) fn preset(&self) -> String {
        let preset = self.spec.for_agent(&self.agent).preset;
        preset.unwrap_or_else(|| "recommended".to_owned())
    }

    /// Chooses a preset with all of its values; the window, the document's overhead and the user's prompts stay.
    pub(crate) fn choose_preset(&mut self, preset: &str) {
        self.reset_to_preset();
        self.layer_mut().preset = Some(preset.to_owned());
    }

    /// Removes all fields that differ from the preset; the document's overhead and the user's prompts stay.
    pub(crate) fn reset_to_preset(&mut self) {
        self.typed.clear();
        let fields = &mut self.layer_mut().fields;
        let prompts = fields.get("summary").and_then(|summary| summary.get("prompts")).cloned();
        fields.retain(|field, _| field == DOCUMENT_FIELD);
        if let Some(prompts) = prompts {
            fields.insert(
                "summary".into(),
                Value::Object(Map::from_iter([("prompts".into(), prompts)])),
            );
        }
    }

    /// The names of the fields that differ from the preset.
    pub(crate) fn changed_fields(&self) -> Vec<String> {
        let layer = match self.agent.as_str() {
            "" => Some(&self.spec),
            agent => self.spec.agents.get(agent),
        };
        let fields = layer.into_iter().flat_map(|layer| &layer.fields);
        let names =
            fields.filter(|(field, _)| *field != DOCUMENT_FIELD).flat_map(|(field, value)| {
                match value.as_object().filter(|_| is_merged(field)) {
                    Some(parts) => parts.keys().map(|part| format!("{field}.{part}")).collect(),
                    None => vec![field.clone()],
                }
            });
        names.collect()
    }

    /// Sets the window, unless that makes valid settings invalid.
    pub(crate) fn try_window(&mut self, window: u32) {
        let mut other = self.clone();
        other.set_window(window);
        if other.resolve().is_ok() || self.resolve().is_err() {
            *self = other;
        }
    }

    /// Sets the window.
    pub(crate) fn set_window(&mut self, window: u32) {
        self.discard_text("window");
        self.edit(|policy| policy.window = window);
    }

    /// Moves the threshold of the main trigger to a share of the window, at least 1 % and at most all of it.
    pub(crate) fn set_threshold(&mut self, share: f64) {
        self.discard_text("triggers");
        self.edit(|policy| {
            write_threshold(policy, share.clamp(0.01, 1.0));
        });
    }

    /// True if the main trigger's threshold is one that [`Self::set_threshold`] moves.
    pub(crate) fn has_movable_threshold(&self) -> bool {
        write_threshold(&mut self.policy(), 0.5)
    }

    /// Moves the target to a share of the window, from 1 % to 95 %.
    pub(crate) fn set_target(&mut self, share: f64) {
        self.discard_text("target");
        self.edit(|policy| policy.target = share.clamp(0.01, 0.95));
    }

    /// Moves the point from which the next summary is written in advance, if there is one, to a share of the window, from 1 % to
    /// 99 %.
    pub(crate) fn set_prepare_at(&mut self, share: f64) {
        self.discard_text("prepareAt");
        self.edit(|policy| policy.prepare_at = Some(PrepareAt::Fraction(share.clamp(0.01, 0.99))));
    }

    /// Sets who writes the summary of a completed task for all; `None`: each agent its own. It is a setting of all agents.
    pub(crate) fn set_shared_by(&mut self, writer: Option<String>) {
        let shown = std::mem::take(&mut self.agent);
        self.edit(|policy| policy.tasks.shared_by = writer);
        self.agent = shown;
    }

    /// The agent whose settings are shown; empty: the settings of all agents.
    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    /// Shows the settings of an agent; with an empty name, those of all agents.
    pub(crate) fn show_agent(&mut self, agent: &str) {
        self.typed.clear();
        agent.trim().clone_into(&mut self.agent);
    }

    /// The agents that have settings of their own.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &String> {
        self.spec.agents.keys()
    }

    /// All settings as JSON, those of the preset included.
    pub(crate) fn json(&self) -> String {
        let all_agents = Self { agent: String::new(), ..self.clone() };
        let mut all = Map::new();
        all.insert("preset".into(), all_agents.preset().into());
        if let Some(window) = self.spec.model_window {
            all.insert("modelWindow".into(), window.into());
        }
        all.extend(object(&all_agents.policy()));
        if self.spec.window.is_none() {
            all.shift_remove("window");
        }
        all.insert("agents".into(), self.agents_written().into());
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }

    /// The preset, the window and what differs from the preset, as JSON: the shortest policy that an app has to write. What
    /// belongs to the loaded document is not in it.
    pub(crate) fn difference(&self) -> String {
        let mut spec = self.spec.clone();
        spec.preset.get_or_insert_with(|| "recommended".to_owned());
        spec.fields.shift_remove(DOCUMENT_FIELD);
        let mut all = written(&spec);
        if let Some(agents) = all.get_mut("agents") {
            *agents = self.agents_written().into();
        }
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }

    fn agents_written(&self) -> Map<String, Value> {
        self.spec.agents.iter().map(|(name, layer)| (name.clone(), written(layer))).collect()
    }

    /// Replaces all settings by JSON. Fails with a sentence for the user, and then changes nothing.
    pub(crate) fn apply_json(&mut self, text: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| t!("This is not JSON: {reason}.", reason = error))?;
        let spec = serde_json::from_value::<PolicySpec>(value.clone())
            .map_err(|error| format!("{}: {error}.", field_of_wrong_type(value)))?;
        spec.resolve().map_err(|error| format!("{error}."))?;
        for agent in spec.agents.keys() {
            spec.resolve_for(agent).map_err(|error| format!("{error}."))?;
        }
        let mut other = Self { spec, agent: String::new(), ..Self::default() };
        other.remove_preset_values();
        other.show_agent(&self.agent);
        *self = other;
        Ok(())
    }

    /// Removes the fields that have the value of the preset.
    fn remove_preset_values(&mut self) {
        let base = self.base();
        self.spec.fields.retain(|field, value| {
            let base = base.get(field);
            if let (true, Some(parts)) = (is_merged(field), value.as_object_mut()) {
                parts.retain(|part, value| base.and_then(|base| base.get(part)) != Some(value));
                return !parts.is_empty();
            }
            base != Some(value)
        });
    }
}

/// The name of the first field whose value has the wrong type.
fn field_of_wrong_type(value: Value) -> String {
    let Value::Object(fields) = value else { return "policy".to_owned() };
    let wrong = fields.into_iter().find(|(field, value)| {
        let alone = Map::from_iter([(field.clone(), value.clone())]);
        serde_json::from_value::<PolicySpec>(alone.into()).is_err()
    });
    wrong.map_or_else(|| "policy".to_owned(), |(field, _)| format!("policy.{field}"))
}

/// An agent's settings as JSON, without fields that are not given.
fn written(layer: &PolicySpec) -> Value {
    let mut fields = serde_json::to_value(layer).unwrap_or_default();
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|field, value| {
            layer.fields.contains_key(field)
                || !(value.is_null() || value.as_object().is_some_and(Map::is_empty))
        });
    }
    fields
}

fn object(policy: &Policy) -> Map<String, Value> {
    match serde_json::to_value(policy) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

/// Writes a value, unless the field has it anyway.
fn put(fields: &mut Map<String, Value>, field: String, value: Value, base: Option<&Value>) {
    if base == Some(&value) {
        fields.shift_remove(&field);
    } else {
        fields.insert(field, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::keep::{KeepUnit, keep_unit};
    use crate::settings::summary::chunks;
    use crate::settings::triggers::{target, threshold_share};
    use crate::settings::window::window;
    use epitome::policy::{Keep, Trigger};

    #[test]
    fn the_form_starts_with_the_recommended_policy() {
        let form = Form::recommended();
        assert_eq!(form.resolve(), Ok(Policy::recommended(128_000)));
        assert!(form.changed_fields().is_empty());
    }

    #[test]
    fn typed_text_stays_as_typed() {
        let mut form = Form::recommended();
        form.set_text(&window(), "64,000".to_owned());
        assert_eq!(form.resolve(), Ok(Policy::recommended(64_000)));
        assert_eq!(form.text(&window(), &form.policy()), "64,000");
    }

    #[test]
    fn text_that_is_not_a_number_is_an_error_of_its_field_and_changes_nothing() {
        let mut form = Form::recommended();
        form.set_text(&target(), "half".to_owned());
        let error = form.resolve().unwrap_err();
        let expected = "policy.target: is \"half\"; give a percentage from 0 to 100";
        assert_eq!(error.to_string(), expected);
        assert_eq!(form.policy(), Policy::recommended(128_000));
        form.set_text(&target(), "40".to_owned());
        assert_eq!(form.resolve().map(|policy| policy.target), Ok(0.4));
    }

    #[test]
    fn several_invalid_values_can_be_corrected_one_after_the_other() {
        let mut form = Form::recommended();
        form.set_text(&threshold_share(), "0".to_owned());
        form.set_text(&window(), "0".to_owned());
        assert_eq!(form.resolve().unwrap_err().field, "window");
        form.set_text(&window(), "9000".to_owned());
        assert_eq!(form.resolve().unwrap_err().field, "triggers[0]");
        form.set_text(&threshold_share(), "50".to_owned());
        assert_eq!(form.resolve().map(|policy| policy.threshold()), Ok(Some(4_500)));
    }

    #[test]
    fn only_fields_that_differ_from_the_preset_are_written() {
        let mut form = Form::recommended();
        form.edit(|policy| keep_unit().write(policy, "messages"));
        form.set_text(&KeepUnit::Messages.amount(), "6".to_owned());
        form.set_text(&chunks(), "3".to_owned());
        assert_eq!(form.changed_fields(), ["keep", "summary.chunks"]);
        form.edit(|policy| policy.keep = Keep::Fraction(0.4));
        form.set_text(&chunks(), "1".to_owned());
        assert!(form.changed_fields().is_empty());
    }

    #[test]
    fn b15_a_preset_sets_all_of_its_values_for_the_window_that_is_set() {
        let mut form = Form::recommended();
        form.set_window(8_000);
        form.edit(|policy| policy.tool_schema_tokens = 77);
        form.set_text(&target(), "30".to_owned());
        for window in [8_000, 200_000, 16_000] {
            form.choose_preset("workstream");
            form.try_window(window);
            let expected = Policy { tool_schema_tokens: 77, ..Policy::workstream(window) };
            assert_eq!(form.resolve(), Ok(expected));
        }
        form.edit(|policy| policy.triggers = vec![Trigger::Tokens(16_000)]);
        form.try_window(8_000);
        assert_eq!(form.policy().window, 16_000, "the trigger is not valid in 8,000");
    }

    #[test]
    fn json_shows_all_settings_and_can_be_applied_again() {
        for preset in epitome::policy::PRESETS {
            let mut form = Form::recommended();
            form.choose_preset(preset);
            form.set_text(&chunks(), "3".to_owned());
            form.show_agent("coder");
            form.set_text(&target(), "40".to_owned());
            let mut other = Form::default();
            other.apply_json(&form.json()).unwrap();
            assert_eq!(other.spec, form.spec, "{preset}");
        }
    }

    #[test]
    fn what_differs_from_the_preset_is_enough_to_write_the_same_policy() {
        let mut form = Form::recommended();
        form.choose_preset("fill");
        form.set_text(&chunks(), "3".to_owned());
        form.set_document_overhead(77);
        form.show_agent("coder");
        form.set_text(&target(), "40".to_owned());
        let difference = form.difference();
        assert!(!difference.contains("null"), "{difference}");
        let spec: PolicySpec = serde_json::from_str(&difference).unwrap();
        let summary = Map::from_iter([("chunks".to_owned(), Value::from(3))]);
        let fields: Map<String, Value> = Map::from_iter([("summary".into(), summary.into())]);
        assert_eq!(spec.fields, fields);
        form.show_agent("");
        form.set_document_overhead(0);
        for agent in ["", "coder"] {
            assert_eq!(spec.resolve_for(agent), form.resolve_for(agent));
        }
    }

    #[test]
    fn invalid_json_is_an_error_with_the_field_and_changes_nothing() {
        let mut form = Form::recommended();
        form.set_text(&chunks(), "3".to_owned());
        let before = form.clone();
        for (text, expected) in [
            ("{", "This is not JSON: EOF"),
            ("[]", "policy: "),
            (r#"{ "window": "large" }"#, "policy.window: invalid type"),
            (r#"{ "target": 7 }"#, "policy.target: is 7"),
            (r#"{ "tresholds": 3 }"#, "policy.tresholds: unknown field"),
            (r#"{ "agents": { "a": { "window": 0 } } }"#, "policy.agents.a.window: is 0"),
            (
                r#"{ "triggers": [{ "fill": { "fraction": 2 } }] }"#,
                "policy.triggers[0].fill.fraction",
            ),
        ] {
            let problem = form.apply_json(text).unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
            assert_eq!(form, before);
        }
    }

    #[test]
    fn b10_an_agent_has_settings_of_its_own() {
        let mut form = Form::recommended();
        form.show_agent("coder");
        form.set_text(&window(), "32000".to_owned());
        form.set_text(&target(), "40".to_owned());
        assert_eq!(form.changed_fields(), ["target"]);
        let coder = form.resolve().unwrap();
        assert_eq!((coder.threshold(), coder.target), (Some(24_000), 0.4));
        form.show_agent("");
        assert_eq!(form.resolve(), Ok(Policy::recommended(128_000)));
    }
}
