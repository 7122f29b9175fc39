//! The names of tests in a source file, read without running it.

/// The functions of a Rust file that are tests: those behind an attribute that ends in `test`.
pub(super) fn of_rust(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        if let Some(attribute) = line.strip_prefix("#[") {
            is_test |= attribute.trim_end().ends_with("test]");
            continue;
        }
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        let name = function.and_then(|function| function.split_once('('));
        names.extend(name.filter(|_| is_test).map(|(name, _)| name.to_owned()));
        is_test = false;
    }
    names
}

/// The titles in `test("…"` and ``test(`…` `` of a script, with `${…}` as it is written there. A title on a line of its own is found
/// too; one that is not a literal is not.
pub(super) fn of_script(source: &str) -> Vec<String> {
    source.split("test(").skip(1).filter_map(literal).collect()
}

/// The string literal that `text` begins with, white space aside, without its backslashes.
fn literal(text: &str) -> Option<String> {
    let mut characters = text.trim_start().chars();
    let quote = characters.next().filter(|first| matches!(first, '"' | '`'))?;
    let mut title = String::new();
    loop {
        match characters.next()? {
            '\\' => title.extend(characters.next()),
            character if character == quote => return Some(title),
            character => title.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_behind_an_attribute_of_a_test_are_tests() {
        let source = "fn a1_helper() {}\n#[test]\n#[allow(x)]\nfn a1_x() {}\n    #[wasm_bindgen_test]\n    async fn a2_y() {}\nfn a3_z() {}\n";
        assert_eq!(of_rust(source), ["a1_x", "a2_y"]);
    }

    #[test]
    fn titles_of_a_script_are_read_as_they_are_written() {
        let source = r#"
            test("a1: of \"one\"", () => {});
            test(`a2: by ${name}`, () => {});
            test(
                "a3: below", () => {});
            test(title, () => {});
        "#;
        assert_eq!(of_script(source), ["a1: of \"one\"", "a2: by ${name}", "a3: below"]);
    }
}
