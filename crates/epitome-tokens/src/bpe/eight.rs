//! Eight ASCII characters at once.

use super::scan::Scan;

/// The highest bit of every byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Eight bytes of ASCII as one number, the first one lowest.
#[derive(Clone, Copy)]
pub(super) struct Eight(u64);

impl Eight {
    pub(super) const BYTES: usize = 8;

    /// The eight bytes at `at`, where they are all there and all ASCII.
    #[inline(always)]
    pub(super) fn at(scan: Scan<'_>, at: usize) -> Option<Self> {
        scan.eight(at).filter(|bytes| bytes & HIGH == 0).map(Self)
    }

    /// The highest bit of every byte that is a capital letter.
    #[inline(always)]
    pub(super) fn capitals(self) -> u64 {
        self.between(b'A', b'Z')
    }

    /// The highest bit of every byte that is a small letter.
    #[inline(always)]
    pub(super) fn small(self) -> u64 {
        self.between(b'a', b'z')
    }

    /// How many bytes from `first` on are set in `bits`, without a gap; 0 where `first` is behind the end.
    #[inline(always)]
    pub(super) fn run(self, bits: u64, first: usize) -> usize {
        let unset = (!bits & HIGH).checked_shr(8 * first as u32).unwrap_or(0);
        match unset {
            0 => Self::BYTES.saturating_sub(first),
            _ => unset.trailing_zeros() as usize / 8,
        }
    }

    /// The highest bit of every byte from `first` to `last`: sums that reach it, and never the next byte.
    #[inline(always)]
    fn between(self, first: u8, last: u8) -> u64 {
        const EACH: u64 = 0x0101_0101_0101_0101;
        let from = self.0 + EACH * u64::from(0x80 - first);
        let beyond = self.0 + EACH * u64::from(0x7F - last);
        from & !beyond & HIGH
    }
}

#[cfg(test)]
mod tests {
    use super::super::class::Classes;
    use super::*;

    fn check(text: &str, first: usize, expected: Option<(usize, usize)>) {
        let classes = Classes::new();
        let found = Eight::at(Scan::new(text, &classes), 0);
        let runs = found
            .map(|eight| (eight.run(eight.capitals(), first), eight.run(eight.small(), first)));
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
}
