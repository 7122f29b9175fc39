//! Words that public names must not use, because the field has another word for the same thing.

use std::path::Path;

use crate::failure::Result;
use crate::source_tree;
use crate::workspace::Workspace;

/// Each word that is checked, in the singular, with the field's word.
const REPLACED: [(&str, &str); 34] = [
    ("tariff", "overhead"),
    ("price", "weight"),
    ("mix", "script tokens"),
    ("weigh", "weight"),
    ("weighing", "weighted tokenizer"),
    ("stretch", "interval"),
    ("seat", "token index"),
    ("face", "API or binding"),
    ("seal", "signature"),
    ("rung", "fallback level"),
    ("climb", "next level"),
    ("alive", "heartbeat"),
    ("refusal", "error"),
    ("garden", "fixture"),
    ("workshop", "harness"),
    ("dice", "prng"),
    ("mend", "normalize"),
    ("fate", "action"),
    ("mark", "metadata"),
    ("moment", "phase"),
    ("told", "reported"),
    ("tell", "report"),
    ("beside", "overhead"),
    ("room", "scratch buffer, remaining tokens or space"),
    ("sealed", "signed"),
    ("thought", "reasoning"),
    ("unasked", "unsolicited"),
    ("ladder", "fallback levels"),
    ("rebuild", "summary placement"),
    ("trim", "deduplicate"),
    ("prune", "clear tool inputs"),
    ("reduction", "reducer rule"),
    ("legality", "validation"),
    ("haystack", "retained text"),
];

/// One finding for each public name with a replaced word.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let is_source = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "rs" || extension == "ts")
    };
    let mut findings = Vec::new();
    for source in source_tree::read(workspace, is_source)? {
        if !may_have_public_names(&source.path) {
            continue;
        }
        let names = if source.path.extension() == Some("rs".as_ref()) {
            rust_names(&source.text)
        } else {
            script_names(&source.text)
        };
        for (line, name) in names {
            findings.extend(replaced(name, &REPLACED).map(|(word, standard)| {
                let path = source.path.display();
                format!("{path}:{line}: `{name}` has the word `{word}`; the field says {standard}")
            }));
        }
    }
    Ok(findings)
}

/// Whether the file `path`, from the root of the checkout, may have public names: sources of the crates and of the npm
/// package, and the package's declarations.
fn may_have_public_names(path: &Path) -> bool {
    let path = path.to_string_lossy().replace('\\', "/");
    let is_of_a_crate = path.starts_with("crates/") && !path.starts_with("crates/xtask/");
    let is_rust = path.contains("/src/") && path.ends_with(".rs");
    let is_script = path.contains("/npm/src/") || path.ends_with("/epitome.d.ts");
    is_of_a_crate && (is_rust || is_script)
}

/// The entries of `words` that are a part of `name`, in the singular or the plural.
fn replaced<'w>(
    name: &str,
    words: &'w [(&'w str, &'w str)],
) -> impl Iterator<Item = &'w (&'w str, &'w str)> {
    let parts = parts(name);
    words.iter().filter(move |(word, _)| {
        let is_plural =
            |part: &str| ["s", "es"].iter().any(|end| part.strip_suffix(end) == Some(word));
        parts.iter().any(|part| part == word || is_plural(part))
    })
}

/// The parts of a name in camel case or snake case, in lower case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for character in name.chars() {
        if character.is_uppercase() || !character.is_alphanumeric() {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (character.is_alphanumeric(), parts.last_mut()) {
            part.extend(character.to_lowercase());
        }
    }
    parts
}

/// The public names in a Rust file as rustfmt writes it, each with its line: items, fields, and variants of public
/// enums.
fn rust_names(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    // The indentation of the public enum around the line.
    let mut in_enum = None;
    for (line, number) in text.lines().zip(1..) {
        let trimmed = line.trim_start();
        let indentation = line.len() - trimmed.len();
        if trimmed == "#[cfg(test)]" && indentation == 0 {
            break;
        }
        if trimmed.starts_with('}') && in_enum == Some(indentation) {
            in_enum = None;
        }
        if let Some(item) = trimmed.strip_prefix("pub ") {
            let kinds = [
                "fn", "const", "async", "unsafe", "static", "struct", "enum", "trait", "type",
                "mod",
            ];
            let name = item.split(' ').find(|word| !kinds.contains(word)).unwrap_or_default();
            names.extend(word(name).map(|name| (number, name)));
            if item.starts_with("enum ") && item.ends_with('{') {
                in_enum = Some(indentation);
            }
        } else if in_enum.is_some() && trimmed.starts_with(char::is_alphabetic) {
            // A variant, or a field of one.
            names.extend(word(trimmed).map(|name| (number, name)));
        }
    }
    names
}

/// The names that a TypeScript file exports, each with its line, and the members of its exported classes and interfaces.
/// A value such as `"deduplicate"` in an exported type is a name as well.
fn script_names(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    let mut is_exported = false;
    for (line, number) in text.lines().zip(1..) {
        let trimmed = line.trim_start();
        if ["/*", "*", "//"].iter().any(|comment| trimmed.starts_with(comment)) {
            continue;
        }
        if line == trimmed {
            is_exported &= !line.ends_with('{') && !line.is_empty() && !line.starts_with('}');
            is_exported |= line.starts_with("export ");
            if is_exported {
                let declaration = line.split(['=', '(']).next().unwrap_or_default();
                names.extend(words(declaration).map(|name| (number, name)));
            }
        } else if is_exported {
            let member = ["readonly ", "static ", "async ", "get "]
                .iter()
                .fold(trimmed, |member, modifier| member.strip_prefix(modifier).unwrap_or(member));
            names.extend(word(member).map(|name| (number, name)));
        }
        if is_exported {
            let quoted = line.split('"').skip(1).step_by(2);
            names.extend(quoted.filter(|text| word(text) == Some(text)).map(|name| (number, name)));
        }
    }
    names
}

/// The name at the beginning of `text`.
fn word(text: &str) -> Option<&str> {
    let end = text.find(|character: char| !is_word(character)).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !is_word(character)).filter(|word| !word.is_empty())
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_as_a_whole_part_of_a_name() {
        let words = [("fate", "action"), ("room", "space")];
        let found = |name: &str| replaced(name, &words).map(|(word, _)| *word).collect::<Vec<_>>();
        assert_eq!(found("MessageFate"), ["fate"]);
        assert_eq!(found("plan_fates"), ["fate"]);
        assert_eq!(found("roomOfFate"), ["fate", "room"]);
        assert!(found("fatesome").is_empty() && found("mushroom").is_empty());
    }

    #[test]
    fn items_fields_and_variants_of_rust_are_public_names() {
        let text = "\
pub mod fates;
pub(crate) fn hidden() {}
pub const fn share(room: u32) {}
pub struct Draft {
    pub tokens: u32,
    room: u32,
}
pub enum Fate {
    /// Why.
    Keep,
    Drop { room: u32 },
    #[serde(rename = \"x\")]
    Trim(u32),
}
enum Hidden {
    Room,
}
#[cfg(test)]
mod tests {
    pub fn later() {}
}
";
        let names: Vec<&str> = rust_names(text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["fates", "share", "Draft", "tokens", "Fate", "Keep", "Drop", "Trim"]);
        assert_eq!(rust_names(text).last(), Some(&(13, "Trim")));
    }

    #[test]
    fn exports_their_members_and_values_are_public_names() {
        let text = "\
// A fate.
import { room } from \"./room.js\";
export type Fate = \"keep\" | \"trim\";
export interface Plan {
  /** Why. */
  readonly fates: Fate[];
}
function hidden() {
  return room;
}
export { tell, type Told } from \"./told.js\";
";
        let names: Vec<&str> = script_names(text).into_iter().map(|(_, name)| name).collect();
        let expected =
            ["export", "type", "Fate", "keep", "trim", "export", "interface", "Plan", "fates"];
        assert_eq!(names.get(..9), Some(expected.as_slice()), "{names:?}");
        assert!(names.contains(&"tell") && names.contains(&"Told") && !names.contains(&"hidden"));
        assert!(!names.contains(&"room"), "{names:?}");
    }

    #[test]
    fn sources_of_crates_and_of_the_package_have_public_names() {
        let cases = [
            ("crates/epitome/src/plan.rs", true),
            ("crates/epitome-wasm/npm/src/host/plan.ts", true),
            ("crates/epitome-wasm/npm/epitome.d.ts", true),
            ("crates/epitome/tests/guards.rs", false),
            ("crates/xtask/src/main.rs", false),
            ("web/src/main.rs", false),
        ];
        for (path, expected) in cases {
            assert_eq!(may_have_public_names(Path::new(path)), expected, "{path}");
        }
    }
}
