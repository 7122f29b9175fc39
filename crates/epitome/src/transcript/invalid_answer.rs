//! Answers of a summarizer that are not summaries: empty ones, headings without text, errors, and repeated messages.

/// Longer answers are not taken for an error, since a summary may itself begin with the description of one.
const MAX_ERROR_CHARACTERS: usize = 400;

/// The beginnings of errors and refusals, in lower case.
const ERRORS: [&str; 16] = [
    "error:",
    "error 4",
    "error 5",
    "api error:",
    "http error",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "rate limit exceeded",
    "too many requests",
    "traceback (most recent",
    "i'm sorry, ",
    "i am sorry, ",
    "i cannot ",
    "i can't ",
    "{\"error\"",
];

/// Why an answer is not a summary, as a text for the user; `None` if it may be one. `last_reply` is the model's last
/// message in the conversation, which some models repeat instead of summarizing.
pub(crate) fn invalid_answer(answer: &str, last_reply: Option<&str>) -> Option<&'static str> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Some("the summarizer answered with nothing; try another model");
    }
    if is_skeleton(answer) {
        return Some(
            "the summarizer answered with headings and nothing below them; try another model",
        );
    }
    let short = answer.chars().count() <= MAX_ERROR_CHARACTERS;
    let lower = answer.to_lowercase();
    if short && ERRORS.iter().any(|error| lower.starts_with(error)) {
        return Some("the summarizer answered with an error and not with a summary; see its text");
    }
    if last_reply.is_some_and(|reply| reply.trim() == answer && answer.contains(' ')) {
        return Some(
            "the summarizer repeated the last reply and wrote no summary; try another model",
        );
    }
    None
}

/// True for an answer of only headings, list marks and words such as `none`.
fn is_skeleton(answer: &str) -> bool {
    answer.lines().all(|line| {
        let line = line.trim();
        let heading = line.starts_with('#')
            || line.strip_suffix(':').is_some_and(is_title)
            || (line.starts_with("**") && line.ends_with("**"));
        let words = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        heading
            || matches!(words.as_str(), "" | "none" | "n/a" | "tbd" | "todo" | "nothing" | "empty")
    })
}

/// True for a few words without another colon: the text of a heading.
fn is_title(words: &str) -> bool {
    !words.contains(':') && words.split_whitespace().count() <= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_not_a_summary_is_refused() {
        for answer in [
            "",
            " \n",
            "## Key facts\n\n## Open points\n- None\n",
            "**Key facts**\n-\nOpen points:\nN/A",
            "Error: model overloaded",
            "{\"error\": {\"code\": 500}}",
            "I'm sorry, I can't help with that.",
        ] {
            assert!(invalid_answer(answer, None).is_some(), "{answer:?}");
        }
        assert!(invalid_answer("It is done.", Some("It is done.\n")).is_some());
    }

    #[test]
    fn an_answer_that_may_be_a_summary_is_accepted() {
        let long = format!("Error: they saw this first. {}", "Then they fixed it. ".repeat(40));
        let colon = "assistant: Reservation D1EW9B is for:";
        let about = "Error handling in the parser was agreed on. Timeout settings were raised.";
        for answer in
            ["They planted roses.", colon, about, "## Key facts\nRoses.", "Done.", long.as_str()]
        {
            assert_eq!(invalid_answer(answer, Some("Something else.")), None, "{answer:?}");
        }
    }
}
