//! Where a term occurs: the units that have it, and how often, in few bytes.

/// The units that have a term, in their order, each as its distance to the one before and its count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Postings {
    bytes: Vec<u8>,
    units: u32,
    /// The number of the last unit, plus one.
    end: u32,
}

impl Postings {
    /// Adds a unit behind all that are there.
    pub(crate) fn push(&mut self, unit: u32, count: u32) {
        let distance = unit.saturating_sub(self.end);
        write_number(&mut self.bytes, u64::from(distance) * 2 + u64::from(count > 1));
        if count > 1 {
            write_number(&mut self.bytes, u64::from(count));
        }
        self.units += 1;
        self.end = unit + 1;
    }

    /// Removes all units from this one on.
    pub(crate) fn truncate(&mut self, first: u32) {
        if self.end > first {
            let mut kept = Self::default();
            self.iter()
                .take_while(|(unit, _)| *unit < first)
                .for_each(|(unit, count)| kept.push(unit, count));
            *self = kept;
        }
    }

    /// How many units have the term.
    pub(crate) fn units(&self) -> u32 {
        self.units
    }

    /// The units with their counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let mut bytes = self.bytes.as_slice();
        let mut next = 0;
        std::iter::from_fn(move || {
            let (distance, count) = read_unit(&mut bytes)?;
            let unit = next + distance;
            next = unit + 1;
            Some((unit, count))
        })
    }

    /// Appends the length and the bytes.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        write_number(to, self.bytes.len() as u64);
        to.extend(&self.bytes);
    }

    /// Reads what [`Self::write`] wrote, of an index with so many units; `None` for anything else.
    pub(crate) fn read(from: &mut &[u8], units: u32) -> Option<Self> {
        let length = usize::try_from(read_number(from)?).ok()?;
        let (own, rest) = from.split_at_checked(length)?;
        *from = rest;
        let mut postings = Self { bytes: own.to_vec(), ..Self::default() };
        let mut left = own;
        while !left.is_empty() {
            let (distance, _) = read_unit(&mut left)?;
            let unit = postings.end.checked_add(distance).filter(|unit| *unit < units)?;
            postings.end = unit + 1;
            postings.units += 1;
        }
        (postings.units > 0).then_some(postings)
    }
}

/// The distance to the unit before, and the count.
fn read_unit(bytes: &mut &[u8]) -> Option<(u32, u32)> {
    let head = read_number(bytes)?;
    let count = if head % 2 == 1 { read_number(bytes)? } else { 1 };
    Some((u32::try_from(head / 2).ok()?, u32::try_from(count).ok()?))
}

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn write_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number from the front; `None` if there is none.
pub(crate) fn read_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
