//! The conventions for one source file.

use std::path::Path;

/// Most lines of a file without its tests.
const LONGEST: usize = 500;
/// Names that say nothing about the content.
const EMPTY_NAMES: [&str; 8] =
    ["utils", "util", "helpers", "helper", "common", "types", "manager", "service"];

/// The extensions of source files, each with how the first line begins: a comment that says what the file is about.
const FIRST_LINES: [(&str, &[&str]); 5] = [
    ("rs", &["//! "]),
    ("ts", &["// ", "/** "]),
    ("tsx", &["// ", "/** "]),
    ("mjs", &["// ", "/** "]),
    ("css", &["/* "]),
];

/// Whether `path` is source that people write.
pub(super) fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    first_lines(path).is_some() && !name.ends_with(".d.ts")
}

fn first_lines(path: &Path) -> Option<&'static [&'static str]> {
    let extension = path.extension()?;
    FIRST_LINES.iter().find(|(known, _)| extension == *known).map(|(_, beginnings)| *beginnings)
}

/// What is wrong with the file `path` with this text.
pub(super) fn complaints(path: &Path, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for part in path.with_extension("").components() {
        let part = part.as_os_str().to_string_lossy();
        if EMPTY_NAMES.contains(&part.to_lowercase().as_str()) {
            complaints.push(format!("`{part}` says nothing about the content; name its idea"));
        }
    }
    let beginnings = first_lines(path).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    if !beginnings.iter().any(|beginning| first.starts_with(beginning)) {
        let form = beginnings.first().copied().unwrap_or_default();
        complaints.push(format!("the first line is not `{form}…`, a sentence about the file"));
    }
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
    if lines > LONGEST {
        complaints.push(format!("{lines} lines before its tests, more than {LONGEST}; split it"));
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_eq!(complaints(Path::new(path), text), expected, "{path}");
    }

    #[test]
    fn a_file_begins_with_a_sentence_about_it() {
        let complaint =
            |form: &str| format!("the first line is not `{form}…`, a sentence about the file");
        check("src/cut.rs", "//! Where a summary ends.\n", &[]);
        check("src/cut.rs", "use std::fmt;\n", &[&complaint("//! ")]);
        check("src/cut.rs", "", &[&complaint("//! ")]);
        for name in ["cut.ts", "cut.tsx", "cut.mjs"] {
            check(name, "import x from 'y';\n", &[&complaint("// ")]);
            check(name, "// Where a summary ends.\n", &[]);
            check(name, "/** Where a summary ends. */\n", &[]);
        }
        check("cut.css", "/* The button that cuts. */\n", &[]);
        check("cut.css", ":root {}\n", &[&complaint("/* ")]);
    }

    #[test]
    fn only_lines_before_the_tests_count() {
        let long = "//! Long.\n".to_owned() + &"x\n".repeat(500);
        check("a.rs", &long, &["501 lines before its tests, more than 500; split it"]);
        let tested = format!("//! Tested.\n#[cfg(test)]\n{long}");
        check("a.rs", &tested, &[]);
    }

    #[test]
    fn a_name_that_says_nothing_is_refused_for_files_and_folders() {
        let complaint = "`utils` says nothing about the content; name its idea";
        check("src/utils.ts", "// Cuts.", &[complaint]);
        check("src/utils/cut.ts", "// Cuts.", &[complaint]);
        check("src/typeset.ts", "// Cuts.", &[]);
    }

    #[test]
    fn declarations_that_a_tool_writes_are_not_source() {
        let cases =
            [("a.rs", true), ("a.mjs", true), ("a.css", true), ("a.d.ts", false), ("a.md", false)];
        for (path, expected) in cases {
            assert_eq!(is_source(Path::new(path)), expected, "{path}");
        }
    }
}
