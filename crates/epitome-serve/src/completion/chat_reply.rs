//! The reply to a chat: says that this is a demo without a model, and names the conversation's frequent words.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::request::Request;

/// The most words that are named.
const MAX_TERMS: usize = 5;
/// The shortest word that is named, in characters. Shorter ones rarely are a topic.
const MIN_CHARS: usize = 4;
/// Words that are long enough, but never a topic.
const STOP_WORDS: [&str; 32] = [
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

/// The most frequent words, in lower case. If two are equally frequent, the one that occurs first comes first.
fn main_terms<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Vec<String> {
    // The count of each word, and the position of its first occurrence.
    let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut position = 0;
    for text in texts {
        for word in text.as_ref().unicode_words() {
            let word = word.to_lowercase();
            if word.chars().count() < MIN_CHARS || STOP_WORDS.contains(&word.as_str()) {
                continue;
            }
            position += 1;
            seen.entry(word).or_insert((0, position)).0 += 1;
        }
    }
    let mut terms: Vec<(String, (usize, usize))> = seen.into_iter().collect();
    terms.sort_by_key(|(_, (count, first))| (std::cmp::Reverse(*count), *first));
    terms.into_iter().take(MAX_TERMS).map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &[&str]) {
        assert_eq!(main_terms(texts.iter()), expected, "{texts:?}");
    }

    #[test]
    fn frequent_words_come_first_then_early_ones() {
        check(
            &["The invoice total is wrong.", "Which invoice? Please name the total."],
            &["invoice", "total", "wrong", "which", "name"],
        );
    }

    #[test]
    fn words_of_other_scripts_count() {
        check(&["Поезд опаздывает, поезд стоит"], &["поезд", "опаздывает", "стоит"]);
    }

    #[test]
    fn a_chat_without_words_has_no_terms() {
        check(&["", "ok"], &[]);
    }
}
