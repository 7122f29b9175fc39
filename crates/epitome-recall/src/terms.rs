//! What a text is searched by: stems of its words, the parts of its names, and groups of characters where words have no
//! spaces.

use epitome_text::stop_words::StopWords;

use crate::stem::stem;

/// The terms of texts, one text after the other.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    stop_words: StopWords,
    word: String,
    /// The last characters of a script without spaces.
    run: Vec<char>,
}

/// A number for a term. Terms with the same number are taken for one: among 100,000 terms there is about one such pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TermId(pub(crate) u32);

impl TermId {
    /// FNV-1a, with its upper half mixed into the lower.
    fn of(term: &str) -> Self {
        let hash = term.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        Self((hash ^ (hash >> 32)) as u32)
    }
}

impl Terms {
    /// Calls `each` for every term of a text in order. Linear in the text.
    pub(crate) fn for_each(&mut self, text: &str, mut each: impl FnMut(TermId)) {
        self.word.clear();
        self.run.clear();
        let mut before = ' ';
        for character in text.chars() {
            let group = group_length(character);
            if group == 0 && (character.is_alphanumeric() || matches!(character, '\'' | '’')) {
                self.run.clear();
                // `parseDate` is searched by its parts.
                if character.is_uppercase() && before.is_lowercase() {
                    self.end(&mut each);
                }
                if !matches!(character, '\'' | '’') {
                    self.word.extend(character.to_lowercase());
                } else if !self.word.is_empty() {
                    self.word.push('\'');
                }
            } else {
                self.end(&mut each);
                if group > 0 {
                    self.run.push(character);
                    if let Some(group) =
                        self.run.len().checked_sub(group).and_then(|at| self.run.get(at..))
                    {
                        each(TermId::of(&group.iter().collect::<String>()));
                    }
                } else {
                    self.run.clear();
                }
            }
            before = character;
        }
        self.end(&mut each);
    }

    fn end(&mut self, each: &mut impl FnMut(TermId)) {
        let bare = self.word.trim_end_matches('\'');
        let bare = bare.strip_suffix("'s").unwrap_or(bare);
        let joined: String;
        let word = match bare.contains('\'') {
            true => {
                joined = bare.replace('\'', "");
                &joined
            }
            false => bare,
        };
        let long = word.len() > 1 || word.bytes().all(|byte| byte.is_ascii_digit());
        if !word.is_empty() && long && !self.stop_words.contain(word) {
            each(TermId::of(&stem(word)));
        }
        self.word.clear();
    }
}

/// True for a character of a script without spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    group_length(character) > 0
}

/// How many characters are a term, in scripts without spaces between words; 0 for other scripts.
pub(crate) fn group_length(character: char) -> usize {
    match u32::from(character) {
        // Kana, ideographs, Hangul.
        0x3041..=0x30FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0x20000..=0x323AF => 2,
        // Thai, Lao, Myanmar, Khmer.
        0x0E01..=0x0E4E | 0x0E81..=0x0ECD | 0x1000..=0x103F | 0x1780..=0x17D3 => 3,
        _ => 0,
    }
}
