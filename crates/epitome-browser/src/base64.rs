//! Base64, as far as it is needed to find keys in it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The part that every text containing `bytes` has in its encoded form, if `bytes` begin at this offset (0 to 2) in a group of
/// three. Characters that also depend on the neighbours of `bytes` are left out.
pub(crate) fn core(bytes: &[u8], offset: usize) -> String {
    let padded = std::iter::repeat_n(0, offset).chain(bytes.iter().copied());
    let bits = (offset + bytes.len()) * 8;
    let first = (offset * 8).div_ceil(6);
    encode(padded).take(bits / 6).skip(first).collect()
}

/// The characters of a whole text, without padding.
pub(crate) fn encode(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = char> {
    let mut waiting = 0_u32;
    let mut waiting_bits = 0_u32;
    let character =
        |six: u32| ALPHABET.get((six & 63) as usize).map_or('=', |byte| char::from(*byte));
    bytes.map(Some).chain([None]).flat_map(move |byte| {
        let mut ready = [None, None];
        let [first, second] = &mut ready;
        match byte {
            Some(byte) => {
                waiting = (waiting << 8 | u32::from(byte)) & 0xFFFF;
                waiting_bits += 8;
                for place in [first, second] {
                    if waiting_bits >= 6 {
                        waiting_bits -= 6;
                        *place = Some(character(waiting >> waiting_bits));
                    }
                }
            }
            None if waiting_bits > 0 => *first = Some(character(waiting << (6 - waiting_bits))),
            None => {}
        }
        ready.into_iter().flatten()
    })
}

/// Decodes text in either alphabet; `None` if the characters are not the Base64 of a text in UTF-8.
pub(crate) fn decode(encoded: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut waiting = 0_u32;
    let mut waiting_bits = 0_u32;
    for byte in encoded.trim_end_matches('=').bytes() {
        let byte = match byte {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        };
        let six = ALPHABET.iter().position(|letter| *letter == byte)?;
        waiting = (waiting << 6 | u32::try_from(six).ok()?) & 0xFFFF;
        waiting_bits += 6;
        if waiting_bits >= 8 {
            waiting_bits -= 8;
            bytes.push(u8::try_from(waiting >> waiting_bits & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        encode(text.bytes()).collect()
    }

    #[test]
    fn text_is_encoded_and_decoded() {
        for (text, expected) in [
            ("", ""),
            ("M", "TQ"),
            ("Ma", "TWE"),
            ("Man", "TWFu"),
            ("Many", "TWFueQ"),
            ("~~~?", "fn5+Pw"),
        ] {
            assert_eq!(whole(text), expected);
            assert_eq!(decode(&format!("{expected}==")).as_deref(), Some(text));
        }
        assert_eq!(decode("fn5-Pw").as_deref(), Some("~~~?"));
        assert_eq!(decode("a b"), None);
    }

    #[test]
    fn the_core_of_a_text_is_in_every_text_that_contains_it() {
        let key = "sk-12345678";
        for before in ["", "a", "ab", "abc", "user:"] {
            for after in ["", "z", "zz"] {
                let encoded = whole(&format!("{before}{key}{after}"));
                let core = core(key.as_bytes(), before.len() % 3);
                assert!(core.len() >= 13 && encoded.contains(&core), "{encoded} {core}");
            }
        }
    }
}
