//! What a result looks like, in a few words: the keys of JSON, the size of a diff or a table, the ends of a log.

use epitome_text::excerpt::split;

/// The most keys or files that are named.
const MAX_NAMES: usize = 6;
/// The longest first or last line, in characters.
const LINE: usize = 48;
/// A text of fewer lines is not a log.
const LEAST_LINES: usize = 20;

/// The digest of a result; empty for a short text, which says it all. Linear.
pub(super) fn digest(text: &str) -> String {
    let text = text.trim();
    if text.starts_with(['{', '[']) {
        return json(text);
    }
    let count = text.lines().count();
    if text.starts_with("diff --git ") {
        return diff(text);
    }
    if count < LEAST_LINES {
        return String::new();
    }
    let short =
        |line: Option<&str>| split(line.unwrap_or_default().trim(), LINE).0.trim().to_owned();
    let first = short(text.lines().find(|line| !line.trim().is_empty()));
    if is_table(text) {
        return format!("{count} × {first}");
    }
    format!("{count} lines: {first} … {}", short(text.lines().next_back()))
}

/// The keys of an object, or of the objects of a list with their number.
fn json(text: &str) -> String {
    let is_list = text.starts_with('[');
    let level = if is_list { 2 } else { 1 };
    let (mut depth, mut count, mut keys) = (0_u32, 0_u32, Vec::new());
    let mut rest = text;
    while let Some(byte) = rest.bytes().next() {
        let mut after = rest.get(1..);
        match byte {
            b'{' | b'[' => {
                depth += 1;
                count += u32::from(is_list && byte == b'{' && depth == 2);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let (inner, behind) = super::json::quoted(rest);
                let is_key = depth == level && behind.trim_start().starts_with(':');
                if is_key && keys.len() < MAX_NAMES && count <= 1 && !inner.is_empty() {
                    keys.push(inner);
                }
                after = Some(behind);
            }
            _ => {
                // Whole characters, so that the rest is always text.
                let next = rest.find(['{', '[', '}', ']', '"']).unwrap_or(rest.len());
                after = rest.get(next..);
            }
        }
        rest = after.unwrap_or_default();
    }
    match (keys.is_empty(), is_list) {
        (true, _) => String::new(),
        (false, true) => format!("{count} × {{{}}}", keys.join(", ")),
        (false, false) => format!("{{{}}}", keys.join(", ")),
    }
}

/// The files of a diff, and how many lines it adds and removes.
fn diff(text: &str) -> String {
    let (mut files, mut added, mut removed) = (Vec::new(), 0, 0);
    for line in text.lines() {
        if let Some(file) =
            line.strip_prefix("diff --git a/").and_then(|line| line.split(' ').next())
        {
            files.push(file);
        }
        added += usize::from(line.starts_with('+') && !line.starts_with("+++"));
        removed += usize::from(line.starts_with('-') && !line.starts_with("---"));
    }
    files.truncate(MAX_NAMES);
    format!("+{added} −{removed} {}", files.join(", "))
}

/// True if all of the first lines have as many separators as the first.
fn is_table(text: &str) -> bool {
    ['|', '\t', ',', ';'].into_iter().any(|separator| {
        let mut counts = text.lines().take(LEAST_LINES).map(|line| line.matches(separator).count());
        let first = counts.next().unwrap_or_default();
        first > 1 && counts.all(|count| count == first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d10_a_result_has_a_digest_of_its_shape() {
        let log: String = (1..=30).map(|at| format!("step {at} of the build\n")).collect();
        let table: String = (1..=30).map(|at| format!("{at}|a|b\n")).collect();
        for (text, expected) in [
            (r#"[{"id": 1, "tags": {"x": 1}}, {"id": 2}]"#, "2 × {id, tags}"),
            (
                r#"{"order_id": "A1", "lines": [{"sku": 1}], "nöte": "ü"}"#,
                "{order_id, lines, nöte}",
            ),
            (r#"{"order_id": "A1", "cut o"#, "{order_id}"),
            ("[1, 2]", ""),
            ("diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n-old\n+new\n+more", "+2 −1 x.rs"),
            (&log, "30 lines: step 1 of the build … step 30 of the build"),
            (&table, "30 × 1|a|b"),
            ("ok", ""),
        ] {
            assert_eq!(digest(text), expected);
        }
    }
}
