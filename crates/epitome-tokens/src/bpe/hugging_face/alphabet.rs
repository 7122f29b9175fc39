//! The letters that bytes are written as: the visible ones of Latin-1 as themselves, the other 68 in order
//! from Ā on.

/// Bytes that are no visible letter: up to the space, from DEL to the no-break space, the soft hyphen.
const HIDDEN: [(u32, u32); 3] = [(0, 0x20), (0x7F, 0xA0), (0xAD, 0xAD)];
const FIRST: u32 = 0x100;

/// The bytes that `token` stands for; nothing where it has other letters.
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
    fn every_byte_has_a_letter_of_its_own() {
        let letters = (0..0x11_0000).filter_map(char::from_u32);
        let mut found: Vec<u8> = letters.filter_map(byte).collect();
        found.sort_unstable();
        assert_eq!(found, (0..=u8::MAX).collect::<Vec<_>>());
    }

    #[test]
    fn letters_are_those_that_tokens_are_published_in() {
        assert_eq!(bytes("ĠlÃ¶ĊĉĀ"), Some(" lö\n\t\0".as_bytes().to_vec()));
        assert_eq!(bytes("¡ł¢Ń®"), Some(vec![0xA1, 0xA0, 0xA2, 0xAD, 0xAE]));
        for foreign in ["<｜end▁of▁sentence｜>", "a b", "\u{ad}", "ń"] {
            assert_eq!(bytes(foreign), None, "{foreign}");
        }
    }
}
