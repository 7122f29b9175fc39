//! The texts of one language, found by their English words.

use serde_json::Value;

/// What is found by words, in the order of these.
type ByWords<T> = Vec<(&'static str, T)>;

/// A catalog, as `web/languages/` has it. A text is found in a logarithmic number of steps, since each row of a list has some.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Catalog {
    texts: ByWords<&'static str>,
    plurals: ByWords<Forms>,
}

/// What is counted, in a form for each category of numbers that the language has, such as `one`. The form has the place `{n}`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Forms(ByWords<&'static str>);

impl Catalog {
    /// Reads a catalog. It is part of the page, so that what is not as it should be is left out: its texts are then in English.
    pub(super) fn read(json: &'static str) -> Self {
        let Ok(Value::Object(catalog)) = serde_json::from_str(json) else { return Self::default() };
        let mut read = Self::default();
        for (part, entries) in catalog {
            match part.as_str() {
                "texts" => read.texts = texts(entries),
                "plurals" => {
                    let Value::Object(entries) = entries else { continue };
                    read.plurals = by_words(
                        entries.into_iter().map(|(many, forms)| (many, Forms(texts(forms)))),
                    );
                }
                _ => {}
            }
        }
        read
    }

    /// The translation of a text.
    pub(super) fn text(&self, english: &str) -> Option<&'static str> {
        found(&self.texts, english).copied()
    }

    /// The forms of what is counted, by its English plural.
    pub(super) fn plural(&self, many: &str) -> Option<&Forms> {
        found(&self.plurals, many)
    }
}

impl Forms {
    /// The form of a category, or else the one that every language has.
    pub(super) fn form(&self, category: &str) -> Option<&'static str> {
        found(&self.0, category).or_else(|| found(&self.0, "other")).copied()
    }
}

fn texts(entries: Value) -> ByWords<&'static str> {
    let Value::Object(entries) = entries else { return Vec::new() };
    by_words(entries.into_iter().filter_map(|(english, text)| match text {
        Value::String(text) => Some((english, &*text.leak())),
        _ => None,
    }))
}

fn by_words<T>(entries: impl Iterator<Item = (String, T)>) -> ByWords<T> {
    let mut entries: ByWords<T> = entries.map(|(words, entry)| (&*words.leak(), entry)).collect();
    entries.sort_unstable_by_key(|(words, _)| *words);
    entries
}

fn found<'e, T>(entries: &'e ByWords<T>, words: &str) -> Option<&'e T> {
    let place = entries.binary_search_by(|(known, _)| (*known).cmp(words)).ok()?;
    entries.get(place).map(|(_, entry)| entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEBREW: &str = r#"{
        "texts": { "Undo": "ביטול", "Compact now": "דחיסה עכשיו" },
        "plurals": { "messages": { "one": "הודעה אחת", "two": "שתי הודעות", "other": "{n} הודעות" } }
    }"#;

    #[test]
    fn a_text_is_found_by_its_english_words_whatever_the_order() {
        let catalog = Catalog::read(HEBREW);
        assert_eq!(catalog.text("Undo"), Some("ביטול"));
        assert_eq!(catalog.text("Compact now"), Some("דחיסה עכשיו"));
        assert_eq!(catalog.text("Compact"), None);
    }

    #[test]
    fn a_category_without_a_form_of_its_own_has_the_one_for_others() {
        let catalog = Catalog::read(HEBREW);
        let forms = catalog.plural("messages").unwrap();
        let cases = [("one", "הודעה אחת"), ("two", "שתי הודעות"), ("many", "{n} הודעות")];
        for (category, expected) in cases {
            assert_eq!(forms.form(category), Some(expected), "{category}");
        }
        assert_eq!(catalog.plural("tokens"), None);
    }

    #[test]
    fn a_catalog_that_is_damaged_has_no_texts() {
        for json in ["", "[]", "{", r#"{"texts": 1, "plurals": [], "others": {}}"#] {
            assert_eq!(Catalog::read(json), Catalog::default(), "{json}");
        }
    }
}
