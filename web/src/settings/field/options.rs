//! The options of a choice, listed so that a missing one does not compile.

/// A value that is one of a few. Implement it with [`options!`].
pub(crate) trait Options: Copy + PartialEq + 'static {
    /// Every option, in the order shown.
    const ALL: &'static [Self];

    /// The name of every option, in the same order.
    const NAMES: &'static [&'static str];

    /// The option's name in the page's markup.
    fn name(self) -> &'static str;

    /// The option as the page shows it.
    fn label(self) -> &'static str;

    /// Name and label of every option, in the same order.
    fn texts() -> Vec<(&'static str, &'static str)> {
        Self::ALL.iter().map(|option| (option.name(), option.label())).collect()
    }

    /// The option of this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.get(position(Self::NAMES, name)?).copied()
    }
}

/// Not generic, because every instance of a generic function adds to the size of the page.
fn position(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|other| *other == name)
}

/// Implements [`Options`] for an enum without data: `Variant: "name", t!("label");` for each variant.
///
/// The list and the exhaustive matches come from the same lines, so a variant without a line is a compile error.
macro_rules! options {
    ($enum:ty { $($variant:ident: $name:expr, $label:expr;)+ }) => {
        impl $crate::settings::field::Options for $enum {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)+
                }
            }
        }
    };
}

pub(crate) use options;
