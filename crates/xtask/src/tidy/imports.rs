//! Which modules of its own crate a Rust file names, found line by line.
//!
//! This reads source as rustfmt writes it, and not all of Rust: a path inside a string counts, and a path that a macro
//! puts together does not.

/// A path into the own crate, as its segments from the root of the crate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The line of the path's first segment, from 1.
    pub(super) line: usize,
    /// `["plan", "Action"]` for `crate::plan::Action`.
    pub(super) path: Vec<String>,
}

/// Every path in `text` that begins with `crate::` or `super::`, outside comments and test code. `module` is the
/// module of the file, as segments from the root of the crate.
pub(super) fn imports(text: &str, module: &[&str]) -> Vec<Import> {
    let code = without_tests_and_comments(text);
    let mut imports = Vec::new();
    let mut at = 0;
    while let Some((start, root)) = next_root(&code, at) {
        let mut paths = Vec::new();
        at = expand(&code, start, &mut Vec::new(), &mut paths);
        // Visibility is not a use.
        if code
            .get(..start)
            .is_some_and(|before| before.ends_with("(in ") || before.ends_with("pub("))
        {
            continue;
        }
        let line = code.get(..start).unwrap_or_default().matches('\n').count() + 1;
        for path in paths {
            imports.push(Import { line, path: from_root(path, root, module) });
        }
    }
    imports
}

/// The names that a file gives to the modules' items with `pub use`: each name with its path.
pub(super) fn reexports(text: &str) -> Vec<(String, Vec<String>)> {
    let code = without_tests_and_comments(text);
    let mut names = Vec::new();
    for (start, head) in code.match_indices("pub use ") {
        let mut paths = Vec::new();
        expand(&code, start + head.len(), &mut Vec::new(), &mut paths);
        for mut path in paths {
            path.retain(|segment| segment != "self" && segment != "crate");
            names.extend(path.last().cloned().map(|name| (name, path)));
        }
    }
    names
}

/// The modules that a file declares for tests only.
pub(super) fn test_modules(text: &str) -> Vec<&str> {
    let lines = text.lines().zip(text.lines().skip(1));
    lines
        .filter(|(attribute, _)| is_for_tests(attribute.trim()))
        .filter_map(|(_, item)| {
            item.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect()
}

/// Whether an attribute compiles its item for tests only, or for tests and a feature that other crates' tests use.
fn is_for_tests(attribute: &str) -> bool {
    attribute == "#[cfg(test)]" || attribute.starts_with("#[cfg(any(test, feature = \"test-")
}

#[derive(Clone, Copy)]
enum Root {
    Crate,
    Super,
}

fn next_root(code: &str, from: usize) -> Option<(usize, Root)> {
    let rest = code.get(from..)?;
    let find = |word: &str, root: Root| {
        rest.match_indices(word)
            .map(|(at, _)| from + at)
            .find(|at| !code.get(..*at).is_some_and(|before| before.ends_with(is_inside_a_path)))
            .map(|at| (at, root))
    };
    let found = [find("crate::", Root::Crate), find("super::", Root::Super)];
    found.into_iter().flatten().min_by_key(|(at, _)| *at)
}

fn is_inside_a_path(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == ':'
}

/// Reads one path, or a tree such as `a::{b, c::d}`, from `at` on. Returns where it ends.
fn expand(code: &str, at: usize, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = at + leading_spaces(code, at);
    let rest = code.get(at..).unwrap_or_default();
    if let Some(inside) = rest.strip_prefix('{') {
        at = code.len() - inside.len();
        loop {
            at += leading_spaces(code, at);
            match code.get(at..).and_then(|rest| rest.chars().next()) {
                Some(',') => at += 1,
                Some('}') => return at + 1,
                // Not a tree after all.
                Some(character) if !is_inside_a_path(character) && character != '*' => return at,
                None => return at,
                Some(_) => at = expand(code, at, prefix, paths),
            }
        }
    }
    if rest.starts_with('*') {
        paths.push(prefix.clone());
        return at + 1;
    }
    let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    at += name.len();
    if name.is_empty() {
        paths.push(prefix.clone());
        return at.saturating_add(usize::from(rest.starts_with(':')));
    }
    prefix.push(name);
    if code.get(at..).is_some_and(|rest| rest.starts_with("::")) {
        at = expand(code, at + 2, prefix, paths);
    } else {
        paths.push(prefix.clone());
        let rest = code.get(at..).unwrap_or_default();
        if let Some(alias) = rest.strip_prefix(" as ") {
            let alias: usize = alias.find([',', '}', ';']).unwrap_or(0);
            at += " as ".len() + alias;
        }
    }
    prefix.pop();
    at
}

fn leading_spaces(code: &str, at: usize) -> usize {
    let rest = code.get(at..).unwrap_or_default();
    rest.len() - rest.trim_start().len()
}

/// `path`, which begins with `crate` or some `super`, from the root of the crate.
fn from_root(path: Vec<String>, root: Root, module: &[&str]) -> Vec<String> {
    match root {
        Root::Crate => path.into_iter().skip(1).collect(),
        Root::Super => {
            let up = path.iter().take_while(|segment| *segment == "super").count();
            let kept = module.len().saturating_sub(up);
            let kept = module.iter().take(kept).map(|segment| (*segment).to_owned());
            kept.chain(path.into_iter().skip(up)).collect()
        }
    }
}

/// `text` with the same lines, each without its comment, and with empty lines in place of items for tests.
fn without_tests_and_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    // The indentation of the item that is left out.
    let mut test_item: Option<usize> = None;
    for line in text.lines() {
        let indentation = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if let Some(outer) = test_item {
            // An item ends with a bracket at its own indentation, or where its only line ends.
            let is_first = indentation == outer && !trimmed.starts_with("#[");
            let ends = trimmed.ends_with([';', '}']);
            if is_first && ends && (trimmed.starts_with('}') || !trimmed.ends_with('{')) {
                test_item = None;
            }
        } else if is_for_tests(trimmed) {
            test_item = Some(indentation);
        } else {
            code += line.split_once("//").map_or(line, |(code, _)| code);
        }
        code.push('\n');
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found: Vec<(usize, String)> = imports(text, &["plan", "budget"])
            .into_iter()
            .map(|import| (import.line, import.path.join("::")))
            .collect();
        let expected: Vec<(usize, String)> =
            expected.iter().map(|(line, path)| (*line, (*path).to_owned())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn trees_are_expanded() {
        check("use crate::message::Role;", &[(1, "message::Role")]);
        check(
            "use crate::{message, plan::{Action, self}, Policy as P};\nuse std::fmt;",
            &[(1, "message"), (1, "plan::Action"), (1, "plan::self"), (1, "Policy")],
        );
        check(
            "use std::fmt;\n\nuse crate::history::{\n    Exchange,\n    log::*,\n};\nuse crate::x;",
            &[(3, "history::Exchange"), (3, "history::log"), (7, "x")],
        );
    }

    #[test]
    fn super_is_resolved_from_the_module_of_the_file() {
        check("use super::Plan;", &[(1, "plan::Plan")]);
        check("use super::super::report::Reason;", &[(1, "report::Reason")]);
        check("use super::{stays, super::history};", &[(1, "plan::stays"), (1, "history")]);
    }

    #[test]
    fn paths_in_code_count_and_visibility_does_not() {
        check(
            "fn f(x: &crate::plan::Plan) -> super::Cut<'_> {",
            &[(1, "plan::Plan"), (1, "plan::Cut")],
        );
        check("let x = crate::tokens::sum::<u32>(y);", &[(1, "tokens::sum")]);
        check("pub(in crate::plan) fn f() {}", &[]);
        check("pub(super) fn f() {}", &[]);
        check("let x = other_crate::y + a::super::b;", &[]);
    }

    #[test]
    fn comments_and_tests_do_not_count() {
        check("//! See [`crate::plan`].\nfn f() {} // crate::x", &[]);
        check("#[cfg(test)]\nmod tests {\n    use crate::x;\n}\nuse crate::y;", &[(5, "y")]);
        check("#[cfg(test)]\nuse crate::x;\nuse crate::y;", &[(3, "y")]);
        check("#[cfg(test)]\nmod dice;\nuse crate::y;", &[(3, "y")]);
        check(
            "    #[cfg(test)]\n    #[must_use]\n    fn f() {\n        crate::x::y();\n    }\n    crate::z()",
            &[(6, "z")],
        );
    }

    #[test]
    fn names_at_the_root_have_a_module() {
        let found = reexports(
            "pub use plan::{Action, row::Row as PlanRow};\npub use policy::Policy;\nmod x;",
        );
        let found: Vec<(&str, String)> =
            found.iter().map(|(name, path)| (name.as_str(), path.join("::"))).collect();
        assert_eq!(
            found,
            [
                ("Action", "plan::Action".to_owned()),
                ("Row", "plan::row::Row".to_owned()),
                ("Policy", "policy::Policy".to_owned()),
            ]
        );
    }

    #[test]
    fn modules_for_tests_are_known() {
        assert_eq!(test_modules("mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\nmod c {"), ["b"]);
        let shared = "#[cfg(any(test, feature = \"test-notation\"))]\npub mod notation;";
        assert_eq!(test_modules(shared), ["notation"]);
    }
}
