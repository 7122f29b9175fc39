//! Answers that are no summary: nothing, a form that was not filled in, an error, or an echo.

/// Answers longer than this are not searched for errors: a summary may well tell of some.
const LONGEST_ERROR: usize = 400;

/// How errors and refusals begin, in lower case: not how a sentence about one does.
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

/// What makes an answer no summary, as a sentence for a person; `None` where it may be one.
/// `last_reply` is what the model last said in the conversation.
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
    let short = answer.chars().count() <= LONGEST_ERROR;
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

/// True where nothing but headings, list marks and words for nothing is there.
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

/// A few words that say nothing yet: what comes before a colon in a sentence is more than that.
fn is_title(words: &str) -> bool {
    !words.contains(':') && words.split_whitespace().count() <= 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_summary_is_told() {
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
    fn what_may_be_a_summary_is_taken() {
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
