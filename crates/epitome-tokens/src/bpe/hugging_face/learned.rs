//! The merges of a model that do take place, in the order in which they do.
//!
//! What a file lists is more than that. A token is merged from the same two tokens wherever it comes up:
//! nothing merges across its ends before it is there, so within it everything goes as if it stood alone. Of
//! all pairs that make the same token one at most is ever merged, and a token that merging its own bytes does
//! not lead to never comes up. Without the other pairs and tokens nothing changes.
//!
//! What is left are ranks as other vocabularies have them, except for a few tokens whose merge is listed
//! before one that makes one of its halves. These take place as soon as both halves are there.

use serde_json::Value;

use super::super::at_once;
use super::super::vocabulary::{BYTES, LONGEST, MOST, Vocabulary};
use super::error::TokenizerJsonError;
use super::file::{Merge, Model, Vocab};
use super::index::Index;

/// What a model has learned.
pub(super) struct Learned {
    pub(super) vocabulary: Vocabulary,
    /// The numbers of the tokens that merging reaches, by rank.
    pub(super) numbers: Vec<u32>,
    /// The numbers of the tokens that only a whole piece can be.
    pub(super) whole: Index,
}

/// What the `model` of a file has learned, which is [`accept`]ed. Fails where it contradicts itself.
pub(super) fn read(model: Model) -> Result<Learned, TokenizerJsonError> {
    let Model { vocab: Vocab(tokens), merges, ignore_merges, .. } = model;
    if tokens.len() >= MOST {
        let problem = format!("there are {} tokens, and {MOST} are too many", tokens.len());
        return Err(contradiction("model.vocab", problem));
    }
    if let Some((bytes, number)) = tokens.iter().find(|(bytes, _)| bytes.len() > LONGEST) {
        let problem =
            format!("token {number} has {} bytes, and {LONGEST} are the most", bytes.len());
        return Err(contradiction("model.vocab", problem));
    }
    let (strings, numbers): (Vec<_>, Vec<_>) = tokens.into_iter().unzip();
    let tokens = Index::new(strings.into_iter().zip(0..).collect());
    let singles = singles(&tokens)?;
    let listed = Listed::read(merges.unwrap_or_default(), &tokens)?;
    let mut made = Made { by: vec![None; numbers.len()], listed: &listed };
    let in_order = made.find_in_order(&singles);
    let late = made.find_late(&tokens, &singles);
    let order = made.order(in_order, late);

    // Tokens went by their place in the file so far, and have their ranks from here on.
    let mut ranks = vec![None; numbers.len()];
    let ranked: Vec<u32> = singles.into_iter().chain(order).collect();
    for (rank, &token) in (0_u32..).zip(&ranked) {
        if let Some(slot) = ranks.get_mut(token as usize) {
            *slot = Some(rank);
        }
    }
    let rank = |token: u32| ranks.get(token as usize).copied().flatten();
    let pairs = (0_u32..).zip(&ranked).map(|(own, &token)| match made.halves(token) {
        Some((left, right)) => (rank(left).unwrap_or(own), rank(right).unwrap_or(own)),
        None => (own, own),
    });
    let places = ranked.iter().map(|&token| made.by(token).unwrap_or(0)).collect();
    let bytes: [u8; BYTES] = std::array::from_fn(|byte| byte as u8);
    let refuse = |rank: u32| {
        contradiction("model.merges", format!("there is no way to make the token of rank {rank}"))
    };
    let mut vocabulary = Vocabulary::new(&bytes, pairs.collect()).map_err(refuse)?;
    vocabulary.merges = vocabulary.merges.in_order(places);
    at_once(vocabulary.build_index(&mut async || {})).map_err(refuse)?;

    let number = |token: u32| numbers.get(token as usize).copied().unwrap_or(token);
    let mut whole = Vec::new();
    if ignore_merges == Value::Bool(true) {
        let unreached = tokens.strings().iter().filter(|(_, token)| rank(*token).is_none());
        whole.extend(unreached.map(|(bytes, token)| (bytes.clone(), number(*token))));
    }
    let numbers = ranked.iter().map(|&token| number(token)).collect();
    Ok(Learned { vocabulary, numbers, whole: Index::new(whole) })
}

/// The tokens that are single bytes, by value.
fn singles(tokens: &Index) -> Result<[u32; BYTES], TokenizerJsonError> {
    let mut bytes = [0; BYTES];
    for (value, slot) in (0..=u8::MAX).zip(&mut bytes) {
        *slot = tokens.find(&[value]).ok_or_else(|| {
            contradiction("model.vocab", format!("there is no token for the byte 0x{value:02X}"))
        })?;
    }
    Ok(bytes)
}

/// The merges that a file lists.
struct Listed {
    /// Left, right, and what they make.
    merges: Vec<(u32, u32, u32)>,
    /// The merge of each pair; of two of the same pair, the last.
    pairs: Index<[u8; 8]>,
}

impl Listed {
    fn read(listed: Vec<Merge>, tokens: &Index) -> Result<Self, TokenizerJsonError> {
        let mut merges = Vec::with_capacity(listed.len());
        let mut joined = Vec::new();
        let listed = listed.into_iter().filter(|merge| !matches!(merge, Merge::Version));
        for (at, merge) in listed.enumerate() {
            let Merge::Pair(left, right) = merge else { continue };
            joined.clear();
            joined.extend_from_slice(&left);
            joined.extend_from_slice(&right);
            let [left, right, token] =
                [left.as_slice(), &right, &joined].map(|token| tokens.find(token));
            let (Some(left), Some(right), Some(token)) = (left, right, token) else {
                let problem = "one of the two tokens, or what they make, is not in the vocabulary";
                return Err(contradiction(&format!("model.merges[{at}]"), problem.to_owned()));
            };
            merges.push((left, right, token));
        }
        let places = (0..merges.len() as u32).zip(&merges).rev();
        let pairs = places.map(|(at, &(left, right, _))| (pair(left, right), at)).collect();
        Ok(Self { merges, pairs: Index::new(pairs) })
    }

    /// The merge of two tokens: its place in the list, and what it makes.
    fn merged(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let at = self.pairs.find(&pair(left, right))?;
        self.merges.get(at as usize).map(|&(_, _, token)| (at, token))
    }
}

fn pair(left: u32, right: u32) -> [u8; 8] {
    (u64::from(left) << 32 | u64::from(right)).to_be_bytes()
}

/// The one merge that makes each token.
struct Made<'a> {
    by: Vec<Option<u32>>,
    listed: &'a Listed,
}

impl Made<'_> {
    fn by(&self, token: u32) -> Option<u32> {
        self.by.get(token as usize).copied().flatten()
    }

    /// What `token` is made of; nothing for a byte, and for what is not made.
    fn halves(&self, token: u32) -> Option<(u32, u32)> {
        let at = self.by(token)?;
        self.listed.merges.get(at as usize).map(|&(left, right, _)| (left, right))
    }

    fn set(&mut self, token: u32, at: u32) {
        if let Some(slot) = self.by.get_mut(token as usize) {
            *slot = Some(at);
        }
    }

    /// Finds the tokens whose merge is listed behind those that make its halves, in the order of the list.
    fn find_in_order(&mut self, bytes: &[u32; BYTES]) -> Vec<u32> {
        let listed = self.listed;
        let mut is_there = vec![false; self.by.len()];
        let arrive = |is_there: &mut Vec<bool>, token: u32| {
            if let Some(slot) = is_there.get_mut(token as usize) {
                *slot = true;
            }
        };
        bytes.iter().for_each(|&byte| arrive(&mut is_there, byte));
        let mut found = Vec::new();
        for (at, &(left, right, token)) in (0_u32..).zip(&listed.merges) {
            let [left_there, right_there, token_there] = [left, right, token]
                .map(|token| is_there.get(token as usize).is_some_and(|there| *there));
            if left_there
                && right_there
                && !token_there
                && listed.merged(left, right) == Some((at, token))
                && self.can_meet(left, right)
            {
                arrive(&mut is_there, token);
                self.set(token, at);
                found.push(token);
            }
        }
        found
    }

    /// Whether merging what two tokens consist of leads to these two; [`Merges::can_meet`] says how it is
    /// known. Any merge counts that is listed.
    ///
    /// [`Merges::can_meet`]: super::super::merges::Merges::can_meet
    fn can_meet(&self, mut left: u32, mut right: u32) -> bool {
        loop {
            let until = match (self.by(left), self.by(right)) {
                (Some(one), other) if other.is_none_or(|other| one > other) => {
                    left = self.halves(left).map_or(left, |(_, right)| right);
                    one
                }
                (_, Some(other)) => {
                    right = self.halves(right).map_or(right, |(left, _)| left);
                    other + 1
                }
                _ => return true,
            };
            if self.listed.merged(left, right).is_some_and(|(across, _)| across < until) {
                return false;
            }
        }
    }

    /// Finds the other tokens that merging leads to, the shortest first.
    fn find_late(&mut self, tokens: &Index, bytes: &[u32; BYTES]) -> Vec<u32> {
        let listed = self.listed;
        let mut left: Vec<_> = tokens.strings().iter().collect();
        left.retain(|(bytes, token)| bytes.len() > 1 && self.by(*token).is_none());
        left.sort_by_key(|(bytes, _)| bytes.len());
        let mut late = Vec::new();
        for (string, token) in left {
            let byte = |&byte: &u8| bytes.get(usize::from(byte)).copied().unwrap_or(0);
            let mut parts = string.iter().map(byte).collect();
            let last = merge(&mut parts, |left, right| listed.merged(left, right));
            if let Some(at) = last
                && parts == [*token]
            {
                self.set(*token, at);
                late.push(*token);
            }
        }
        late
    }

    /// Puts all tokens that are made in the order of the last merge that making them takes. For `late` ones
    /// that is not their own.
    fn order(&self, in_order: Vec<u32>, late: Vec<u32>) -> Vec<u32> {
        let mut last = self.by.clone();
        for &token in &late {
            let of = |token: u32| last.get(token as usize).copied().flatten();
            let halves = self.halves(token);
            let whole = halves.and_then(|(left, right)| of(left).max(of(right))).max(of(token));
            if let Some(slot) = last.get_mut(token as usize) {
                *slot = whole;
            }
        }
        // Sorting keeps the late ones behind the one whose merge is the last, and shorter before longer ones.
        let mut order = in_order;
        order.extend(late);
        order.sort_by_key(|&token| last.get(token as usize).copied().flatten());
        order
    }
}

/// Merges neighbours until none make a token: of all pairs the one whose token comes first in the order, and of
/// equals the leftmost. `merged` is the place in the order, and the token. Returns the place of the last merge.
fn merge(parts: &mut Vec<u32>, merged: impl Fn(u32, u32) -> Option<(u32, u32)>) -> Option<u32> {
    let mut last = None;
    loop {
        let pairs = parts.iter().zip(parts.iter().skip(1)).enumerate();
        let found = pairs.filter_map(|(at, (&left, &right))| {
            let (place, token) = merged(left, right)?;
            Some((place, at, token))
        });
        let Some((place, at, token)) = found.min() else { return last };
        last = Some(place);
        parts.splice(at..at + 2, [token]);
    }
}

/// Refuses what is not merged as bytes are.
pub(super) fn accept(model: &Model) -> Result<(), TokenizerJsonError> {
    let refuse = |place: &str, found: &dyn std::fmt::Display, known: &str| {
        Err(TokenizerJsonError::unsupported(&format!("model.{place}"), &found, known))
    };
    match &model.kind {
        Some(kind) if kind != "BPE" => return refuse("type", kind, "BPE"),
        None if model.merges.is_none() => return refuse("type", &"none", "BPE"),
        _ => {}
    }
    if model.byte_fallback == Value::Bool(true) {
        return refuse("byte_fallback", &true, "false: bytes are letters of the vocabulary");
    }
    if !(model.dropout.is_null() || model.dropout.as_f64() == Some(0.0)) {
        return refuse("dropout", &model.dropout, "null and 0");
    }
    for (place, affix) in [
        ("continuing_subword_prefix", &model.continuing_subword_prefix),
        ("end_of_word_suffix", &model.end_of_word_suffix),
    ] {
        if !affix.is_null() && affix != "" {
            return refuse(place, affix, r#"null and """#);
        }
    }
    Ok(())
}

fn contradiction(place: &str, problem: String) -> TokenizerJsonError {
    TokenizerJsonError::Contradiction { place: place.to_owned(), problem }
}
