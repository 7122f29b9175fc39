//! Checks of messages in OpenAI's Chat Completions format that use none of the engine's code.

use serde_json::Value;

/// The role of a message; empty if it has none.
pub fn role(message: &Value) -> &str {
    text(message, "role")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("tool_calls").and_then(Value::as_array).into_iter().flatten()
}

/// Why the API would refuse these messages: calls without results and results without calls.
pub fn defects(messages: &[Value]) -> Vec<String> {
    let mut defects = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if role(message) == "tool" {
            let id = text(message, "tool_call_id");
            match open.iter().position(|call| *call == id) {
                Some(position) => drop(open.remove(position)),
                None => defects.push(format!("{index}: orphan result {id}")),
            }
            continue;
        }
        defects.extend(open.drain(..).map(|call| format!("{index}: unanswered call {call}")));
        open.extend(calls(message).map(|call| text(call, "id")));
    }
    defects.extend(open.iter().map(|call| format!("end: unanswered call {call}")));
    defects
}

/// Everything in a message that a model reads: its calls and its content.
pub fn readable(message: &Value) -> String {
    let calls = calls(message).filter_map(|call| call.get("function"));
    let calls = calls.map(|call| format!("{:?} {}", text(call, "name"), text(call, "arguments")));
    let content = message.get("content").unwrap_or(&Value::Null);
    let content = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    calls.chain([content]).collect::<Vec<String>>().join("\n")
}

/// Facts in the text of a user or assistant message that must not be lost: URLs, checklist items, and codes such
/// as `HAT039`. Found by simple rules of its own, which the engine's must at least cover.
pub fn facts_in(message: &Value) -> Vec<String> {
    let has_text = matches!(role(message), "user" | "assistant");
    let content = if has_text { text(message, "content") } else { "" };
    let punctuation = |c: char| !c.is_ascii_alphanumeric();
    let words = content.split(|c: char| c.is_whitespace() || "<>()[]\"'`,*|{}".contains(c));
    let words = words
        .map(|word| word.trim_matches(punctuation))
        .filter(|word| (word.starts_with("https://") && word.len() > 12) || is_code(word));
    let items = content.lines().map(str::trim).filter(|line| line.starts_with("- [ ] "));
    words.chain(items).map(str::to_owned).collect()
}

/// True if a text has a fact, word for word or with its number in another notation: `1,234` as `1234`, `5 pm` as `17:00`,
/// `三月五日` as `3月5日`.
pub fn has_fact(text: &str, fact: &str) -> bool {
    let plain = |text: &str| plain_numbers(&in_digits(text));
    text.contains(fact) || plain(text).contains(&plain(fact))
}

/// A text with digits in place of numbers in Chinese characters.
fn in_digits(text: &str) -> String {
    const NUMERALS: &str = "〇一二三四五六七八九零两十百千万";
    let mut out = String::new();
    let mut run: Vec<u64> = Vec::new();
    for character in text.chars().chain(['\0']) {
        let place = NUMERALS.chars().position(|own| own == character);
        run.extend(place.map(|place| place as u64));
        if place.is_none() {
            if !run.is_empty() {
                out.push_str(&in_order(&run).to_string());
                run.clear();
            }
            out.push(character);
        }
    }
    out.pop();
    out
}

/// The number with these numerals, by their places in [`in_digits`].
fn in_order(numerals: &[u64]) -> u64 {
    let largest = numerals.iter().filter(|place| **place > 11).max();
    let split = largest.and_then(|own| {
        numerals
            .iter()
            .position(|place| place == own)
            .and_then(|at| Some((numerals.get(..at)?, numerals.get(at + 1..)?)))
    });
    match (split, largest) {
        (Some((before, behind)), Some(place)) => {
            // `十` is 10, `万` 10,000.
            let power = (11..*place).fold(1, |power, _| power * 10);
            let many = if before.is_empty() { 1 } else { in_order(before) };
            many * power + in_order(behind)
        }
        _ => numerals.iter().fold(0_u64, |sum, place| {
            // Behind nine come zero again and another word for two.
            let digit = if *place < 10 { *place } else { (place - 10) * 2 };
            sum.wrapping_mul(10).wrapping_add(digit)
        }),
    }
}

/// A text with numbers without separators and times of 24 hours.
fn plain_numbers(text: &str) -> String {
    let lower = text.to_lowercase().replace("p.m", "pm").replace("a.m", "am");
    let mut out = String::new();
    let mut rest = lower.as_str();
    while let Some(character) = rest.chars().next() {
        if !character.is_ascii_digit() {
            out.push(character);
            rest = rest.split_at(character.len_utf8()).1;
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit() && !",:".contains(c));
        let (run, _) = rest.split_at(end.unwrap_or(rest.len()));
        // What ends with a comma or a colon is in front of it.
        let number = run.trim_end_matches([',', ':']);
        let (_, behind) = rest.split_at(number.len());
        rest = behind;
        let half = behind.trim_start().get(..2).filter(|half| matches!(*half, "am" | "pm"));
        match time(number, half) {
            Some(time) => {
                out.push_str(&time);
                rest = half.map_or(behind, |half| behind.trim_start().trim_start_matches(half));
            }
            None => out.push_str(&number.replace(',', "")),
        }
    }
    out
}

/// A time of day as `HH:MM`.
fn time(number: &str, half: Option<&str>) -> Option<String> {
    let (hour, minute) = number.split_once(':').or(half.map(|_| (number, "00")))?;
    let hour: u32 = hour.parse().ok().filter(|hour| *hour < 24 && minute.len() == 2)?;
    let hour = match half {
        Some("pm") if hour < 12 => hour + 12,
        Some("am") if hour == 12 => 0,
        _ => hour,
    };
    Some(format!("{hour:02}:{minute}"))
}

/// Three capital letters and three digits.
fn is_code(word: &str) -> bool {
    word.len() == 6
        && word.bytes().take(3).all(|byte| byte.is_ascii_uppercase())
        && word.bytes().skip(3).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::has_fact;

    #[test]
    fn a_fact_may_have_its_number_in_another_notation() {
        let text = "Pay 1234 euros at 17:00, or 2,048 at 9:30 a.m.: 3,000.";
        for fact in ["1,234 euros", "5 pm", "5:00pm", "2048", "09:30", "1234", "3000"] {
            assert!(has_fact(text, fact), "{fact}");
        }
        for fact in ["三月五日", "二十三万五千元", "一百零五"] {
            assert!(has_fact("3月5日，235000元，105", fact), "{fact}");
            assert!(!has_fact("3月15日，23500元", fact), "{fact}");
        }
        for fact in ["1,235", "5 am", "5:01 pm", "9:30 pm", "20,48 euros"] {
            assert!(!has_fact(text, fact), "{fact}");
        }
    }
}
