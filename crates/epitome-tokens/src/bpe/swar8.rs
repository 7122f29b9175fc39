//! Eight characters at once.

use super::scan::Scan;

/// A byte each, the first one lowest.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
const HIGH: u64 = 0x80 * EACH;

/// Eight bytes of text as one number, the first one lowest.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

/// A set of eight bytes: the highest bit of each that is in it.
#[derive(Clone, Copy)]
pub(super) struct Flags(u64);

impl Eight {
    pub(super) const BYTES: usize = 8;

    #[inline(always)]
    pub(super) fn new(bytes: [u8; Self::BYTES]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }

    /// The eight bytes at `at`, where they are all there and all ASCII.
    #[inline(always)]
    pub(super) fn at(scan: Scan<'_>, at: usize) -> Option<Self> {
        let eight = Self::new(*scan.block(at)?);
        (eight.wide().0 == 0).then_some(eight)
    }

    /// Bytes that are not ASCII. What the other sets say of these is to be left out.
    #[inline(always)]
    pub(super) fn wide(self) -> Flags {
        Flags(self.0 & HIGH)
    }

    #[inline(always)]
    pub(super) fn letters(self) -> Flags {
        Self(self.0 | (0x20 * EACH)).between(b'a', b'z')
    }

    /// The small ones of some letters.
    #[inline(always)]
    pub(super) fn small(self, letters: Flags) -> Flags {
        // What tells them from capitals is moved to the highest bit.
        Flags(letters.0 & self.0 << 2)
    }

    /// Bytes from `first` to `last`.
    #[inline(always)]
    pub(super) fn between(self, first: u8, last: u8) -> Flags {
        // Sums that reach the highest bit, and never the next byte.
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

    /// How many bytes come before the first of the set.
    #[inline(always)]
    pub(super) fn unset(self) -> usize {
        self.0.trailing_zeros() as usize / 8
    }

    /// How many bytes from `first` on are in the set, without a gap; 0 where `first` is behind the end.
    #[inline(always)]
    pub(super) fn run(self, first: usize) -> usize {
        let unset = (!self.0 & HIGH).checked_shr(8 * first as u32).unwrap_or(0);
        match unset {
            0 => Eight::BYTES.saturating_sub(first),
            _ => unset.trailing_zeros() as usize / 8,
        }
    }
}

/// What [`super::sixteen`] does where there are vectors.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod without_vectors {
    use super::{EACH, Eight, Flags, HIGH};

    impl Eight {
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

        /// A bit for each byte, that of the first one lowest.
        #[inline(always)]
        pub(in super::super) fn bits(self) -> u64 {
            // Moves the bit of each byte to another place of the highest byte; no two sums meet.
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
        let found = Eight::at(Scan::new(text, &classes), 0);
        let runs = found.map(|eight| {
            let small = eight.small(eight.letters());
            (eight.letters().without(small).run(first), small.run(first))
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
    fn every_ascii_character_is_in_its_sets_wherever_it_stands() {
        for byte in 0..=0x7F_u8 {
            for place in 0..Eight::BYTES {
                let mut bytes = [0xFF; Eight::BYTES];
                bytes[place] = byte;
                let eight = Eight::new(bytes);
                let is_in = |flags: Flags| flags.bits() >> place & 1 == 1;
                assert_eq!(is_in(eight.letters()), byte.is_ascii_alphabetic(), "{byte}");
                assert_eq!(
                    is_in(eight.small(eight.letters())),
                    byte.is_ascii_lowercase(),
                    "{byte}"
                );
                assert_eq!(is_in(eight.between(b'0', b'9')), byte.is_ascii_digit(), "{byte}");
                assert_eq!(is_in(eight.is(b'\'')), byte == b'\'', "{byte}");
                assert_eq!(eight.wide().bits(), 0xFF & !(1 << place), "{byte}");
            }
        }
    }
}
