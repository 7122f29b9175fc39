//! Finds the bytes that most words and lines do not have, a block at a time: without a branch for each byte, that compiles to vector
//! instructions.

/// The bytes that are looked at together.
const BLOCK: usize = 32;

/// True for a byte that names and numbers have and plain words do not: a digit, a sign within a name or a number, or a byte of a
/// character outside of ASCII.
const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'.'..=b':' | b'@' | b'_' | 0x80..)
}

/// Where the first byte is that names and numbers have and plain words do not. Linear; most text has few of them.
#[inline(never)]
pub fn first_sign(text: &[u8]) -> Option<usize> {
    let (blocks, _) = text.as_chunks::<BLOCK>();
    let has = |block: &&[u8; BLOCK]| block.iter().fold(false, |has, byte| has | is_sign(*byte));
    let start = blocks.iter().take_while(|block| !has(block)).count() * BLOCK;
    let rest = text.get(start..).unwrap_or_default();
    rest.iter().position(|byte| is_sign(*byte)).map(|at| start + at)
}

/// Which bytes a line has that most lines do not have.
#[derive(Clone, Copy)]
pub(crate) struct Signs(pub(crate) u8);

impl Signs {
    /// A byte of a character outside of ASCII.
    pub(crate) const FOREIGN: u8 = 1;
    /// A first byte of a line end other than a line feed, or of the separator of sentences.
    pub(crate) const BREAK: u8 = 2;
    /// A colon, or the first byte of an escape: the line may have fields.
    pub(crate) const FIELD: u8 = 4;

    /// Linear in the line.
    #[inline(never)]
    pub(crate) fn of(line: &str) -> Self {
        let signs = |byte: &u8| {
            let is_break = matches!(byte, b'\r' | 0xC2 | 0xE2);
            let is_field = matches!(byte, b':' | b'\\');
            (Self::FOREIGN * u8::from(!byte.is_ascii()))
                | (Self::BREAK * u8::from(is_break))
                | (Self::FIELD * u8::from(is_field))
        };
        let all = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all | signs(byte));
        let (blocks, rest) = line.as_bytes().as_chunks::<BLOCK>();
        Self(blocks.iter().fold(all(rest), |signs, block| signs | all(block)))
    }

    pub(crate) const fn has(self, signs: u8) -> bool {
        self.0 & signs != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sign_is_found_at_every_place() {
        for length in 0..100 {
            let mut text = vec![b'a'; length];
            assert_eq!(first_sign(&text), None);
            for at in (0..length).rev() {
                text[at] = b"./059:@_\xC3\x80"[at % 10];
                assert_eq!(first_sign(&text), Some(at));
            }
        }
        assert_eq!(first_sign(b"-;?A^`~ \n\x7F"), None);
    }

    #[test]
    fn the_signs_of_a_line_are_those_of_its_bytes() {
        for length in 0..80 {
            let plain = "a".repeat(length);
            assert_eq!(Signs::of(&plain).0, 0);
            for (sign, signs) in [
                ("\r", Signs::BREAK),
                (":", Signs::FIELD),
                ("\\", Signs::FIELD),
                ("é", Signs::FOREIGN),
                ("·", Signs::FOREIGN | Signs::BREAK),
                ("\u{2028}", Signs::FOREIGN | Signs::BREAK),
            ] {
                assert_eq!(Signs::of(&format!("{plain}{sign}b")).0, signs, "{sign:?} at {length}");
            }
        }
    }
}
