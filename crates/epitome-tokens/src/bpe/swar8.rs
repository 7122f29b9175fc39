//! Eight ASCII characters at once, as bytes of one number (SWAR: SIMD within a register).
//!
//! A comparison is an addition: adding `0x80 - first` to a byte below 0x80 sets its highest bit if the byte is at least
//! `first`. The sum stays below 0x100, so it never carries into the next byte. All sets use that highest bit.

use super::text::Text;

/// The number 1 in every byte.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
const HIGH: u64 = 0x80 * EACH;

/// Eight bytes of text as one number, the first byte lowest.
#[derive(Clone, Copy)]
pub(super) struct Swar8(u64);

/// A set of bytes: the highest bit of each byte that is in it.
#[derive(Clone, Copy)]
pub(super) struct Flags(u64);

impl Swar8 {
    pub(super) const BYTES: usize = 8;

    #[inline(always)]
    pub(super) fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }

    /// The eight bytes at `at`; `None` if there are fewer, or if one is not ASCII.
    #[inline(always)]
    pub(super) fn at(text: Text<'_>, at: usize) -> Option<Self> {
        let lane = Self::new(*text.block(at)?);
        (lane.wide().0 == 0).then_some(lane)
    }

    /// Bytes that are not ASCII. Callers must ignore these bytes in all other sets.
    #[inline(always)]
    pub(super) fn wide(self) -> Flags {
        Flags(self.0 & HIGH)
    }

    #[inline(always)]
    pub(super) fn letters(self) -> Flags {
        // Setting this bit turns capitals into small letters. It turns no other character into a letter.
        Self(self.0 | (0x20 * EACH)).between(b'a', b'z')
    }

    /// The small letters among `letters`.
    #[inline(always)]
    pub(super) fn small(self, letters: Flags) -> Flags {
        // The bit 0x20, which distinguishes them from capitals, moves to the highest bit.
        Flags(letters.0 & self.0 << 2)
    }

    /// Bytes from `first` to `last`, both included.
    #[inline(always)]
    pub(super) fn between(self, first: u8, last: u8) -> Flags {
        let bytes = self.0 & !HIGH;
        let from = bytes + EACH * u64::from(0x80 - first);
        let beyond = bytes + EACH * u64::from(0x7F - last);
        Flags(from & !beyond & HIGH)
    }
}

impl Flags {
    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How many bytes come before the first one of the set; 8 if the set is empty.
    #[inline(always)]
    pub(super) fn unset(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }

    /// How many bytes from `first` on are in the set without a gap; 0 if `first` is past the end.
    #[inline(always)]
    pub(super) fn run(self, first: usize) -> usize {
        let unset = (!self.0 & HIGH).checked_shr(8 * first as u32).unwrap_or(0);
        match unset {
            0 => Swar8::BYTES.saturating_sub(first),
            _ => unset.trailing_zeros() as usize / 8,
        }
    }
}

// With vector instructions `simd16.rs` has these operations, and here they would be dead code.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod without_vectors {
    use super::{EACH, Flags, HIGH, Swar8};

    impl Swar8 {
        /// Bytes that are `byte`.
        #[inline(always)]
        pub(in super::super) fn is(self, byte: u8) -> Flags {
            let different = (self.0 & !HIGH) ^ (EACH * u64::from(byte));
            Flags(!(different + (0x7F * EACH)) & HIGH)
        }
    }

    impl Flags {
        #[inline(always)]
        pub(in super::super) fn or(self, other: Self) -> Self {
            Self(self.0 | other.0)
        }

        /// A bit for each byte, the first byte lowest.
        #[inline(always)]
        pub(in super::super) fn bits(self) -> u64 {
            // The multiplication adds up copies of the number, each shifted so that the bit of one byte lands in its
            // own position of the highest byte. No two bits land in the same position, so there are no carries.
            (self.0 >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::class::Classes;
    use super::*;

    fn check(text: &str, first: usize, expected: Option<(usize, usize)>) {
        let classes = Classes::new();
        let found = Swar8::at(Text::new(text, &classes), 0);
        let runs = found.map(|lane| {
            let small = lane.small(lane.letters());
            (lane.letters().without(small).run(first), small.run(first))
        });
        assert_eq!(runs, expected, "{text:?} from {first}");
    }

    #[test]
    fn runs_of_letters_are_found_in_eight_bytes() {
        check("abcdefgh", 0, Some((0, 8)));
        check("ABcdEFgh", 0, Some((2, 0)));
        check("ABcdEFgh", 2, Some((0, 2)));
        check(" azAZ09[", 1, Some((0, 2)));
        check("@[`{\u{7f}AZa", 5, Some((2, 0)));
        check("ABCDEFGH", 7, Some((1, 0)));
        check("ABCDEFGH", 8, Some((0, 0)));
        check("abcdefg", 0, None);
        check("abcdefé", 0, None);
    }

    #[test]
    fn every_ascii_character_is_in_its_sets_at_every_position() {
        for byte in 0..=0x7F_u8 {
            for place in 0..Swar8::BYTES {
                let mut bytes = [0xFF; Swar8::BYTES];
                bytes[place] = byte;
                let lane = Swar8::new(bytes);
                let is_in = |flags: Flags| flags.bits() >> place & 1 == 1;
                assert_eq!(is_in(lane.letters()), byte.is_ascii_alphabetic(), "{byte}");
                assert_eq!(is_in(lane.small(lane.letters())), byte.is_ascii_lowercase(), "{byte}");
                assert_eq!(is_in(lane.between(b'0', b'9')), byte.is_ascii_digit(), "{byte}");
                assert_eq!(is_in(lane.is(b'\'')), byte == b'\'', "{byte}");
                assert_eq!(lane.wide().bits(), 0xFF & !(1 << place), "{byte}");
            }
        }
    }
}
