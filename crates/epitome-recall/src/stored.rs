//! The index as bytes, to store with the messages.

use std::collections::BTreeMap;

use epitome_text::lasting::Lasting;

use crate::index::{Index, Message, Unit};
use crate::postings::{Postings, read_number, write_number};
use crate::said::Said;
use crate::terms::TermId;

/// The first bytes; the last of them is the version.
const HEAD: [u8; 4] = *b"epr\x03";

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
            let mut before = 0;
            for unit in own {
                write_number(to, u64::from(unit.start - before));
                write_number(to, unit.length.into());
                before = unit.start;
            }
        }
        write_number(to, self.postings.len() as u64);
        let mut before = 0;
        for (term, postings) in &self.postings {
            write_number(to, u64::from(term.0 - before));
            before = term.0;
            postings.write(to);
        }
        write_lasting(to, &self.lasting);
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// If these bytes are anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StoredError> {
        let (head, mut rest) = bytes.split_at_checked(HEAD.len()).ok_or(StoredError::NotAnIndex)?;
        match head {
            [b'e', b'p', b'r', 3] => {}
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
        let mut start = 0_u32;
        for _ in 0..read_number(from)? {
            start = start.checked_add(u32::try_from(read_number(from)?).ok()?)?;
            let length = u32::try_from(read_number(from)?).ok()?;
            index.push(Unit { message: at, start, length });
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
    index.lasting = read_lasting(from, index.units.len() as u32)?;
    Some(index)
}

/// What the kinds are written as.
const KINDS: [Lasting; 3] = [Lasting::Habit, Lasting::Preference, Lasting::Instruction];

fn write_lasting(to: &mut Vec<u8>, lasting: &[Said]) {
    write_number(to, lasting.len() as u64);
    let mut unit = 0;
    for said in lasting {
        write_number(to, u64::from(said.unit - unit));
        unit = said.unit;
        write_number(to, said.sentence.into());
        write_number(to, KINDS.iter().position(|kind| *kind == said.kind).unwrap_or(0) as u64);
        write_number(to, said.terms.len() as u64);
        said.terms.iter().for_each(|term| to.extend(term.0.to_le_bytes()));
    }
}

fn read_lasting(from: &mut &[u8], units: u32) -> Option<Vec<Said>> {
    let mut lasting = Vec::new();
    let mut unit = 0_u32;
    for _ in 0..read_number(from)? {
        let distance = u32::try_from(read_number(from)?).ok()?;
        unit = unit.checked_add(distance).filter(|unit| *unit < units)?;
        let sentence = u32::try_from(read_number(from)?).ok()?;
        let kind = *KINDS.get(usize::try_from(read_number(from)?).ok()?)?;
        let mut terms = Vec::new();
        for _ in 0..read_number(from)? {
            let (bytes, rest) = from.split_first_chunk()?;
            *from = rest;
            terms.push(TermId(u32::from_le_bytes(*bytes)));
        }
        lasting.push(Said { unit, sentence, kind, terms });
    }
    Some(lasting)
}
