//! Answers of a summarizer that are not summaries: empty ones, headings without text, errors, loops, and copies of what it was
//! given.

use epitome_columns::sort_by;
use epitome_text::search::Search;
use epitome_text::sentence;

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
/// message in the conversation, which some models repeat instead of summarizing, and `instructions` are those of the
/// summarizer. O(n log n) in the answer, and linear in the instructions.
pub(crate) fn invalid_answer(
    answer: &str,
    last_reply: Option<&str>,
    instructions: &str,
) -> Option<&'static str> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Some("the summarizer answered with nothing; try another model");
    }
    if is_skeleton(answer) {
        return Some(
            "the summarizer answered with headings and nothing below them; try another model",
        );
    }
    if is_error(answer) {
        return Some("the summarizer answered with an error and not with a summary; see its text");
    }
    if last_reply.is_some_and(|reply| reply.trim() == answer && answer.contains(' ')) {
        return Some(
            "the summarizer repeated the last reply and wrote no summary; try another model",
        );
    }
    let sentences = Sentence::all(answer);
    if repeats_a_sentence(answer, &sentences) || repeats_its_end(answer) {
        return Some("the summarizer said the same again and again; try another model");
    }
    if is_copy(answer, &sentences, instructions) {
        return Some(
            "the summarizer copied what it was given and wrote no summary; try another model",
        );
    }
    None
}

/// True for a short answer that begins as an error does.
fn is_error(answer: &str) -> bool {
    let short = answer.chars().nth(MAX_ERROR_CHARACTERS).is_none();
    short && {
        let lower = answer.to_lowercase();
        ERRORS.iter().any(|error| lower.starts_with(error))
    }
}

/// A sentence of an answer.
struct Sentence<'a> {
    text: &'a str,
    is_heading: bool,
}

impl<'a> Sentence<'a> {
    fn all(answer: &'a str) -> Vec<Self> {
        let of_line = |line: &'a str| {
            let is_heading = is_heading(line.trim());
            sentence::split(line).into_iter().map(move |text| Self { text, is_heading })
        };
        answer.lines().flat_map(of_line).collect()
    }
}

/// True for an answer of only headings, list marks and words such as `none`.
fn is_skeleton(answer: &str) -> bool {
    answer.lines().all(|line| {
        let line = line.trim();
        let words = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        is_heading(line)
            || matches!(words.as_str(), "" | "none" | "n/a" | "tbd" | "todo" | "nothing" | "empty")
    })
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#')
        || line.strip_suffix(':').is_some_and(is_title)
        || (line.starts_with("**") && line.ends_with("**"))
}

/// True for a few words without another colon: the text of a heading.
fn is_title(words: &str) -> bool {
    !words.contains(':') && words.split_whitespace().count() <= 8
}

/// How often a part has to come for a loop.
const REPEATS: usize = 4;
/// How often the end has to come: a short list may repeat a few words.
const END_REPEATS: usize = 8;
/// The shortest loop, in characters.
const SHORTEST_LOOP: usize = 160;

/// True if half of an answer is one sentence again and again, as when a model does not stop. Works in any language.
fn repeats_a_sentence(answer: &str, sentences: &[Sentence<'_>]) -> bool {
    let mut sentences: Vec<&str> = sentences
        .iter()
        .map(|sentence| sentence.text.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|text| text.chars().nth(7).is_some())
        .collect();
    sort_by(&mut sentences, Ord::cmp);
    let repeated = sentences
        .chunk_by(|one, other| one == other)
        .filter(|same| same.len() >= REPEATS)
        .filter_map(|same| Some(same.first()?.len() * same.len()))
        .max();
    repeated.is_some_and(|bytes| bytes * 2 >= answer.len())
}

/// True if half of an answer is an end that repeats.
///
/// By the length of the longest border of each ending (the prefix function of Knuth, Morris and Pratt on the answer read
/// backwards): an ending without its border is what repeats in it. Linear.
fn repeats_its_end(answer: &str) -> bool {
    let letters: Vec<char> = answer.chars().rev().collect();
    let mut borders = vec![0];
    let mut border = 0;
    for (index, letter) in letters.iter().enumerate().skip(1) {
        while border > 0 && letters.get(border) != Some(letter) {
            border = borders.get(border - 1).copied().unwrap_or_default();
        }
        if letters.get(border) == Some(letter) {
            border += 1;
        }
        borders.push(border);
        let length = index + 1;
        let is_long = length >= SHORTEST_LOOP && length * 2 >= letters.len();
        if is_long && (length - border) * END_REPEATS <= length {
            return true;
        }
    }
    false
}

/// The shortest sentence of the instructions that nobody writes by chance, in characters.
const COPIED_CHARACTERS: usize = 30;

/// True if a third of an answer stands word for word in the instructions, or if it has the tags of the input or several heads
/// of its messages.
fn is_copy(answer: &str, sentences: &[Sentence<'_>], instructions: &str) -> bool {
    let tags = ["<new_messages>", "<previous_summary>", "<current_state>"];
    let has_tags = tags.iter().any(|tag| answer.contains(tag));
    let heads = answer.lines().filter(|line| is_head(line)).count();
    let sentences = sentences.iter().filter(|sentence| !sentence.is_heading);
    let sentences = sentences.map(|sentence| sentence.text.trim());
    let long = sentences.filter(|text| text.chars().nth(COPIED_CHARACTERS).is_some());
    // All at once: instructions may be long, and an answer may have many sentences.
    let mut search = Search::new(long.clone());
    search.read(instructions);
    let copied: usize = search.found(long).map(str::len).sum();
    has_tags || heads > 1 || copied * 3 >= answer.len()
}

/// True for the head of a message in the input, such as `[12] user:`.
fn is_head(line: &str) -> bool {
    let number = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    number.is_some_and(|(number, speaker)| {
        number.starts_with(|c: char| c.is_ascii_digit()) && speaker.trim_end().ends_with(':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTRUCTIONS: &str = "You condense the older part of a conversation into notes.\n\
        ## Key facts\n\
        Goals, requirements, decisions and their reasons, constraints.\n\
        ## Open points\n\
        What is unfinished, unanswered or promised.";

    fn check(answer: &str, why: &str) {
        let found = invalid_answer(answer, None, INSTRUCTIONS);
        assert!(found.is_some_and(|message| message.contains(why)), "{found:?} of {answer:?}");
    }

    #[test]
    fn an_answer_is_a_copy_if_a_third_of_it_is_in_the_instructions() {
        let own = [
            "They chose roses for the garden by the lake.",
            "Bob pays.",
            "Nobody has asked for the price.",
        ];
        let lines: Vec<&str> = INSTRUCTIONS.lines().chain(own).collect();
        for numbers in 0..lines.len().pow(3) {
            let line = |at: u32| lines[numbers / lines.len().pow(at) % lines.len()];
            let answer = [line(0), line(1), line(2), "It is done now."].join("\n");
            let sentences = Sentence::all(&answer);
            let is_copied = |sentence: &&Sentence<'_>| {
                !sentence.is_heading
                    && sentence.text.len() > COPIED_CHARACTERS
                    && INSTRUCTIONS.contains(sentence.text)
            };
            let copied: usize =
                sentences.iter().filter(is_copied).map(|sentence| sentence.text.len()).sum();
            assert_eq!(
                is_copy(&answer, &sentences, INSTRUCTIONS),
                copied * 3 >= answer.len(),
                "{answer}"
            );
        }
    }

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
            assert!(invalid_answer(answer, None, "").is_some(), "{answer:?}");
        }
        assert!(invalid_answer("It is done.", Some("It is done.\n"), "").is_some());
    }

    #[test]
    fn i18_a_loop_is_no_summary() {
        check(&"The passenger wants to change the flight. ".repeat(7), "again and again");
        check(&format!("# Notes\n{}", "- Flight changed\n".repeat(30)), "again and again");
        check(&format!("They met. {}", "and then ".repeat(60)), "again and again");
        check(&"お客様は部屋を変更したいです。".repeat(6), "again and again");
        check(&"#".repeat(300), "nothing below");
    }

    #[test]
    fn i18_a_copy_of_the_instructions_or_of_the_input_is_no_summary() {
        check(INSTRUCTIONS, "copied what it was given");
        check(
            "## Key facts\nGoals, requirements, decisions and their reasons, constraints.",
            "copied",
        );
        check("<new_messages>\n[1] user:\nhello\n</new_messages>", "copied");
        check("[1] user:\nhello\n[2] assistant:\nHi, what is it?", "copied");
    }

    #[test]
    fn an_answer_that_may_be_a_summary_is_accepted() {
        let long: String = (0..40).map(|n| format!("Then they fixed number {n}. ")).collect();
        let long = format!("Error: they saw this first. {long}");
        let colon = "assistant: Reservation D1EW9B is for:";
        let about = "Error handling in the parser was agreed on. Timeout settings were raised.";
        let list: String = (1..30).map(|n| format!("- [ ] Write chapter {n}\n")).collect();
        let table = "| day | who |\n| --- | --- |\n| Monday | Ann |\n| Tuesday | Ben |";
        let head = "## Key facts\n[1] is the first source, and says so:\nRoses.";
        let sources = "[1] says that roses like sun.\n[2] says that they like water.";
        let todos = "[a] water them:\n[b] cut them:\nBoth are left to do.";
        for answer in [
            "They planted roses.",
            colon,
            about,
            "## Key facts\nRoses.",
            "Done.",
            long.as_str(),
            list.as_str(),
            table,
            head,
            sources,
            todos,
            "**Roses** are by the wall.",
            "Goals, requirements, decisions and their reasons were not what they talked about.",
        ] {
            assert_eq!(
                invalid_answer(answer, Some("Something else."), INSTRUCTIONS),
                None,
                "{answer:?}"
            );
        }
    }

    #[test]
    fn i18_an_end_is_a_loop_if_it_is_long_repeats_often_and_is_half_of_the_answer() {
        let letters = |count: usize| -> String { ('a'..='z').cycle().take(count).collect() };
        let period = SHORTEST_LOOP.div_ceil(END_REPEATS).clamp(2, 26);
        let unit = letters(period);
        let repeats = SHORTEST_LOOP.div_ceil(period).max(END_REPEATS);
        let looped = unit.repeat(repeats);
        assert!(repeats_its_end(&looped));
        assert!(!repeats_its_end(&unit.repeat(END_REPEATS.min(repeats) - 1)));
        let other = |characters: usize| -> String {
            let numbers: String = (0..characters).map(|number| format!("{number};")).collect();
            numbers.chars().take(characters).collect()
        };
        assert!(repeats_its_end(&(other(looped.len()) + &looped)));
        assert!(!repeats_its_end(&(other(looped.len() + 2) + &looped)));
        let shorter: String = unit.chars().cycle().take(SHORTEST_LOOP - 10).collect();
        assert!(!repeats_its_end(&format!("{unit}#{shorter}")), "it is interrupted");
    }
}
