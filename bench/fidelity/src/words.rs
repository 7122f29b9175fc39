//! Texts as measures read them: words in lower case without fillers, their stems, and runs of four words.

use std::collections::BTreeSet;

/// Words that carry no content. The usual list of English function words.
const STOP_WORDS: &str = "a about above after again against all also am an and any are aren't as at be because been \
    before being below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down \
    during each few for from further get go going gonna got had hadn't has hasn't have haven't having he her here hers \
    herself him himself his how i if i'd i'll i'm i've in into is isn't it it's its itself just let's like me more most \
    my myself no nor not of off on once only or other our ours ourselves out over own really said same say she should \
    shouldn't so some such than that that's the their theirs them themselves then there there's these they they're \
    they've this those through to too under until up us very was wasn't we we'd we'll we're we've well were weren't what \
    what's when where which while who whom why will with won't would wouldn't yeah yes you you'd you'll you're you've \
    your yours yourself yourselves okay ok oh right";

/// Noises of transcripts of speech.
const FILLERS: [&str; 11] =
    ["um", "uh", "hmm", "mm", "mm-hmm", "uh-huh", "mhm", "er", "erm", "hm", "ah"];

/// True for a character of a script without spaces between words.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character), 0x3041..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF)
}

/// The words of a text in order, in lower case. Tags in braces and fillers are left out; a character of a script without
/// spaces is a word.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut in_tag = false;
    let end = |word: &mut String, words: &mut Vec<String>| {
        let trimmed = word.trim_matches(['\'', '-']);
        if !trimmed.is_empty() && !FILLERS.contains(&trimmed) {
            words.push(trimmed.to_owned());
        }
        word.clear();
    };
    for character in text.chars() {
        match character {
            '{' => in_tag = true,
            '}' => in_tag = false,
            _ if in_tag && (character.is_alphabetic() || character == '_') => continue,
            _ => in_tag = false,
        }
        if is_unspaced(character) {
            end(&mut word, &mut words);
            words.push(character.to_string());
        } else if character.is_alphanumeric() || character == '\'' || character == '-' {
            word.extend(character.to_lowercase());
        } else {
            end(&mut word, &mut words);
        }
    }
    end(&mut word, &mut words);
    words
}

/// True for a word that carries no content.
fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_whitespace().any(|stop| stop == word)
}

/// The word without its English ending, by the first steps of Porter's algorithm.
fn stem(word: &str) -> String {
    let has_vowel = |text: &str| text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let mut stem = word.trim_end_matches("'s").to_owned();
    if !stem.is_ascii() || stem.len() < 4 {
        return stem;
    }
    for (ending, with) in [("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")] {
        if let Some(rest) = stem.strip_suffix(ending) {
            stem = format!("{rest}{with}");
            break;
        }
    }
    for ending in ["ingly", "edly", "ing", "ed"] {
        if let Some(rest) =
            stem.strip_suffix(ending).filter(|rest| rest.len() > 2 && has_vowel(rest))
        {
            let mut rest = rest.to_owned();
            let last = rest.chars().last();
            if rest.ends_with("at") || rest.ends_with("bl") || rest.ends_with("iz") {
                rest.push('e');
            } else if last == rest.chars().rev().nth(1) && !matches!(last, Some('l' | 's' | 'z')) {
                rest.pop();
            }
            stem = rest;
            break;
        }
    }
    for (ending, with) in [
        ("ational", "ate"),
        ("ization", "ize"),
        ("fulness", "ful"),
        ("ment", ""),
        ("ness", ""),
        ("ly", ""),
    ] {
        if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() > 3) {
            stem = format!("{rest}{with}");
            break;
        }
    }
    if let Some(rest) = stem.strip_suffix('y').filter(|rest| rest.len() > 2) {
        stem = format!("{rest}i");
    }
    if let Some(rest) = stem.strip_suffix('e').filter(|rest| rest.len() > 3) {
        stem = rest.to_owned();
    }
    stem
}

/// The terms of words: stems of content words, and pairs of characters in scripts without spaces.
pub(crate) fn terms(words: &[String]) -> Vec<String> {
    let mut terms = Vec::new();
    let mut before: Option<&str> = None;
    for word in words {
        if word.chars().all(is_unspaced) {
            if let Some(before) = before {
                terms.push(format!("{before}{word}"));
            }
            before = Some(word);
            continue;
        }
        before = None;
        if !is_stop_word(word) && (word.len() > 1 || word.chars().all(char::is_numeric)) {
            terms.push(stem(word));
        }
    }
    terms
}

/// Every run of four words.
pub(crate) fn runs_of_four(words: &[String]) -> BTreeSet<String> {
    words.windows(4).map(|run| run.join(" ")).collect()
}

/// A text in sentences: at line breaks, at marks that end one before a blank, and at the marks of Chinese and Japanese.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut characters = line.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let after = at + character.len_utf8();
            let blank = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
            let ends = match character {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' => blank,
                _ => false,
            };
            if ends {
                sentences.push(&line[start..after]);
                start = after;
            }
        }
        sentences.push(&line[start..]);
    }
    sentences.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    sentences.iter().map(|sentence| sentence.trim()).collect()
}
