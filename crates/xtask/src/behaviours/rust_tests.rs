//! The tests in a Rust file, by name; found by its tokens, so that strings and comments prove nothing.

/// Attributes that make a function a test. Inside `proptest!` it is `#[test]` as well.
const TEST: [&str; 3] = ["test", "wasm_bindgen_test", "property_test"];

/// Names of the functions that run as tests, from top to bottom. An ignored test does not run.
pub(super) fn names(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut attributes = Vec::new();
    let mut tokens = Tokens { rest: text };
    while let Some(token) = tokens.next() {
        match token {
            Token::Sign('#') => attributes.extend(attribute(&mut tokens)),
            Token::Sign('{' | '}' | ';') => attributes.clear(),
            Token::Word("fn") => {
                let is_test = attributes.iter().any(|name| TEST.contains(name));
                let is_ignored = attributes.contains(&"ignore");
                attributes.clear();
                if let (true, false, Some(Token::Word(name))) = (is_test, is_ignored, tokens.next())
                {
                    names.push(name);
                }
            }
            Token::Word(_) | Token::Sign(_) => (),
        }
    }
    names
}

/// The last name in the path of the attribute whose `#` was just read, unless it belongs to what is around it.
fn attribute<'a>(tokens: &mut Tokens<'a>) -> Option<&'a str> {
    if tokens.next() != Some(Token::Sign('[')) {
        return None;
    }
    let mut name = None;
    let mut in_path = true;
    let mut depth = 1;
    while depth > 0 {
        match tokens.next()? {
            Token::Word(word) if in_path => name = Some(word),
            Token::Word(_) => (),
            Token::Sign('[') => depth += 1,
            Token::Sign(']') => depth -= 1,
            Token::Sign(sign) => in_path &= sign == ':',
        }
    }
    name
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Any other character outside strings and comments.
    Sign(char),
}

/// What is left to read.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = after(comment, "\n");
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = behind_block_comment(comment);
            } else if let Some(string) = self.rest.strip_prefix('"') {
                self.rest = behind_quoted(string, '"');
            } else if let Some(quoted) = self.rest.strip_prefix('\'') {
                self.rest = behind_character(quoted);
            } else if let Some(rest) = behind_raw_string(self.rest) {
                self.rest = rest;
            } else {
                break;
            }
        }
        let plain = self.rest.strip_prefix("r#").filter(|rest| rest.starts_with(is_word));
        let text = plain.unwrap_or(self.rest);
        let end = text.find(|character| !is_word(character)).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end)?;
        if !word.is_empty() {
            self.rest = rest;
            return Some(Token::Word(word));
        }
        let mut characters = text.chars();
        let sign = characters.next()?;
        self.rest = characters.as_str();
        Some(Token::Sign(sign))
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// `text` behind the first `end`; nothing where there is none.
fn after<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or("", |(_, rest)| rest)
}

fn behind_block_comment(mut text: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        if let Some(rest) = text.strip_prefix("/*") {
            depth += 1;
            text = rest;
        } else if let Some(rest) = text.strip_prefix("*/") {
            depth -= 1;
            text = rest;
        } else {
            let mut characters = text.chars();
            if characters.next().is_none() {
                break;
            }
            text = characters.as_str();
        }
    }
    text
}

fn behind_quoted(text: &str, quote: char) -> &str {
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == quote {
            break;
        }
        if character == '\\' {
            characters.next();
        }
    }
    characters.as_str()
}

/// Behind the character that a `'` begins. A lifetime begins with one too, and is left where it is.
fn behind_character(text: &str) -> &str {
    let mut characters = text.chars();
    if characters.next() != Some('\\') && characters.next() != Some('\'') {
        return text;
    }
    behind_quoted(text, '\'')
}

fn behind_raw_string(text: &str) -> Option<&str> {
    let marked = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let string = marked.trim_start_matches('#').strip_prefix('"')?;
    let hashes = marked.chars().take_while(|sign| *sign == '#').count();
    Some(after(string, &format!("\"{}", "#".repeat(hashes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(names(text), expected, "{text}");
    }

    #[test]
    fn a_function_behind_a_test_attribute_is_a_test() {
        check("#[test]\nfn b2_x() {}", &["b2_x"]);
        check("#[test] #[allow(dead_code)]\n/// Why.\npub(crate) async fn b2_x() {}", &["b2_x"]);
        check("#[wasm_bindgen_test]\nasync fn b3_x() {}", &["b3_x"]);
        check("#[wasm_bindgen_test::wasm_bindgen_test(async)] fn b3_x() {}", &["b3_x"]);
        check("#[test] fn b2_x() {} fn b3_y() {} #[test] fn b4_z() {}", &["b2_x", "b4_z"]);
        check(
            "proptest! {\n#![proptest_config(C { cases: 3, ..C::default() })]\n\
             #[test]\nfn b4_x(drafts in vec(draft(), 0..60)) { x() } }",
            &["b4_x"],
        );
    }

    #[test]
    fn any_other_function_is_not() {
        check("fn b2_x() {}", &[]);
        check("#[cfg(test)]\nmod tests { fn b2_x() {} }", &[]);
        check("#[cfg(test)] fn b2_x() {}", &[]);
        check("#[test] const X: u8 = 1; fn b2_x() {}", &[]);
        check("#[test]\n#[ignore = \"slow\"]\nfn b2_x() {}", &[]);
        check("#[test", &[]);
    }

    #[test]
    fn strings_and_comments_hold_no_tests() {
        for hidden in [
            "// #[test] fn b2_x() {}\n",
            "/* /* */ #[test] fn b2_x() {} */",
            "\"\\\" #[test] fn b2_x() {}\"",
            "r\"\\\"",
            "br##\"\"# #[test] fn b2_x() {}\"##",
            "'\"'",
            "'\\''",
            "b'\\\\'",
            "&'static str",
            "r#fn",
        ] {
            check(&format!("{hidden}; #[test] fn b3_y() {{}}"), &["b3_y"]);
        }
    }
}
