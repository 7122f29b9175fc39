//! The settings themselves: what is written, for whom, and what is being typed.

use std::collections::BTreeMap;

use epitome::policy::DEFAULT_WINDOW;
use epitome::{Policy, PolicyError, PolicySpec};
use serde_json::{Map, Value};

use super::entry::Entry;

/// The settings. What counts is the written policy; texts that cannot be read yet wait beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    spec: PolicySpec,
    /// The agent whose settings are shown and changed; empty: everybody's.
    agent: String,
    typed: BTreeMap<String, Typed>,
    /// The window before a preset made it larger.
    widened: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
struct Typed {
    text: String,
    problem: Option<String>,
}

/// Fields whose parts are written one by one.
const IN_PARTS: [&str; 2] = ["summary", "retry"];
/// A field that comes with a document, and is nobody's wish.
const OF_THE_DOCUMENT: &str = "toolSchemaTokens";

impl Settings {
    /// The recommended policy for a window of 128,000 tokens.
    pub(crate) fn recommended() -> Self {
        Self {
            spec: PolicySpec { window: Some(128_000), ..PolicySpec::default() },
            ..Self::default()
        }
    }

    /// The policy as it is written, whether or not it can work.
    pub(crate) fn policy(&self) -> Policy {
        let spec = self.spec.for_agent(&self.agent);
        // What cannot be read is never written.
        spec.draft().unwrap_or_else(|_| Policy::recommended(DEFAULT_WINDOW))
    }

    /// The policy, if it can work and everything typed can be read.
    pub(crate) fn resolve(&self) -> Result<Policy, PolicyError> {
        let unread = self.typed.iter().find_map(|(field, typed)| {
            Some(PolicyError { field: field.clone(), problem: typed.problem.clone()? })
        });
        match unread {
            Some(error) => Err(error),
            None => self.spec.for_agent(&self.agent).resolve(),
        }
    }

    /// What a field shows: what was typed, or what the policy has.
    pub(crate) fn text(&self, entry: &Entry, policy: &Policy) -> String {
        let typed = self.typed.get(&entry.name);
        typed.map_or_else(|| entry.read(policy), |typed| typed.text.clone())
    }

    /// Takes what is typed into a field.
    pub(crate) fn take(&mut self, entry: &Entry, text: String) {
        if entry.name == "window" {
            self.widened = None;
        }
        let mut problem = None;
        self.edit(|policy| problem = entry.write(policy, &text).err());
        self.typed.insert(entry.name.clone(), Typed { text, problem });
    }

    /// Forgets what was typed into fields whose names begin so: something else stands there now.
    pub(crate) fn forget(&mut self, names: &str) {
        self.typed.retain(|name, _| !name.starts_with(names));
    }

    /// Takes the tokens that go along with every request of a document.
    pub(crate) fn bring(&mut self, beside_tokens: u32) {
        self.forget(OF_THE_DOCUMENT);
        self.edit(|policy| policy.tool_schema_tokens = beside_tokens);
    }

    /// Lets go of them, unless something else stands there by now.
    pub(crate) fn let_go(&mut self, beside_tokens: u32) {
        if beside_tokens > 0 && self.policy().tool_schema_tokens == beside_tokens {
            self.bring(0);
        }
    }

    /// Changes the policy. Of what is written, only what the change touches is written anew.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&mut Policy)) {
        let before = self.policy();
        let mut after = before.clone();
        change(&mut after);
        let (before, after) = (object(&before), object(&after));
        let changed: Vec<_> =
            after.into_iter().filter(|(field, value)| before.get(field) != Some(value)).collect();
        if let Some((_, window)) = changed.iter().find(|(field, _)| field == "window") {
            self.layer().window = window.as_u64().and_then(|window| u32::try_from(window).ok());
        }
        let base = self.base();
        let layer = self.layer();
        for (field, value) in changed {
            let (was, base) = (before.get(&field), base.get(&field));
            match (value, was) {
                _ if field == "window" => {}
                (Value::Object(parts), Some(Value::Object(was))) if IN_PARTS.contains(&&*field) => {
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

    /// Where changes are written: for everybody, or for one agent.
    fn layer(&mut self) -> &mut PolicySpec {
        if self.agent.is_empty() {
            return &mut self.spec;
        }
        self.spec.agents.entry(self.agent.clone()).or_default()
    }

    /// The policy without the fields of this layer.
    fn base(&self) -> Map<String, Value> {
        let mut bare = self.clone();
        bare.layer().fields.clear();
        object(&bare.policy())
    }

    /// The preset in force.
    pub(crate) fn preset(&self) -> String {
        let preset = self.spec.for_agent(&self.agent).preset;
        preset.unwrap_or_else(|| "recommended".to_owned())
    }

    /// Takes a preset, and with it every field but what came with the document and the own prompts. A
    /// window in which the preset cannot work becomes one in which it can.
    pub(crate) fn choose(&mut self, preset: &str) {
        self.clear();
        self.layer().preset = Some(preset.to_owned());
        if self.resolve().is_err() {
            let former = self.policy().window;
            self.layer().window = Some(DEFAULT_WINDOW);
            self.widened = Some(former);
        }
    }

    /// Goes back to what the preset has.
    pub(crate) fn clear(&mut self) {
        self.typed.clear();
        self.widened = None;
        let fields = &mut self.layer().fields;
        let prompts = fields.get("summary").and_then(|summary| summary.get("prompts")).cloned();
        fields.retain(|field, _| field == OF_THE_DOCUMENT);
        if let Some(prompts) = prompts {
            fields.insert(
                "summary".into(),
                Value::Object(Map::from_iter([("prompts".into(), prompts)])),
            );
        }
    }

    /// The window before a preset made it larger.
    pub(crate) fn widened(&self) -> Option<u32> {
        self.widened
    }

    /// The fields that are somebody's own wish, by name.
    pub(crate) fn own(&self) -> Vec<String> {
        let layer = match self.agent.as_str() {
            "" => Some(&self.spec),
            agent => self.spec.agents.get(agent),
        };
        let fields = layer.into_iter().flat_map(|layer| &layer.fields);
        let names =
            fields.filter(|(field, _)| *field != OF_THE_DOCUMENT).flat_map(|(field, value)| {
                match value.as_object().filter(|_| IN_PARTS.contains(&field.as_str())) {
                    Some(parts) => parts.keys().map(|part| format!("{field}.{part}")).collect(),
                    None => vec![field.clone()],
                }
            });
        names.collect()
    }

    /// Takes a window, unless the settings cannot work in it.
    pub(crate) fn try_window(&mut self, window: u32) {
        let mut other = self.clone();
        other.set_window(window);
        if other.resolve().is_ok() || self.resolve().is_err() {
            *self = other;
        }
    }

    /// Takes a window.
    pub(crate) fn set_window(&mut self, window: u32) {
        self.widened = None;
        self.forget("window");
        self.edit(|policy| policy.window = window);
    }

    /// The agent whose settings these are; empty: everybody's.
    pub(crate) fn agent(&self) -> &str {
        &self.agent
    }

    /// Shows an agent's settings, or everybody's.
    pub(crate) fn show(&mut self, agent: &str) {
        self.typed.clear();
        self.widened = None;
        agent.trim().clone_into(&mut self.agent);
    }

    /// The agents that have settings of their own.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &String> {
        self.spec.agents.keys()
    }

    /// All settings as JSON, whether they are the preset's or one's own.
    pub(crate) fn json(&self) -> String {
        let everybody = Self { agent: String::new(), ..self.clone() };
        let mut all = Map::new();
        all.insert("preset".into(), everybody.preset().into());
        if let Some(window) = self.spec.model_window {
            all.insert("modelWindow".into(), window.into());
        }
        all.extend(object(&everybody.policy()));
        if self.spec.window.is_none() {
            all.shift_remove("window");
        }
        let agents = self.spec.agents.iter();
        let agents: Map<String, Value> =
            agents.map(|(name, layer)| (name.clone(), written(layer))).collect();
        all.insert("agents".into(), agents.into());
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }

    /// Takes settings as JSON, whole; or names what is wrong with them and changes nothing.
    pub(crate) fn take_json(&mut self, text: &str) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| format!("This is not JSON: {error}."))?;
        let spec = serde_json::from_value::<PolicySpec>(value.clone())
            .map_err(|error| format!("{}: {error}.", unreadable(value)))?;
        spec.resolve().map_err(|error| format!("{error}."))?;
        for agent in spec.agents.keys() {
            spec.resolve_for(agent).map_err(|error| format!("{error}."))?;
        }
        let mut other = Self { spec, agent: String::new(), ..Self::default() };
        other.leave_out_what_the_preset_has();
        other.show(&self.agent);
        *self = other;
        Ok(())
    }

    fn leave_out_what_the_preset_has(&mut self) {
        let base = self.base();
        self.spec.fields.retain(|field, value| {
            let base = base.get(field);
            if let (true, Some(parts)) = (IN_PARTS.contains(&&**field), value.as_object_mut()) {
                parts.retain(|part, value| base.and_then(|base| base.get(part)) != Some(value));
                return !parts.is_empty();
            }
            base != Some(value)
        });
    }
}

/// The first field that is of the wrong kind, for an error to name.
fn unreadable(value: Value) -> String {
    let Value::Object(fields) = value else { return "policy".to_owned() };
    let wrong = fields.into_iter().find(|(field, value)| {
        let alone = Map::from_iter([(field.clone(), value.clone())]);
        serde_json::from_value::<PolicySpec>(alone.into()).is_err()
    });
    wrong.map_or_else(|| "policy".to_owned(), |(field, _)| format!("policy.{field}"))
}

/// An agent's settings without what is not given.
fn written(layer: &PolicySpec) -> Value {
    let mut fields = serde_json::to_value(layer).unwrap_or_default();
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|field, value| {
            !matches!(field.as_str(), "preset" | "window" | "modelWindow" | "agents")
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

/// Writes a value, or nothing where it would be there without.
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
    use crate::form::{at_share, chunks, keep_amount, keep_kind, target, window};
    use epitome::policy::Keep;

    #[test]
    fn the_form_begins_with_the_recommended_policy() {
        let settings = Settings::recommended();
        assert_eq!(settings.resolve(), Ok(Policy::recommended(128_000)));
        assert!(settings.own().is_empty());
    }

    #[test]
    fn what_is_typed_stays_as_it_was_typed() {
        let mut settings = Settings::recommended();
        settings.take(&window(), "64,000".to_owned());
        assert_eq!(settings.resolve(), Ok(Policy::recommended(64_000)));
        assert_eq!(settings.text(&window(), &settings.policy()), "64,000");
    }

    #[test]
    fn what_is_no_number_is_refused_at_its_field_and_changes_nothing() {
        let mut settings = Settings::recommended();
        settings.take(&target(), "half".to_owned());
        let error = settings.resolve().unwrap_err();
        let told = "policy.target: is \"half\"; give a percentage from 0 to 100";
        assert_eq!(error.to_string(), told);
        assert_eq!(settings.policy(), Policy::recommended(128_000));
        settings.take(&target(), "40".to_owned());
        assert_eq!(settings.resolve().map(|policy| policy.target), Ok(0.4));
    }

    #[test]
    fn values_that_cannot_work_together_are_put_right_one_after_the_other() {
        let mut settings = Settings::recommended();
        settings.take(&at_share(), "0".to_owned());
        settings.take(&window(), "0".to_owned());
        assert_eq!(settings.resolve().unwrap_err().field, "window");
        settings.take(&window(), "9000".to_owned());
        assert_eq!(settings.resolve().unwrap_err().field, "triggers[0]");
        settings.take(&at_share(), "50".to_owned());
        assert_eq!(settings.resolve().map(|policy| policy.threshold()), Ok(Some(4_500)));
    }

    #[test]
    fn only_what_differs_is_written_and_what_is_the_same_again_is_not() {
        let mut settings = Settings::recommended();
        settings.edit(|policy| keep_kind().write(policy, "messages"));
        settings.take(&keep_amount(), "6".to_owned());
        settings.take(&chunks(), "3".to_owned());
        assert_eq!(settings.own(), ["keep", "summary.chunks"]);
        settings.edit(|policy| policy.keep = Keep::Fraction(0.2));
        settings.take(&chunks(), "1".to_owned());
        assert!(settings.own().is_empty());
    }

    #[test]
    fn a_preset_brings_all_of_its_values_and_a_window_that_holds_them() {
        let mut settings = Settings::recommended();
        settings.set_window(8_000);
        settings.edit(|policy| policy.tool_schema_tokens = 77);
        settings.take(&target(), "30".to_owned());
        settings.choose("workstream");
        let expected = Policy { tool_schema_tokens: 77, ..Policy::workstream(200_000) };
        assert_eq!(settings.resolve(), Ok(expected));
        assert_eq!(settings.widened(), Some(8_000));
        settings.try_window(8_000);
        assert_eq!(settings.policy().window, 200_000, "the preset cannot work in 8,000");
        settings.choose("team");
        settings.try_window(8_000);
        assert_eq!(settings.policy().window, 8_000);
    }

    #[test]
    fn json_shows_everything_and_is_taken_back_as_it_is() {
        for preset in epitome::policy::PRESETS {
            let mut settings = Settings::recommended();
            settings.choose(preset);
            settings.take(&chunks(), "3".to_owned());
            settings.show("coder");
            settings.take(&target(), "40".to_owned());
            let mut other = Settings::default();
            other.take_json(&settings.json()).unwrap();
            assert_eq!(other.spec, settings.spec, "{preset}");
        }
    }

    #[test]
    fn json_that_cannot_work_is_refused_by_field_and_changes_nothing() {
        let mut settings = Settings::recommended();
        settings.take(&chunks(), "3".to_owned());
        let before = settings.clone();
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
            let problem = settings.take_json(text).unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
            assert_eq!(settings, before);
        }
    }

    #[test]
    fn b10_an_agent_has_settings_of_its_own() {
        let mut settings = Settings::recommended();
        settings.show("coder");
        settings.take(&window(), "32000".to_owned());
        settings.take(&target(), "40".to_owned());
        assert_eq!(settings.own(), ["target"]);
        let coder = settings.resolve().unwrap();
        assert_eq!((coder.threshold(), coder.target), (Some(24_000), 0.4));
        settings.show("");
        assert_eq!(settings.resolve(), Ok(Policy::recommended(128_000)));
    }
}
