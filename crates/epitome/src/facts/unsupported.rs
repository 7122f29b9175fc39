//! What a summary says that no message does: names, dates, amounts, seats and quotes.

use epitome_columns::SortedMap;

use super::scan::quotes;
use super::token::{self, in_other_notation};
use super::{Facts, Kind, name};
use epitome_text::search::Search;
use epitome_text::sentence;

/// The names, dates, amounts and quotes of a summary that may not be in the messages, each with what shows that it is: one
/// set of texts that all have to occur in the messages is enough.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    claims: SortedMap<String, Vec<Vec<String>>>,
}

impl Claims {
    /// The claims of a summary that are no known facts. Linear in the summary.
    pub(crate) fn of(summary: &str, facts: &Facts) -> Self {
        let mut claims = Self::names(summary, facts);
        let lines = summary.lines().map(without_message_numbers);
        for line in lines.filter(|line| !line.starts_with('#')) {
            token::for_each(line, |kind, text| {
                if kind == Kind::Number && is_exact(text) && !facts.contain(text) {
                    claims.add(text, notations(text));
                }
            });
            quotes(line, |text| {
                if text.contains(' ') && !facts.contain(text) {
                    let bare = text.trim_end_matches(['.', ',', '!', '?', '…']);
                    let words: Vec<&str> = bare.split_whitespace().collect();
                    claims.add(text, vec![vec![words.join(" ")]]);
                }
            });
            for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| is_seat(word)) {
                claims.add(word, vec![vec![word.to_owned()]]);
            }
            for sentence in sentence::split(line) {
                name::for_each(sentence, |text| {
                    let behind = (text.as_ptr() as usize + text.len())
                        .saturating_sub(sentence.as_ptr() as usize);
                    let is_label = sentence
                        .get(behind..)
                        .is_some_and(|rest| rest.trim_start_matches('*').starts_with(':'));
                    if !is_label && !facts.contain(text) {
                        claims.add(text, vec![text.split(' ').map(str::to_owned).collect()]);
                    }
                });
            }
        }
        claims
    }

    /// Only the paths, codes and addresses: a summarizer that quotes writes its own headings and counts besides.
    pub(crate) fn names(summary: &str, facts: &Facts) -> Self {
        let mut claims = Self::default();
        token::for_each(summary, |kind, text| {
            // Most names are facts as they are, and need no search for a fact that they are a part of.
            if kind != Kind::Number && !facts.contain(text) {
                claims.add(text, vec![vec![text.to_owned()]]);
            }
        });
        claims
    }

    fn add(&mut self, text: &str, shown_by: Vec<Vec<String>>) {
        self.claims.insert(text.to_owned(), shown_by);
    }

    /// The texts that support claims and that no fact has. Upper and lower case of ASCII are not told apart. Linear in the facts.
    pub(crate) fn not_in_facts(&self, facts: &Facts) -> Vec<String> {
        self.not_in(facts.texts())
    }

    fn not_in<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
        let wanted = self.claims.values().flatten().flatten().map(|text| text.to_ascii_lowercase());
        Search::not_in(wanted.collect(), texts.into_iter().map(str::to_ascii_lowercase))
    }

    /// The claims that nothing supports, sorted, if these texts are nowhere.
    pub(crate) fn unsupported(self, missing: &[String]) -> Vec<String> {
        let is_there = |text: &String| !missing.contains(&text.to_ascii_lowercase());
        let is_missing = |sets: &[Vec<String>]| !sets.iter().any(|set| set.iter().all(is_there));
        let unsupported = self.claims.into_iter().filter(|(_, sets)| is_missing(sets));
        unsupported.map(|(text, _)| text).collect()
    }
}

/// A line without its indent, its bullet and the numbers of messages that it begins with, as in `- [12, 40] `: a summary that says
/// where each line is from has them of the transcript, and not of a message.
fn without_message_numbers(line: &str) -> &str {
    let own = line.trim_start();
    let item = own.strip_prefix("- ").unwrap_or(own);
    let numbered = item.strip_prefix('[').and_then(|item| item.split_once("] "));
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    match numbered {
        Some((numbers, said)) if numbers.split(", ").all(is_number) => said,
        _ => own,
    }
}

/// True for a date, a time, an amount of money and a number of three digits or more: others come about by counting.
fn is_exact(number: &str) -> bool {
    number.bytes().filter(u8::is_ascii_digit).count() > 2
        || number.contains(['$', '€', '£', '¥', '₹', '%', ':'])
        || in_other_notation(number).is_some()
}

/// True for a seat or a gate, such as `14C`.
fn is_seat(word: &str) -> bool {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_uppercase());
    word.len() == digits.len() + 1
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The ways to write a number, each as texts that have to occur.
fn notations(number: &str) -> Vec<Vec<String>> {
    let whole = |text: &str| vec![text.to_owned()];
    let bare = number.split(' ').next().unwrap_or(number);
    let digits = bare.trim_matches(|c: char| !c.is_ascii_digit());
    let mut ways = vec![whole(number), whole(bare), whole(digits)];
    let plain = digits.replace(',', "");
    // The amount of `$146.00` is said as 146 too.
    let amount = plain.strip_suffix(".00").unwrap_or(&plain);
    if let Ok(value) = amount.parse::<u64>() {
        ways.push(whole(&thousands(value)));
        ways.push(whole(amount));
    }
    if let Some(other) = in_other_notation(number) {
        ways.push(whole(&other));
    }
    if let Some((hour, minute)) = digits.split_once(':') {
        ways.extend(clock(hour, minute).into_iter().map(|time| vec![time]));
    }
    let parts: Vec<&str> = digits.split('-').collect();
    if let [year, month, day] = parts.as_slice() {
        ways.extend(dates(year, month, day));
    }
    ways
}

/// A number with its thousands marked.
fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time of 24 hours as one of twelve.
fn clock(hour: &str, minute: &str) -> Vec<String> {
    let Ok(hour) = hour.parse::<u32>() else { return Vec::new() };
    let half = if hour < 12 { "am" } else { "pm" };
    let hour = (hour + 11) % 12 + 1;
    let minute = minute.get(..2).unwrap_or(minute);
    let mut times = vec![format!("{hour}:{minute}")];
    if minute == "00" {
        times.extend([format!("{hour}{half}"), format!("{hour} {half}")]);
    }
    times
}

/// The other ways to write a date such as `2024-05-15`.
fn dates(year: &str, month: &str, day: &str) -> Vec<Vec<String>> {
    let number = |text: &str| text.parse::<usize>().ok();
    let (Some(month), Some(day)) = (number(month), number(day)) else { return Vec::new() };
    let Some(name) = month.checked_sub(1).and_then(|index| MONTHS.get(index)) else {
        return Vec::new();
    };
    let mut ways = vec![
        vec![format!("{year}/{month:02}/{day:02}")],
        vec![format!("{year}{month:02}{day:02}")],
        vec![format!("{month}/{day}")],
        vec![format!("{month:02}/{day:02}")],
        vec![format!("{day}.{month}.")],
        vec![format!("{day:02}.{month:02}.")],
        vec![format!("{month}月{day}日")],
    ];
    // `15 May`, `May 15` and `May 15th`: the month and the day.
    ways.push(vec![(*name).to_owned(), format!(" {day}")]);
    ways.push(vec![format!("{day} {name}")]);
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Entry;

    const CHAT: &str = "Mei Lee has seat 12A on flight HAT136 on May 15, from 9:30 am. It costs 1,234 dollars. \
        She said \"please no red eye flights\" at 17:00.";

    fn check(summary: &str, expected: &[&str]) {
        let mut facts = Facts::default();
        let (speaker, text) = ("user".to_owned(), CHAT.to_owned());
        facts.read(&[Entry { number: 1, speaker, time: None, text }]);
        let claims = Claims::of(summary, &facts);
        let missing = claims.not_in([CHAT]);
        assert_eq!(claims.unsupported(&missing), expected, "{summary}");
    }

    #[test]
    fn i37_what_no_message_says_is_found() {
        check("Her flight is HAT999 on 2024-07-31.", &["2024-07-31", "HAT999"]);
        check("It costs $1,235 and 88%.", &["$1,235", "88%"]);
        check("Karen Miller sits in 14C.", &["14C", "Karen Miller"]);
        check("She said \"I hate this airline\" at 18:30.", &["18:30", "I hate this airline"]);
        check("See /srv/data/refund.log.", &["/srv/data/refund.log"]);
    }

    #[test]
    fn i37_of_a_summary_without_a_model_only_names_are_looked_for() {
        let summary = "They looked at src/a.rs and src/b.rs for 5AJG10 in 412 lines.";
        let claims = Claims::names(summary, &Facts::default());
        let missing = claims.not_in(["look at src/a.rs"]);
        assert_eq!(claims.unsupported(&missing), ["5AJG10", "src/b.rs"]);
    }

    #[test]
    fn i37_what_is_said_in_another_notation_is_supported() {
        check("Mei Lee has 12A, for $1234, on 2024-05-15 from 09:30 on.", &[]);
        check("At 5 pm she asked for \"no red eye flights.\"", &[]);
        check("Lee, Mei: HAT136, 1,234.00 dollars.", &[]);
    }

    #[test]
    fn i37_the_numbers_of_the_messages_that_a_line_is_from_are_no_claims() {
        check("- [244] Mei Lee has 12A.\n- [244, 1277] It is flight HAT136.\n[301] At 17:00.", &[]);
        check("- [244] She has 345 bags.\n- Order [277]", &["277", "345 bags"]);
    }

    #[test]
    fn i37_headings_labels_and_small_counts_are_no_claims() {
        check("## Key Points Of Today\n- **Passenger Name:** Mei Lee\n- 2 flights, 3 bags.", &[]);
    }
}
