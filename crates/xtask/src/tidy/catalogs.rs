//! The catalogs of the page's languages: each text of the page is in each of them, and nothing else is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::texts::{self, Texts};
use crate::failure::{Failure, Result};
use crate::source_tree;
use crate::workspace::Workspace;

/// The code of each language but English, with its categories of numbers as `Intl.PluralRules` has them for whole ones.
const LANGUAGES: [(&str, &[&str]); 2] = [("he", &["one", "other", "two"]), ("zh", &["other"])];

/// The place of the number in the words for what is counted.
const NUMBER: &str = "n";

/// One finding for each text that a catalog lacks, has in vain, or has with other places for values.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let mut used = Texts::default();
    for source in source_tree::read(workspace, has_texts)? {
        let (found, complaints) = texts::of(&source.path, &source.text);
        used.extend(found);
        findings.extend(complaints);
    }
    for (code, categories) in LANGUAGES {
        let name = format!("web/languages/{code}.json");
        let text = fs::read_to_string(workspace.path(&name))
            .map_err(|error| Failure::new(format!("cannot read {name}: {error}")))?;
        let complaints = complaints(&text, categories, &used);
        findings.extend(complaints.into_iter().map(|complaint| format!("{name}: {complaint}")));
    }
    Ok(findings)
}

/// Whether the page's texts are in the file `path`.
fn has_texts(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.components().any(|part| part.as_os_str() == "web")
        && !path.components().any(|part| part.as_os_str() == "public")
        && matches!(extension, Some("rs" | "ts" | "js"))
}

/// What is wrong with a catalog.
fn complaints(catalog: &str, categories: &[&str], used: &Texts) -> Vec<String> {
    let mut value: Value = match serde_json::from_str(catalog) {
        Ok(value) => value,
        Err(error) => return vec![error.to_string()],
    };
    value.sort_all_objects();
    let empty = Map::new();
    let part = |name: &str| value.get(name).and_then(Value::as_object).unwrap_or(&empty);
    let (texts, plurals) = (part("texts"), part("plurals"));
    let mut complaints = Vec::new();
    complaints.extend(missing("text", texts, &used.texts));
    complaints.extend(missing("plural", plurals, &used.plurals));
    for (english, translation) in texts {
        let Some(translation) = translation.as_str().filter(|text| !text.trim().is_empty()) else {
            complaints.push(format!("`{english}` has no translation"));
            continue;
        };
        complaints.extend(other_places(english, &places(english), translation));
    }
    for (many, forms) in plurals {
        let forms: BTreeMap<&str, &str> = forms
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(category, form)| Some((category.as_str(), form.as_str()?)))
            .collect();
        if !forms.keys().eq(categories) {
            complaints.push(format!("`{many}` needs a form for each of {}", categories.join(", ")));
        }
        for (category, form) in forms {
            let mut expected = BTreeSet::from([NUMBER]);
            // One or two of something may be said without a digit.
            if category != "other" && !form.contains('{') {
                expected.clear();
            }
            complaints.extend(other_places(&format!("{many}, {category}"), &expected, form));
        }
    }
    let in_order = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    if catalog != in_order {
        complaints.push("its entries are not in order; `jq -S .` puts them so".to_owned());
    }
    complaints
}

/// The texts that only one side has.
fn missing<'t>(
    kind: &'t str,
    entries: &'t Map<String, Value>,
    used: &'t BTreeMap<String, String>,
) -> impl Iterator<Item = String> + 't {
    let absent = used
        .iter()
        .filter(|(words, _)| !entries.contains_key(*words))
        .map(move |(words, place)| format!("no {kind} for `{words}`, which {place} has"));
    let vain = entries
        .keys()
        .filter(|words| !used.contains_key(*words))
        .map(move |words| format!("the {kind} `{words}` is used nowhere"));
    absent.chain(vain)
}

fn other_places(what: &str, expected: &BTreeSet<&str>, translation: &str) -> Option<String> {
    let found = places(translation);
    (found != *expected).then(|| {
        let list = |places: &BTreeSet<&str>| {
            places.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(" ")
        };
        format!("`{what}` has the places {}, not {}", list(expected), list(&found))
    })
}

/// The names of the places for values in a text.
pub(super) fn places(text: &str) -> BTreeSet<&str> {
    let starts = text.split('{').skip(1);
    starts.filter_map(|rest| rest.split_once('}').map(|(name, _)| name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(catalog: &str, texts: &[&str], plurals: &[&str], expected: &[&str]) {
        let entries = |words: &[&str]| {
            words.iter().map(|words| ((*words).to_owned(), "a.rs:1".to_owned())).collect()
        };
        let used = Texts { texts: entries(texts), plurals: entries(plurals) };
        let mut value: Value = serde_json::from_str(catalog).unwrap();
        value.sort_all_objects();
        let catalog = serde_json::to_string_pretty(&value).unwrap() + "\n";
        assert_eq!(complaints(&catalog, &["one", "other"], &used), expected, "{catalog}");
    }

    #[test]
    fn a_text_without_a_translation_and_one_in_vain_are_found() {
        let catalog = r#"{"texts": {"Undo": "ביטול", "Redo": " "}, "plurals": {}}"#;
        let texts = ["Undo", "Cancel"];
        let expected = [
            "no text for `Cancel`, which a.rs:1 has",
            "the text `Redo` is used nowhere",
            "`Redo` has no translation",
        ];
        check(catalog, &texts, &[], &expected);
    }

    #[test]
    fn a_translation_has_the_places_of_its_text_in_any_order() {
        let texts = ["{from} to {to}"];
        check(r#"{"texts": {"{from} to {to}": "{to} ← {from}"}}"#, &texts, &[], &[]);
        check(
            r#"{"texts": {"{from} to {to}": "{from} {zu}"}}"#,
            &texts,
            &[],
            &["`{from} to {to}` has the places {from} {to}, not {from} {zu}"],
        );
    }

    #[test]
    fn what_is_counted_has_the_categories_of_its_language() {
        let good = r#"{"plurals": {"messages": {"one": "הודעה אחת", "other": "{n} הודעות"}}}"#;
        check(good, &[], &["messages"], &[]);
        check(good, &[], &["messages", "tokens"], &["no plural for `tokens`, which a.rs:1 has"]);
        check(
            r#"{"plurals": {"messages": {"other": "הודעות"}}}"#,
            &[],
            &["messages"],
            &[
                "`messages` needs a form for each of one, other",
                "`messages, other` has the places {n}, not ",
            ],
        );
    }

    #[test]
    fn entries_are_in_order() {
        let used = Texts::default();
        let found = complaints("{\n  \"texts\": {}, \"plurals\": {}\n}\n", &["other"], &used);
        assert_eq!(found, ["its entries are not in order; `jq -S .` puts them so"]);
        let damaged = complaints("{", &["other"], &used);
        assert!(damaged.concat().contains("EOF"), "{damaged:?}");
    }

    #[test]
    fn the_page_has_its_texts_in_three_kinds_of_files() {
        for (path, expected) in [
            ("web/src/meter.rs", true),
            ("web/lab/desk.ts", true),
            ("web/vite.config.js", true),
            ("web/public/before-paint.js", false),
            ("www/src/app.ts", false),
            ("web/src/page.css", false),
        ] {
            assert_eq!(has_texts(Path::new(path)), expected, "{path}");
        }
    }
}
