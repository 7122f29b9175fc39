//! The alphabet of byte-level BPE: each byte is written as a letter, so that tokens are valid text.
//!
//! Visible characters of Latin-1 are written as themselves, the other 68 bytes as the letters from Ā on, in order.

/// Bytes that are not visible characters: up to the space, from DEL to the no-break space, and the soft hyphen.
const HIDDEN: [(u32, u32); 3] = [(0, 0x20), (0x7F, 0xA0), (0xAD, 0xAD)];
/// The letter of the first of them.
const FIRST: u32 = 0x100;

/// The bytes of a token as it is written; `None` if it has a letter that is not in the alphabet.
pub(super) fn bytes(token: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(token.len());
    for letter in token.chars() {
        bytes.push(byte(letter)?);
    }
    Some(bytes)
}

fn byte(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    if let Some(mut which) = code.checked_sub(FIRST) {
        for (first, last) in HIDDEN {
            let count = last - first + 1;
            if which < count {
                return u8::try_from(first + which).ok();
            }
            which -= count;
        }
        return None;
    }
    let is_hidden = HIDDEN.iter().any(|&(first, last)| (first..=last).contains(&code));
    u8::try_from(code).ok().filter(|_| !is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_exactly_one_letter() {
        let letters = (0..0x11_0000).filter_map(char::from_u32);
        let mut found: Vec<u8> = letters.filter_map(byte).collect();
        found.sort_unstable();
        assert_eq!(found, (0..=u8::MAX).collect::<Vec<_>>());
    }

    #[test]
    fn letters_are_those_of_published_tokens() {
        assert_eq!(bytes("ĠlÃ¶ĊĉĀ"), Some(" lö\n\t\0".as_bytes().to_vec()));
        assert_eq!(bytes("¡ł¢Ń®"), Some(vec![0xA1, 0xA0, 0xA2, 0xAD, 0xAE]));
        for foreign in ["<｜end▁of▁sentence｜>", "a b", "\u{ad}", "ń"] {
            assert_eq!(bytes(foreign), None, "{foreign}");
        }
    }
}
