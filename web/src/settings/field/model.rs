//! The kinds of fields: a text, a choice, a switch. Each reads one part of a policy and writes it back.

use std::sync::Arc;

use epitome::Policy;

use super::Options;

type Read<T> = Arc<dyn Fn(&Policy) -> T + Send + Sync>;
type Write<T, R> = Arc<dyn Fn(&mut Policy, T) -> R + Send + Sync>;
type WriteText = Arc<dyn Fn(&mut Policy, &str) -> Result<(), String> + Send + Sync>;

/// A field that is typed.
#[derive(Clone)]
pub(crate) struct TextField {
    /// The policy field, as errors of the engine name it; see [`crate::settings::error_field`].
    pub(crate) name: String,
    /// The label.
    pub(crate) label: &'static str,
    /// The unit; empty if it is not a number.
    pub(crate) unit: &'static str,
    /// How much text it shows.
    pub(crate) extent: Extent,
    /// One sentence about what it does.
    pub(crate) about: &'static str,
    read: Read<String>,
    write: WriteText,
}

/// How much text a field shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A number.
    Number,
    /// A line.
    Line,
    /// So many lines.
    Lines(u32),
}

impl TextField {
    /// A field for a number. `write` fails with the end of a sentence that begins with the label.
    pub(crate) fn new(
        name: impl Into<String>,
        label: &'static str,
        unit: &'static str,
        read: impl Fn(&Policy) -> String + Send + Sync + 'static,
        write: impl Fn(&mut Policy, &str) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            label,
            unit,
            extent: Extent::Number,
            about: "",
            read: Arc::new(read),
            write: Arc::new(write),
        }
    }

    /// The same field with space for more text.
    pub(crate) fn showing(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }

    /// The same field with a sentence about what it does.
    pub(crate) fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The text that stands for the policy's value.
    pub(crate) fn read(&self, policy: &Policy) -> String {
        (self.read)(policy)
    }

    /// Writes what was typed into the policy, or says what is wrong with it.
    pub(crate) fn write(&self, policy: &mut Policy, text: &str) -> Result<(), String> {
        (self.write)(policy, text)
    }
}

/// A field that is one of a few options.
#[derive(Clone)]
pub(crate) struct Choice {
    /// The policy field.
    pub(crate) name: String,
    /// The label.
    pub(crate) label: &'static str,
    /// Names and labels of the options.
    pub(crate) options: fn() -> Vec<(&'static str, &'static str)>,
    /// One sentence about what is chosen.
    pub(crate) about: &'static str,
    read: Read<&'static str>,
    write: Write<String, ()>,
}

/// The option that stands for a value that only the JSON can express.
pub(crate) const OTHER: &str = "other";

impl Choice {
    /// A choice among all options of `T`. `read` returns `None` for a value that no option stands for.
    pub(crate) fn new<T: Options>(
        name: impl Into<String>,
        label: &'static str,
        read: impl Fn(&Policy) -> Option<T> + Send + Sync + 'static,
        write: impl Fn(&mut Policy, T) + Send + Sync + 'static,
    ) -> Self {
        let read = move |policy: &Policy| read(policy).map_or(OTHER, T::name);
        let write = move |policy: &mut Policy, name: String| {
            // `OTHER` is not an option: the value stays as it is.
            if let Some(option) = T::named(&name) {
                write(policy, option);
            }
        };
        Self {
            name: name.into(),
            label,
            options: T::texts,
            about: "",
            read: Arc::new(read),
            write: Arc::new(write),
        }
    }

    /// The same choice with a sentence about what is chosen.
    pub(crate) fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    /// The name of the chosen option, or [`OTHER`].
    pub(crate) fn read(&self, policy: &Policy) -> &'static str {
        (self.read)(policy)
    }

    /// Chooses an option by name.
    pub(crate) fn write(&self, policy: &mut Policy, name: &str) {
        (self.write)(policy, name.to_owned());
    }
}

/// A field that is on or off.
#[derive(Clone)]
pub(crate) struct Switch {
    /// The policy field; names of the fields that it shows and hides begin with it.
    pub(crate) name: String,
    /// The label.
    pub(crate) label: &'static str,
    /// One sentence about what it does.
    pub(crate) about: &'static str,
    read: Read<bool>,
    write: Write<bool, ()>,
}

impl Switch {
    /// A switch.
    pub(crate) fn new(
        name: impl Into<String>,
        label: &'static str,
        about: &'static str,
        read: impl Fn(&Policy) -> bool + Send + Sync + 'static,
        write: impl Fn(&mut Policy, bool) + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), label, about, read: Arc::new(read), write: Arc::new(write) }
    }

    /// True if it is on.
    pub(crate) fn read(&self, policy: &Policy) -> bool {
        (self.read)(policy)
    }

    /// Turns it on or off.
    pub(crate) fn write(&self, policy: &mut Policy, on: bool) {
        (self.write)(policy, on);
    }
}
