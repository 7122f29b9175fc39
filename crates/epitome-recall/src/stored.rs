//! The index as bytes, to store with the messages.

use std::collections::BTreeMap;

use crate::index::{Index, Message, Unit};
use crate::postings::{Postings, read_number, write_number};
use crate::terms::TermId;

/// The first bytes; the last of them is the version.
const HEAD: [u8; 4] = *b"epr\x01";

/// Why bytes are not an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredError {
    /// They do not begin like one.
    NotAnIndex,
    /// They are of this other version. The index can be built from the messages.
    OtherVersion(u8),
    /// Something in them is not as it was written.
    Damaged,
}

impl std::fmt::Display for StoredError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotAnIndex => f.write_str("not an index of messages"),
            Self::OtherVersion(version) => write!(f, "an index of version {version}"),
            Self::Damaged => f.write_str("the index is damaged"),
        }
    }
}

impl std::error::Error for StoredError {}

impl Index {
    /// The index as bytes. Linear.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        let to = &mut bytes;
        write_number(to, self.speakers.len() as u64);
        for speaker in &self.speakers {
            write_number(to, speaker.len() as u64);
            to.extend(speaker.as_bytes());
        }
        write_number(to, self.messages.len() as u64);
        let mut units = self.units.iter().peekable();
        for (at, message) in (0..).zip(&self.messages) {
            write_number(to, message.speaker.into());
            let own: Vec<&Unit> =
                std::iter::from_fn(|| units.next_if(|unit| unit.message == at)).collect();
            write_number(to, own.len() as u64);
            own.iter().for_each(|unit| write_number(to, unit.length.into()));
        }
        write_number(to, self.postings.len() as u64);
        let mut before = 0;
        for (term, postings) in &self.postings {
            write_number(to, u64::from(term.0 - before));
            before = term.0;
            postings.write(to);
        }
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// If these bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredError> {
        let (head, mut rest) = bytes.split_at_checked(HEAD.len()).ok_or(StoredError::NotAnIndex)?;
        match head {
            [b'e', b'p', b'r', 1] => {}
            [b'e', b'p', b'r', version] => return Err(StoredError::OtherVersion(*version)),
            _ => return Err(StoredError::NotAnIndex),
        }
        let index = read(&mut rest).ok_or(StoredError::Damaged)?;
        if rest.is_empty() { Ok(index) } else { Err(StoredError::Damaged) }
    }
}

fn read(from: &mut &[u8]) -> Option<Index> {
    let mut index = Index::default();
    for _ in 0..read_number(from)? {
        let length = usize::try_from(read_number(from)?).ok()?;
        let (name, rest) = from.split_at_checked(length)?;
        *from = rest;
        index.speakers.push(String::from_utf8(name.to_vec()).ok()?);
    }
    for at in 0..u32::try_from(read_number(from)?).ok()? {
        let speaker = u32::try_from(read_number(from)?).ok()?;
        index.speakers.get(speaker as usize)?;
        index.messages.push(Message { first_unit: index.units.len() as u32, speaker });
        for _ in 0..read_number(from)? {
            let length = u32::try_from(read_number(from)?).ok()?;
            index.push(Unit { message: at, length });
        }
    }
    let mut postings: BTreeMap<TermId, Postings> = BTreeMap::new();
    let mut term = 0_u32;
    for at in 0..read_number(from)? {
        let distance = u32::try_from(read_number(from)?).ok()?;
        term = term.checked_add(distance).filter(|_| at == 0 || distance > 0)?;
        postings.insert(TermId(term), Postings::read(from, index.units.len() as u32)?);
    }
    index.postings = postings;
    Some(index)
}
