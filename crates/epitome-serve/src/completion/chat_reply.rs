//! The demo's chat partner: says that it is none, and what the conversation is about.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::request::Request;

/// Terms that are named.
const TERMS: usize = 5;
/// Shorter words are rarely what a conversation is about.
const SHORTEST: usize = 4;
/// Long words that say nothing all the same.
const EMPTY: [&str; 32] = [
    "about", "also", "been", "because", "could", "does", "from", "have", "here", "into", "just",
    "like", "make", "more", "need", "only", "please", "should", "some", "than", "that", "their",
    "them", "then", "there", "they", "this", "what", "when", "will", "with", "your",
];

/// A short answer to a chat.
pub(crate) fn reply(request: &Request) -> String {
    let messages = request.texts().count();
    let mut reply = format!(
        "This is the demo endpoint: no model is behind it, it only summarizes by extraction. \
         It has read {messages} message{}.",
        if messages == 1 { "" } else { "s" }
    );
    let terms = main_terms(request.texts());
    if !terms.is_empty() {
        reply.push_str(" They are mostly about ");
        reply.push_str(&terms.join(", "));
        reply.push('.');
    }
    reply
}

/// The words said most often, and among equals the one said first.
fn main_terms<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Vec<String> {
    let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut position = 0;
    for text in texts {
        for word in text.as_ref().unicode_words() {
            let word = word.to_lowercase();
            if word.chars().count() < SHORTEST || EMPTY.contains(&word.as_str()) {
                continue;
            }
            position += 1;
            seen.entry(word).or_insert((0, position)).0 += 1;
        }
    }
    let mut terms: Vec<(String, (usize, usize))> = seen.into_iter().collect();
    terms.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
    terms.into_iter().take(TERMS).map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &[&str]) {
        assert_eq!(main_terms(texts.iter()), expected, "{texts:?}");
    }

    #[test]
    fn frequent_words_come_first_and_then_early_ones() {
        check(
            &["The invoice total is wrong.", "Which invoice? Please name the total."],
            &["invoice", "total", "wrong", "which", "name"],
        );
    }

    #[test]
    fn other_scripts_are_words_too() {
        check(&["Поезд опаздывает, поезд стоит"], &["поезд", "опаздывает", "стоит"]);
    }

    #[test]
    fn nothing_said_means_no_terms() {
        check(&["", "ok"], &[]);
    }
}
