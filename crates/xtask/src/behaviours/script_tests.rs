//! The tests in a JavaScript or TypeScript file, by title.

/// What a title may be written in.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Titles of the calls `test("…"` and `it("…"`, from top to bottom, as they are written. Calls of something
/// else's method, such as `test.skip` or a pattern's `test`, are none.
pub(super) fn titles(text: &str) -> Vec<&str> {
    text.match_indices('(')
        .filter_map(|(at, call)| {
            let (before, behind) = text.split_at_checked(at)?;
            let title = behind.strip_prefix(call)?.trim_start();
            begins_a_test(before).then(|| quoted(title)).flatten()
        })
        .collect()
}

fn begins_a_test(before: &str) -> bool {
    let Some(head) = before.strip_suffix("test").or_else(|| before.strip_suffix("it")) else {
        return false;
    };
    let line = head.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_comment = ["//", "/*", "*"].iter().any(|mark| line.starts_with(mark));
    let belongs_to_a_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '.' | '_' | '$' | '#' | '"' | '\'' | '`')
    };
    !is_comment && !head.ends_with(belongs_to_a_name)
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|quote| QUOTES.contains(quote))?;
    let title = text.strip_prefix(quote)?;
    let mut is_escaped = false;
    let (end, _) = title.char_indices().find(|(_, character)| {
        let ends = *character == quote && !is_escaped;
        is_escaped = *character == '\\' && !is_escaped;
        ends
    })?;
    title.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_what_a_test_is_called_with() {
        let cases: [(&str, &[&str]); 13] = [
            (r#"test("b6: it warns", () => {"#, &["b6: it warns"]),
            (r#"  test('b6 it warns', async ({ page }) => {"#, &["b6 it warns"]),
            (r#"it(`b6: ${name} (x)`, { skip }, () => {"#, &["b6: ${name} (x)"]),
            ("test(\n  \"b6: it warns\",\n", &["b6: it warns"]),
            (r#"test("b6: \"it\" warns", x); test("b7: x")"#, &[r#"b6: \"it\" warns"#, "b7: x"]),
            (r#"// test("b6: it warns")"#, &[]),
            (" * test(\"b6: it warns\")", &[]),
            (r#"test.skip("b6: it warns")"#, &[]),
            (r#"/x/.test("b6: it warns")"#, &[]),
            (r#"latest("b6: it warns")"#, &[]),
            (r#"await("b6: it warns")"#, &[]),
            (r#"test(name, () => {"#, &[]),
            (r#"test("b6: never closed"#, &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(titles(text), expected, "{text}");
        }
    }
}
