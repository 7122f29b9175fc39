//! Which characters that are neither letters, accents, numbers nor blank are printed.

mod turns;

use turns::TURNS;

/// Whether a character of [`Class::OTHER`](super::super::super::class::Class::OTHER) is of `[\p{P}\p{S}]`; the
/// others are of `\p{C}`. Of any other character it says nothing.
#[inline]
pub(super) fn is_printed(code: u32) -> bool {
    if code < 0x80 {
        return (0x21..0x7F).contains(&code);
    }
    TURNS.partition_point(|&turn| turn <= code) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::super::super::super::class::{Class, Classes};
    use super::*;

    #[test]
    fn every_character_is_printed_where_regular_expressions_say_so() {
        let classes = Classes::new();
        let printed = fancy_regex::Regex::new(r"^[\p{P}\p{S}]$").unwrap();
        for character in '\0'..=char::MAX {
            if classes.of(character as u32).is(Class::OTHER) {
                let expected = printed.is_match(character.encode_utf8(&mut [0; 4])).unwrap();
                assert_eq!(is_printed(character as u32), expected, "{character:?}");
            }
        }
    }
}
