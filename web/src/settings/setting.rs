//! A setting of the sheet: its field, when it has a meaning, and the settings that depend on it.

use std::sync::Arc;

use epitome::Policy;

use super::field::{Choice, OTHER, Switch, TextField};
use super::form::Form;
use crate::language::t;

/// What is set.
#[derive(Clone)]
pub(super) enum Field {
    /// A field that is typed.
    Text(TextField),
    /// One of a few options.
    Choice(Choice),
    /// On or off.
    Switch(Switch),
}

type Applies = Arc<dyn Fn(&Policy) -> bool + Send + Sync>;

/// A setting, and those that depend on it.
#[derive(Clone)]
pub(super) struct Setting {
    /// What is set.
    pub(super) field: Field,
    /// The settings that depend on it.
    pub(super) parts: Vec<Self>,
    applies: Option<Applies>,
}

impl From<TextField> for Setting {
    fn from(field: TextField) -> Self {
        Self::new(Field::Text(field))
    }
}

impl From<Choice> for Setting {
    fn from(choice: Choice) -> Self {
        Self::new(Field::Choice(choice))
    }
}

impl From<Switch> for Setting {
    fn from(switch: Switch) -> Self {
        Self::new(Field::Switch(switch))
    }
}

impl Setting {
    fn new(field: Field) -> Self {
        Self { field, parts: Vec::new(), applies: None }
    }

    /// The same setting, which has a meaning only for these policies.
    pub(super) fn only_if(self, applies: impl Fn(&Policy) -> bool + Send + Sync + 'static) -> Self {
        Self { applies: Some(Arc::new(applies)), ..self }
    }

    /// The same setting with settings that depend on it.
    pub(super) fn with(self, parts: impl IntoIterator<Item = Self>) -> Self {
        Self { parts: parts.into_iter().collect(), ..self }
    }

    /// True if it has a meaning for this policy.
    pub(super) fn applies(&self, policy: &Policy) -> bool {
        self.applies.as_ref().is_none_or(|applies| applies(policy))
    }

    /// The setting with those of its parts that have all of these words, or with all parts if it has them itself.
    pub(super) fn narrowed(mut self, words: &[String]) -> Option<Self> {
        if self.field.has(words) {
            return Some(self);
        }
        self.parts = self.parts.into_iter().filter_map(|part| part.narrowed(words)).collect();
        (!self.parts.is_empty()).then_some(self)
    }

    /// It and all that depend on it, at any depth.
    pub(super) fn all(&self) -> Vec<&Self> {
        let parts = self.parts.iter().flat_map(Self::all);
        std::iter::once(self).chain(parts).collect()
    }

    /// True if it has a value in both policies and they differ, or if its text cannot be read.
    pub(super) fn is_changed(&self, form: &Form, policy: &Policy, preset: &Policy) -> bool {
        let is_comparable = self.applies(policy) && self.applies(preset);
        is_comparable && (form.is_unread(self.field.name()) || !self.field.is_same(policy, preset))
    }

    /// Gives it the preset's value, and those that depend on it theirs.
    pub(super) fn reset(&self, form: &mut Form, preset: &Policy) {
        form.discard_text(self.field.name());
        form.edit(|policy| self.field.copy(policy, preset));
        for part in &self.parts {
            if part.applies(preset) {
                part.reset(form, preset);
            }
        }
    }
}

impl Field {
    /// The policy field.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Text(field) => &field.name,
            Self::Choice(choice) => &choice.name,
            Self::Switch(switch) => &switch.name,
        }
    }

    /// The label.
    pub(super) fn label(&self) -> &'static str {
        match self {
            Self::Text(field) => field.label,
            Self::Choice(choice) => choice.label,
            Self::Switch(switch) => switch.label,
        }
    }

    /// One sentence about it.
    pub(super) fn about(&self) -> &'static str {
        match self {
            Self::Text(field) => field.about,
            Self::Choice(choice) => choice.about,
            Self::Switch(switch) => switch.about,
        }
    }

    /// A policy's value in words.
    pub(super) fn value(&self, policy: &Policy) -> String {
        match self {
            Self::Text(field) => match field.read(policy) {
                text if text.is_empty() => t!("empty").to_owned(),
                text => format!("{text} {}", field.unit).trim_end().to_owned(),
            },
            Self::Choice(choice) => {
                let name = choice.read(policy);
                let option = (choice.options)().into_iter().find(|(option, _)| *option == name);
                option.map_or_else(|| t!("something else"), |(_, label)| label).to_owned()
            }
            Self::Switch(switch) if switch.read(policy) => t!("on").to_owned(),
            Self::Switch(_) => t!("off").to_owned(),
        }
    }

    fn is_same(&self, policy: &Policy, other: &Policy) -> bool {
        match self {
            Self::Text(field) => field.read(policy) == field.read(other),
            Self::Choice(choice) => choice.read(policy) == choice.read(other),
            Self::Switch(switch) => switch.read(policy) == switch.read(other),
        }
    }

    /// Gives `policy` the value of `other`. What only the JSON can express stays.
    fn copy(&self, policy: &mut Policy, other: &Policy) {
        match self {
            // A value of a valid policy can be read again.
            Self::Text(field) => drop(field.write(policy, &field.read(other))),
            Self::Choice(choice) => match choice.read(other) {
                OTHER => {}
                name => choice.write(policy, name),
            },
            Self::Switch(switch) => switch.write(policy, switch.read(other)),
        }
    }

    /// True if its texts have all of these words, which are in lower case.
    fn has(&self, words: &[String]) -> bool {
        let options = match self {
            Self::Choice(choice) => (choice.options)(),
            Self::Text(_) | Self::Switch(_) => Vec::new(),
        };
        let labels = options.into_iter().map(|(_, label)| label);
        let texts: Vec<&str> =
            [self.label(), self.about(), self.name()].into_iter().chain(labels).collect();
        let text = texts.join(" ").to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }
}
