//! The texts of the page that are translated, found in the source: `t!("…")` in Rust, `t("…")` in TypeScript, and the words of
//! `plural(number, "one", "many")` in both.
//!
//! This reads source as it is formatted here, and not all of either language: a call inside of a string counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::catalogs::places;

/// Texts by their English words, each with a place where it is used.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) texts: BTreeMap<String, String>,
    /// By the word for many.
    pub(super) plurals: BTreeMap<String, String>,
}

impl Texts {
    /// Adds others, if they are new.
    pub(super) fn extend(&mut self, others: Self) {
        for (words, place) in others.texts {
            self.texts.entry(words).or_insert(place);
        }
        for (words, place) in others.plurals {
            self.plurals.entry(words).or_insert(place);
        }
    }
}

/// The texts in a file, and what is wrong with the calls that have them.
pub(super) fn of(path: &Path, source: &str) -> (Texts, Vec<String>) {
    let is_rust = path.extension() == Some("rs".as_ref());
    let code = without_tests_and_comments(source);
    let (mut texts, mut complaints) = (Texts::default(), Vec::new());
    let call = if is_rust { "t!(" } else { "t(" };
    for (start, _) in code.match_indices(call) {
        if is_inside_a_name(&code, start) {
            continue;
        }
        let place = place(path, &code, start);
        let arguments = arguments(code.get(start + call.len()..).unwrap_or_default());
        // The macro calls itself with a mark that no text has.
        if arguments.first().is_some_and(|first| first.starts_with('@')) {
            continue;
        }
        match arguments.split_first().map(|(first, values)| (literal(first), values)) {
            Some((Some(text), values)) => {
                if !(values.is_empty() && is_divided(&code, &text)) {
                    complaints.extend(other_values(&text, &names(values), &place));
                }
                texts.texts.entry(text).or_insert(place);
            }
            _ => complaints.push(format!("{place}: the text of `{call}…)` is not one literal")),
        }
    }
    for (start, call) in code.match_indices("plural(") {
        if is_inside_a_name(&code, start) {
            continue;
        }
        let place = place(path, &code, start);
        let arguments = arguments(code.get(start + call.len()..).unwrap_or_default());
        match arguments.as_slice() {
            [_, one, many] if literal(one).is_some() => match literal(many) {
                Some(many) => _ = texts.plurals.entry(many).or_insert(place),
                None => complaints.push(not_literals(&place)),
            },
            _ => complaints.push(not_literals(&place)),
        }
    }
    (texts, complaints)
}

fn not_literals(place: &str) -> String {
    format!("{place}: the words of `plural(…)` are not literals")
}

/// Whether elements stand in the places of a text: then the source has these by themselves, to divide it there.
fn is_divided(code: &str, text: &str) -> bool {
    places(text).iter().all(|name| code.contains(&format!("\"{{{name}}}\"")))
}

/// Whether the call at `start` is one of a function with a longer name, of a method, or no call but a definition.
fn is_inside_a_name(code: &str, start: usize) -> bool {
    let before = code.get(..start).unwrap_or_default();
    before.ends_with(|character: char| {
        character.is_alphanumeric() || character == '_' || character == '.'
    }) || ["fn ", "function "].iter().any(|definition| before.ends_with(definition))
}

fn place(path: &Path, code: &str, start: usize) -> String {
    let line = code.get(..start).unwrap_or_default().matches('\n').count() + 1;
    format!("{}:{line}", path.display())
}

/// The values that a text has no places for, or the places without a value.
fn other_values(text: &str, values: &BTreeSet<String>, place: &str) -> Option<String> {
    let expected: BTreeSet<String> = places(text).into_iter().map(str::to_owned).collect();
    let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
    (expected != *values).then(|| {
        format!("{place}: `{text}` gets the values [{}], not [{}]", list(values), list(&expected))
    })
}

/// The names of values: `a` and `a = 1` in Rust, `{ a, b: 1 }` in TypeScript.
fn names(values: &[&str]) -> BTreeSet<String> {
    let name = |value: &str| {
        let end = value.find(|character: char| !character.is_alphanumeric() && character != '_');
        value.get(..end.unwrap_or(value.len())).unwrap_or_default().to_owned()
    };
    let inside = values.first().and_then(|first| first.strip_prefix('{'));
    let values = inside.map_or_else(|| values.to_vec(), arguments);
    values.into_iter().map(name).collect()
}

/// The arguments up to the bracket that closes, each without spaces around it.
fn arguments(code: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    let mut characters = code.char_indices();
    while let Some((at, character)) = characters.next() {
        let is_end = depth == 0 && matches!(character, ')' | ']' | '}');
        if is_end || (depth == 0 && character == ',') {
            let argument = code.get(from..at).unwrap_or_default().trim();
            arguments.extend(Some(argument).filter(|argument| !argument.is_empty()));
            from = at + 1;
        }
        match character {
            _ if is_end => break,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '"' | '`' => skip_string(character, &mut characters),
            _ => {}
        }
    }
    arguments
}

/// Moves behind the end of a string that has begun.
fn skip_string(quote: char, characters: &mut std::str::CharIndices<'_>) {
    while let Some((_, character)) = characters.next() {
        match character {
            '\\' => _ = characters.next(),
            _ if character == quote => return,
            _ => {}
        }
    }
}

/// The value of a string literal; `None` if it is something else.
fn literal(argument: &str) -> Option<String> {
    let inside = argument.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inside.len());
    let mut characters = inside.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // Another literal follows, so that this is an expression.
            '"' => return None,
            '\\' => match characters.next()? {
                // A line that goes on without its break and its indentation.
                '\n' => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'u' => {
                    let code: String =
                        characters.by_ref().take_while(|next| *next != '}').collect();
                    let code = code.strip_prefix('{')?;
                    text.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                }
                other => text.push(other),
            },
            _ => text.push(character),
        }
    }
    Some(text)
}

/// The source with the same lines, without lines that are comments, and up to its tests.
fn without_tests_and_comments(source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let tests = lines.windows(2).position(|pair| pair == ["#[cfg(test)]", "mod tests {"]);
    let lines = lines.into_iter().take(tests.unwrap_or(usize::MAX)).map(|line| {
        let trimmed = line.trim_start();
        let is_comment = ["//", "/*", "* "].iter().any(|start| trimmed.starts_with(start));
        if is_comment { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(file: &str, source: &str, texts: &[&str], plurals: &[&str], complaints: &[&str]) {
        let (found, complained) = of(Path::new(file), source);
        let words = |texts: &BTreeMap<String, String>| texts.keys().cloned().collect::<Vec<_>>();
        assert_eq!(words(&found.texts), texts, "{source}");
        assert_eq!(words(&found.plurals), plurals, "{source}");
        assert_eq!(complained, complaints, "{source}");
    }

    #[test]
    fn texts_of_rust_are_found_over_lines_and_with_escapes() {
        check("a.rs", "view! { <p>{t!(\"Undo\")}</p> }", &["Undo"], &[], &[]);
        check(
            "a.rs",
            "t!(\n    \"Say \\\"{what}\\\".\",\n    what,\n)",
            &["Say \"{what}\"."],
            &[],
            &[],
        );
        check("a.rs", "t!(\"One \\\n        line\")", &["One line"], &[], &[]);
        check("a.rs", "t!(\"a\\u{a0}b\")", &["a\u{a0}b"], &[], &[]);
        check("a.rs", "    /// t!(\"no\")\n", &[], &[], &[]);
        check("a.rs", "#[cfg(test)]\nmod tests {\n    t!(\"no\")\n", &[], &[], &[]);
        check("a.rs", "t!(@value $name)", &[], &[], &[]);
    }

    #[test]
    fn values_are_those_that_the_text_has_places_for() {
        let text = ["{from} to {to}"];
        check("a.rs", "t!(\"{from} to {to}\", from, to = f(1, \"a,b\") == 2)", &text, &[], &[]);
        let complaint = "a.rs:1: `{from} to {to}` gets the values [from, two], not [from, to]";
        check("a.rs", "t!(\"{from} to {to}\", from, two)", &text, &[], &[complaint]);
        check("a.ts", "t(\"{from} to {to}\", { from, to: [1, 2].join(\", \") })", &text, &[], &[]);
        let complaint = "a.ts:1: `{from} to {to}` gets the values [], not [from, to]";
        check("a.ts", "t(\"{from} to {to}\")", &text, &[], &[complaint]);
    }

    #[test]
    fn an_element_in_a_text_is_no_value() {
        let source = "around(\n    t!(\"Press {key}.\"), \"{key}\")";
        check("a.rs", source, &["Press {key}."], &[], &[]);
    }

    #[test]
    fn a_text_that_is_no_literal_is_refused() {
        let complaint = "a.ts:1: the text of `t(…)` is not one literal";
        check("a.ts", "t(name)", &[], &[], &[complaint]);
        check("a.ts", "t(\"a\" + \"b\")", &[], &[], &[complaint]);
        check(
            "a.ts",
            "element(\"div\"); map.t(name); export function t(english: string) {",
            &[],
            &[],
            &[],
        );
    }

    #[test]
    fn words_for_what_is_counted_are_found() {
        let source = "plural(count(list.len()), \"message\", \"messages\")";
        check("a.rs", source, &[], &["messages"], &[]);
        check("a.ts", &source.replace('(', "(\n  "), &[], &["messages"], &[]);
        check("a.rs", "fn plural(number: u32, one: &str, many: &str) {", &[], &[], &[]);
        let complaint = "a.rs:1: the words of `plural(…)` are not literals";
        check("a.rs", "plural(1, one, many)", &[], &[], &[complaint]);
        check("a.rs", "plural(1, \"one\", many)", &[], &[], &[complaint]);
    }
}
