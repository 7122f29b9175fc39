//! The kinds of fields: a text, a choice among a few, a switch.

use std::sync::Arc;

use epitome::Policy;

type Read<T> = Arc<dyn Fn(&Policy) -> T + Send + Sync>;
type Write<T, R> = Arc<dyn Fn(&mut Policy, T) -> R + Send + Sync>;
type WriteText = Arc<dyn Fn(&mut Policy, &str) -> Result<(), String> + Send + Sync>;

/// A field that is typed.
#[derive(Clone)]
pub(crate) struct Entry {
    /// What it is a part of, which errors name.
    pub(crate) name: String,
    /// What it is called.
    pub(crate) label: &'static str,
    /// What it is counted in.
    pub(crate) unit: &'static str,
    /// How much room it takes.
    pub(crate) width: Width,
    read: Read<String>,
    write: WriteText,
}

/// How much room a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Enough for a number.
    Narrow,
    /// All there is.
    Wide,
}

impl Entry {
    /// A field of this name.
    pub(super) fn new(
        name: impl Into<String>,
        label: &'static str,
        unit: &'static str,
        read: impl Fn(&Policy) -> String + Send + Sync + 'static,
        write: impl Fn(&mut Policy, &str) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        let (name, width) = (name.into(), Width::Narrow);
        Self { name, label, unit, width, read: Arc::new(read), write: Arc::new(write) }
    }

    /// The same with room for more than a number.
    pub(super) fn wide(self) -> Self {
        Self { width: Width::Wide, ..self }
    }

    /// What it shows.
    pub(crate) fn read(&self, policy: &Policy) -> String {
        (self.read)(policy)
    }

    /// Takes what was typed, or says what is wrong with it.
    pub(crate) fn write(&self, policy: &mut Policy, text: &str) -> Result<(), String> {
        (self.write)(policy, text)
    }
}

/// A field that is one of a few.
#[derive(Clone)]
pub(crate) struct Choice {
    /// What it is a part of.
    pub(crate) name: String,
    /// What it is called.
    pub(crate) label: &'static str,
    /// What there is to choose from: names, and what they are called.
    pub(crate) options: &'static [(&'static str, &'static str)],
    read: Read<&'static str>,
    write: Write<String, ()>,
}

/// The name of what a policy has and no option of the form stands for.
pub(crate) const OTHER: &str = "other";

impl Choice {
    /// A field of this name.
    pub(super) fn new(
        name: impl Into<String>,
        label: &'static str,
        options: &'static [(&'static str, &'static str)],
        read: impl Fn(&Policy) -> &'static str + Send + Sync + 'static,
        write: impl Fn(&mut Policy, &str) + Send + Sync + 'static,
    ) -> Self {
        let write = move |policy: &mut Policy, name: String| write(policy, &name);
        Self { name: name.into(), label, options, read: Arc::new(read), write: Arc::new(write) }
    }

    /// The name of what is chosen.
    pub(crate) fn read(&self, policy: &Policy) -> &'static str {
        (self.read)(policy)
    }

    /// Chooses by name.
    pub(crate) fn write(&self, policy: &mut Policy, name: &str) {
        if name != OTHER {
            (self.write)(policy, name.to_owned());
        }
    }
}

/// A field that is on or off.
#[derive(Clone)]
pub(crate) struct Switch {
    /// What it is a part of.
    pub(crate) name: String,
    /// What it is called.
    pub(crate) label: &'static str,
    /// What it does.
    pub(crate) hint: &'static str,
    read: Read<bool>,
    write: Write<bool, ()>,
}

impl Switch {
    /// A field of this name.
    pub(super) fn new(
        name: impl Into<String>,
        label: &'static str,
        hint: &'static str,
        read: impl Fn(&Policy) -> bool + Send + Sync + 'static,
        write: impl Fn(&mut Policy, bool) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), label, hint, read: Arc::new(read), write: Arc::new(write) }
    }

    /// True where it is on.
    pub(crate) fn read(&self, policy: &Policy) -> bool {
        (self.read)(policy)
    }

    /// Turns it on or off.
    pub(crate) fn write(&self, policy: &mut Policy, on: bool) {
        (self.write)(policy, on);
    }
}
