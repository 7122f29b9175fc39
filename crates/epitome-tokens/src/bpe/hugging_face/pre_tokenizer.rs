//! Reads the `pre_tokenizer` of a file: the patterns that split a text into pieces.
//!
//! It is a sequence of steps. The last one is `ByteLevel`, which writes bytes as letters. The steps before it split the
//! text.

use serde_json::Value;

use super::error::TokenizerJsonError;
use super::pattern::{KNOWN_PATTERNS, Pattern, Patterns};

const KNOWN_TYPES: &str = "Sequence, Split, Digits and ByteLevel";

/// The patterns of `value`, the `pre_tokenizer` of a file.
pub(super) fn read(value: &Value) -> Result<Patterns, TokenizerJsonError> {
    let mut steps = Steps::default();
    steps.read(value, "pre_tokenizer")?;
    if steps.ended_at.is_none() {
        return Err(TokenizerJsonError::unsupported(
            "pre_tokenizer",
            &"a way to cut without ByteLevel",
            "those with it",
        ));
    }
    Ok(Patterns::new(steps.patterns))
}

#[derive(Default)]
struct Steps {
    patterns: Vec<Pattern>,
    /// The place of the `ByteLevel` step in the file, once it was read.
    ended_at: Option<String>,
}

impl Steps {
    fn read(&mut self, value: &Value, place: &str) -> Result<(), TokenizerJsonError> {
        let refuse = |field: &str, found: &dyn std::fmt::Display, known: &str| {
            Err(TokenizerJsonError::unsupported(&format!("{place}{field}"), &found, known))
        };
        let kind = value.get("type").and_then(Value::as_str);
        if let Some(end) = &self.ended_at {
            return refuse("", &format!("a step after {end}"), "steps before ByteLevel");
        }
        match kind {
            Some("Sequence") => {
                let steps = value.get("pretokenizers").and_then(Value::as_array);
                for (at, step) in steps.into_iter().flatten().enumerate() {
                    self.read(step, &format!("{place}.pretokenizers[{at}]"))?;
                }
            }
            Some("Split") => self.patterns.push(split(value, place)?),
            Some("Digits") => {
                let one_by_one = flag(value, "individual_digits", false);
                self.patterns
                    .push(Pattern::Numbers { longest: if one_by_one { 1 } else { usize::MAX } });
            }
            Some("ByteLevel") => {
                if flag(value, "add_prefix_space", true) {
                    return refuse(".add_prefix_space", &true, "false");
                }
                if flag(value, "use_regex", true) {
                    self.patterns.push(Pattern::Gpt2);
                }
                self.ended_at = Some(place.to_owned());
            }
            Some(other) => return refuse(".type", &other, KNOWN_TYPES),
            None => return refuse("", value, KNOWN_TYPES),
        }
        Ok(())
    }
}

fn split(value: &Value, place: &str) -> Result<Pattern, TokenizerJsonError> {
    let refuse = |field: &str, found: &dyn std::fmt::Display, known: &str| {
        Err(TokenizerJsonError::unsupported(&format!("{place}.{field}"), &found, known))
    };
    let pattern = value.get("pattern").unwrap_or(&Value::Null);
    let Some(regex) = pattern.get("Regex").and_then(Value::as_str) else {
        return refuse("pattern", pattern, "those with a Regex");
    };
    let Some(known) = Pattern::of_regex(regex) else {
        return refuse("pattern.Regex", &regex, KNOWN_PATTERNS);
    };
    let behavior = value.get("behavior").and_then(Value::as_str).unwrap_or_default();
    match behavior {
        "Isolated" => Ok(known),
        // `Removed` with `invert` keeps the matches and removes what is between them. These patterns match everything,
        // so it is the same as `Isolated`.
        "Removed" if known.matches_everything() && flag(value, "invert", false) => Ok(known),
        _ => refuse("behavior", &behavior, "Isolated"),
    }
}

fn flag(value: &Value, name: &str, default: bool) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Result<&[Pattern], &str>) {
        let found = read(&serde_json::from_str(json).unwrap());
        let expected =
            expected.map(|patterns| Patterns::new(patterns.to_vec())).map_err(str::to_owned);
        assert_eq!(found.map_err(|error| error.to_string()), expected, "{json}");
    }

    #[test]
    fn the_steps_before_byte_level_split_the_text() {
        check(r#"{ "type": "ByteLevel", "add_prefix_space": false }"#, Ok(&[Pattern::Gpt2]));
        check(
            r#"{ "type": "Sequence", "pretokenizers": [
                { "type": "Digits", "individual_digits": true },
                { "type": "Split", "pattern": { "Regex": "\\p{N}{1,3}" }, "behavior": "Isolated", "invert": false },
                { "type": "ByteLevel", "add_prefix_space": false, "use_regex": false }
            ] }"#,
            Ok(&[Pattern::Numbers { longest: 1 }, Pattern::Numbers { longest: 3 }]),
        );
    }

    #[test]
    fn unsupported_steps_are_errors_that_name_their_place() {
        check(
            "null",
            Err(
                "pre_tokenizer: null is not known; known are Sequence, Split, Digits and ByteLevel",
            ),
        );
        check(
            r#"{ "type": "Metaspace", "replacement": "▁" }"#,
            Err(
                "pre_tokenizer.type: Metaspace is not known; known are Sequence, Split, Digits and ByteLevel",
            ),
        );
        check(
            r#"{ "type": "Sequence", "pretokenizers": [{ "type": "Split", "pattern": { "Regex": "\\w+" } }] }"#,
            Err(
                r"pre_tokenizer.pretokenizers[0].pattern.Regex: \w+ is not known; known are those of GPT-2, GPT-4 and Llama 3, Qwen 2 and 3, Qwen 3.5, GPT-4o and gpt-oss, Mistral Tekken, and DeepSeek V3",
            ),
        );
        check(
            r#"{ "type": "Split", "pattern": { "String": " " }, "behavior": "Isolated" }"#,
            Err(
                r#"pre_tokenizer.pattern: {"String":" "} is not known; known are those with a Regex"#,
            ),
        );
        check(
            r#"{ "type": "Split", "pattern": { "Regex": "\\p{N}" }, "behavior": "Removed", "invert": true }"#,
            Err("pre_tokenizer.behavior: Removed is not known; known are Isolated"),
        );
        check(
            r#"{ "type": "Digits" }"#,
            Err(
                "pre_tokenizer: a way to cut without ByteLevel is not known; known are those with it",
            ),
        );
        check(
            r#"{ "type": "ByteLevel", "add_prefix_space": true }"#,
            Err("pre_tokenizer.add_prefix_space: true is not known; known are false"),
        );
        check(
            r#"{ "type": "Sequence", "pretokenizers": [
                { "type": "ByteLevel", "add_prefix_space": false }, { "type": "Digits" }
            ] }"#,
            Err(
                "pre_tokenizer.pretokenizers[1]: a step after pre_tokenizer.pretokenizers[0] is not known; known are steps before ByteLevel",
            ),
        );
    }
}
