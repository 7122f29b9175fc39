//! Which characters of the class `OTHER` are punctuation or symbols.

mod boundaries;

use boundaries::BOUNDARIES;

/// Whether a character is `[\p{P}\p{S}]`, punctuation or a symbol, and not `\p{C}`. Only for characters of
/// [`Class::OTHER`](super::super::super::class::Class::OTHER); the answer for others is meaningless.
#[inline]
pub(super) fn is_punctuation_or_symbol(code: u32) -> bool {
    if code < 0x80 {
        return (0x21..0x7F).contains(&code);
    }
    // An odd number of boundaries up to the character: the last one starts a run.
    BOUNDARIES.partition_point(|&boundary| boundary <= code) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::super::super::class::{Class, Classes};
    use super::*;

    #[test]
    fn every_character_is_classified_as_regular_expressions_do() {
        let classes = Classes::new();
        let pattern = fancy_regex::Regex::new(r"^[\p{P}\p{S}]$").unwrap();
        for character in '\0'..=char::MAX {
            if classes.of(character as u32).is(Class::OTHER) {
                let expected = pattern.is_match(character.encode_utf8(&mut [0; 4])).unwrap();
                assert_eq!(is_punctuation_or_symbol(character as u32), expected, "{character:?}");
            }
        }
    }
}
