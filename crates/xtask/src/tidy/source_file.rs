//! What one source file has to look like.

use std::path::Path;

/// Lines of a file without its tests.
const LONGEST: usize = 500;
/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 8] =
    ["utils", "util", "helpers", "helper", "common", "types", "manager", "service"];

/// Whether `path` is source written by hand.
pub(super) fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default();
    (extension == "rs" || extension == "ts" || extension == "tsx") && !name.ends_with(".d.ts")
}

/// What is wrong with the file called `path` that reads `text`.
pub(super) fn complaints(path: &Path, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    for part in path.with_extension("").components() {
        let part = part.as_os_str().to_string_lossy();
        if EMPTY_NAMES.contains(&part.to_lowercase().as_str()) {
            complaints.push(format!("`{part}` says nothing; name the idea that is inside"));
        }
    }
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    if is_rust && !text.lines().next().unwrap_or_default().starts_with("//! ") {
        complaints.push("the first line is not `//!` and what the idea of the file is".into());
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
    fn a_rust_file_begins_with_its_idea() {
        let complaint = "the first line is not `//!` and what the idea of the file is";
        check("src/cut.rs", "//! Where a summary ends.\n", &[]);
        check("src/cut.rs", "use std::fmt;\n", &[complaint]);
        check("src/cut.rs", "", &[complaint]);
        check("src/cut.ts", "import x from 'y';\n", &[]);
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
        let complaint = "`utils` says nothing; name the idea that is inside";
        check("src/utils.ts", "", &[complaint]);
        check("src/utils/cut.ts", "", &[complaint]);
        check("src/typeset.ts", "", &[]);
    }

    #[test]
    fn declarations_written_by_a_tool_are_not_source() {
        for (path, expected) in [("a.rs", true), ("a.ts", true), ("a.d.ts", false), ("a.md", false)]
        {
            assert_eq!(is_source(Path::new(path)), expected, "{path}");
        }
    }
}
