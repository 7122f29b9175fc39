//! The language of the page, and its texts in it.
//!
//! The source has the English texts. `web/languages/` has a catalog for each other language, in which a text is found by its English
//! words, so that a text without a translation is still shown.

mod catalog;

use std::fmt::Display;
use std::sync::OnceLock;

use strum::EnumCount;

use crate::browser::{catalog_text, page_language, plural_category, written_number};
use catalog::Catalog;

/// A text in the language of the page. With values, a `String` in which each `{name}` is replaced by the value of this name:
///
/// ```ignore
/// t!("Compact now")
/// t!("Loaded {messages}.", messages)
/// t!("Message {number}", number = index + 1)
/// ```
macro_rules! t {
    (@value $name:ident) => {
        $name
    };
    (@value $name:ident, $value:expr) => {
        $value
    };
    ($text:literal) => {
        $crate::language::text($text)
    };
    ($text:literal, $($name:ident $(= $value:expr)?),+ $(,)?) => {
        $crate::language::filled(
            $text,
            &[$((stringify!($name), &t!(@value $name $(, $value)?) as &dyn std::fmt::Display)),+],
        )
    };
}
pub(crate) use t;

/// A language that the page is there in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount)]
pub(crate) enum Language {
    English,
    Hebrew,
    Chinese,
}

impl Language {
    /// Every language, in the order shown.
    pub(crate) const ALL: [Self; Self::COUNT] = [Self::English, Self::Hebrew, Self::Chinese];

    /// The code in markup and storage.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hebrew => "he",
            Self::Chinese => "zh",
        }
    }

    /// The direction of its writing, as in markup.
    pub(crate) fn direction(self) -> &'static str {
        match self {
            Self::Hebrew => "rtl",
            Self::English | Self::Chinese => "ltr",
        }
    }

    /// 1 if its writing goes to the right, −1 if it goes to the left.
    pub(crate) fn forward(self) -> f64 {
        match self.direction() {
            "rtl" => -1.0,
            _ => 1.0,
        }
    }

    /// Its name in itself.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Hebrew => "עברית",
            Self::Chinese => "中文",
        }
    }

    /// The address of the page in it, beside that in any other language.
    pub(crate) fn document(self) -> &'static str {
        match self {
            Self::English => "./",
            Self::Hebrew => "he.html",
            Self::Chinese => "zh.html",
        }
    }

    /// The language that the page is in.
    pub(crate) fn of_page() -> Self {
        SPOKEN.get().map_or(Self::English, |(language, _)| *language)
    }

    fn of_code(code: &str) -> Self {
        Self::ALL.into_iter().find(|language| language.code() == code).unwrap_or(Self::English)
    }
}

/// A mark without width, behind which digits and signs are read from left to right also in Hebrew.
const LEFT_TO_RIGHT: char = '\u{200e}';

/// The language of the page, and its texts. They live as long as the page.
static SPOKEN: OnceLock<(Language, Catalog)> = OnceLock::new();

/// Takes over the language that the page was started in. Until then, and in tests, texts are in English.
pub(crate) fn begin() {
    let catalog = catalog_text().map(|json| Catalog::read(json.leak())).unwrap_or_default();
    let _ = SPOKEN.set((Language::of_code(&page_language()), catalog));
}

fn catalog() -> Option<&'static Catalog> {
    SPOKEN.get().map(|(_, catalog)| catalog)
}

/// The text in the language of the page.
pub(crate) fn text(english: &'static str) -> &'static str {
    catalog().and_then(|catalog| catalog.text(english)).unwrap_or(english)
}

/// The text in the language of the page, with a value in the place of each `{name}`.
pub(crate) fn filled(english: &'static str, values: &[(&str, &dyn Display)]) -> String {
    fill(text(english), values, Language::of_page())
}

/// A number as it is written in the language of the page, rounded to this many decimals.
pub(crate) fn number(number: f64, decimals: u8) -> String {
    match SPOKEN.get() {
        Some(_) => written_number(number, decimals),
        None => english(number, decimals),
    }
}

/// The same in English, for tests, which have no page.
fn english(number: f64, decimals: u8) -> String {
    let digits = format!("{number:.*}", usize::from(decimals));
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if decimals > 0 { format!("{text}.{fraction}") } else { text }
}

/// A number with a word for what is counted, as `number` writes the number; `None` if the language has no such words.
pub(crate) fn counted(number: u32, digits: &str, many: &str) -> Option<String> {
    let forms = catalog()?.plural(many)?;
    let form = forms.form(&plural_category(number))?;
    Some(fill(form, &[("n", &digits)], Language::of_page()))
}

fn fill(text: &str, values: &[(&str, &dyn Display)], language: Language) -> String {
    let mut rest = text;
    let mut filled = String::with_capacity(rest.len());
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        filled.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => {
                let value = value.to_string();
                // A sign stays on the left of its number.
                if language.direction() == "rtl" && value.starts_with(['~', '−', '+']) {
                    filled.push(LEFT_TO_RIGHT);
                }
                filled.push_str(&value);
            }
            None => filled.push_str(name),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// What stands before and behind `name`, the place of an element, in a text: `around(t!("Press {key} to go on."), "{key}")`.
pub(crate) fn around(text: &'static str, name: &str) -> (&'static str, &'static str) {
    text.split_once(name).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_places_of_their_names_in_any_order() {
        let values: [(&str, &dyn Display); 2] = [("from", &1), ("to", &"2")];
        let check = |text, expected| assert_eq!(fill(text, &values, Language::English), expected);
        check("{from} to {to}", "1 to 2");
        check("{to} ← {from} ({to})", "2 ← 1 (2)");
    }

    #[test]
    fn a_brace_without_its_pair_is_a_character() {
        assert_eq!(fill("a { b", &[("b", &1)], Language::English), "a { b");
    }

    #[test]
    fn a_sign_stays_on_the_left_of_its_number_where_writing_goes_to_the_left() {
        let check = |language, value: &str, expected| {
            assert_eq!(fill("{a}.", &[("a", &value)], language), expected);
        };
        check(Language::Hebrew, "~6,917", "\u{200e}~6,917.");
        check(Language::Hebrew, "6,917", "6,917.");
        check(Language::Chinese, "~6,917", "~6,917.");
    }

    #[test]
    fn in_english_numbers_are_grouped_by_thousands() {
        let check = |value, decimals, expected| assert_eq!(number(value, decimals), expected);
        check(0.0, 0, "0");
        check(999.0, 0, "999");
        check(1_000.0, 0, "1,000");
        check(1_234_567.0, 0, "1,234,567");
        check(9.96, 1, "10.0");
        check(1_234.56, 1, "1,234.6");
    }

    #[test]
    fn without_a_catalog_texts_are_in_english() {
        assert_eq!(t!("Compact now"), "Compact now");
        assert_eq!(t!("Message {number}", number = 1 + 1), "Message 2");
        assert_eq!(counted(2, "2", "messages"), None);
        assert_eq!(Language::of_page(), Language::English);
    }

    #[test]
    fn a_code_that_is_not_known_is_english() {
        for language in Language::ALL {
            assert_eq!(Language::of_code(language.code()), language);
        }
        assert_eq!(Language::of_code("xx"), Language::English);
    }
}
