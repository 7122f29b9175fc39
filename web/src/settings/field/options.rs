//! The options of a choice, listed so that a missing one does not compile.

/// A value that is one of a few. Implement it with [`options!`].
pub(crate) trait Options: Copy + PartialEq + 'static {
    /// Every option, in the order shown.
    const ALL: &'static [Self];

    /// Name and label of every option, in the same order.
    const TEXTS: &'static [(&'static str, &'static str)];

    /// The option's name in the page's markup.
    fn name(self) -> &'static str;

    /// The option as the page shows it.
    fn label(self) -> &'static str;

    /// The option of this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.get(position(Self::TEXTS, name)?).copied()
    }
}

/// Not generic, because every instance of a generic function adds to the size of the page.
fn position(texts: &[(&str, &str)], name: &str) -> Option<usize> {
    texts.iter().position(|(other, _)| *other == name)
}

/// Implements [`Options`] for an enum without data: `Variant: "name", "label";` for each variant.
///
/// The list and the exhaustive matches come from the same lines, so a variant without a line is a compile error.
macro_rules! options {
    ($enum:ty { $($variant:ident: $name:expr, $label:expr;)+ }) => {
        impl $crate::settings::field::Options for $enum {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const TEXTS: &'static [(&'static str, &'static str)] = &[$(($name, $label)),+];

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
