//! The ids of rules that the name of a test begins with.

/// The leading words of `name` that have the form of an id: a letter from a to m and a number, whether or not
/// there is such a rule. Words end at `_`, a space, a comma or a colon. No ids are read after a colon.
pub(super) fn carried(name: &str) -> Vec<&str> {
    let (head, _) = name.split_once(':').unwrap_or((name, ""));
    head.split(['_', ' ', ','])
        .filter(|word| !word.is_empty())
        .take_while(|word| is_id(word))
        .collect()
}

/// Whether `word` has the form of an id.
pub(super) fn is_id(word: &str) -> bool {
    let number = word.strip_prefix(|letter| matches!(letter, 'a'..='m')).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_leading_words_are_ids() {
        let cases: [(&str, &[&str]); 14] = [
            ("b2_threshold_is_the_smaller", &["b2"]),
            ("a1_a2_nothing_is_lost", &["a1", "a2"]),
            ("b10_a_window_of_200_000_tokens", &["b10"]),
            ("b99_has_no_rule", &["b99"]),
            ("b6: a warning is shown once", &["b6"]),
            ("b6 a warning is shown once", &["b6"]),
            ("b6, b7: both fire", &["b6", "b7"]),
            ("b6: c1 is a word after a colon", &["b6"]),
            ("b6", &["b6"]),
            ("the_rule_b2_holds", &[]),
            ("a_message_is_kept", &[]),
            ("e2e_runs_in_a_browser", &[]),
            ("n1_is_not_a_letter_of_ours", &[]),
            ("", &[]),
        ];
        for (name, expected) in cases {
            assert_eq!(carried(name), expected, "{name}");
        }
    }
}
