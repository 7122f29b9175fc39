//! The merges of a model that can ever take place, in the order in which they do.
//!
//! A file lists more merges than that. A token is merged from the same two tokens wherever it occurs: before it exists,
//! nothing merges across its ends, so everything inside it happens as if it stood alone. So of all listed pairs that
//! make the same token, at most one is ever merged. And a token that merging its own bytes does not lead to never
//! occurs. All other pairs and tokens can be left out without changing a count.
//!
//! What is left has ranks like any other vocabulary, except for a few *late* tokens: their merge is listed before a
//! merge that makes one of their two sources. Such a merge takes place as soon as both sources exist.

use serde_json::Value;

use super::super::batches::run_now;
use super::super::rank::{BYTES, LONGEST_TOKEN, MOST_TOKENS};
use super::super::vocabulary::Vocabulary;
use super::byte_map::ByteMap;
use super::error::TokenizerJsonError;
use super::file::{Merge, Model, Vocab};

/// The vocabulary of a model.
pub(super) struct Learned {
    pub(super) vocabulary: Vocabulary,
    /// The model's numbers of the tokens that merging leads to, by rank.
    pub(super) numbers: Vec<u32>,
    /// The model's numbers of the tokens that only a whole piece can be.
    pub(super) whole: ByteMap,
}

/// Reads the `model` of a file, after [`accept`]. Fails if it contradicts itself.
pub(super) fn read(model: Model) -> Result<Learned, TokenizerJsonError> {
    let Model { vocab: Vocab(tokens), merges, ignore_merges, .. } = model;
    if tokens.len() >= MOST_TOKENS {
        let problem = format!("there are {} tokens, and {MOST_TOKENS} are too many", tokens.len());
        return Err(contradiction("model.vocab", problem));
    }
    if let Some((bytes, number)) = tokens.iter().find(|(bytes, _)| bytes.len() > LONGEST_TOKEN) {
        let problem =
            format!("token {number} has {} bytes, and {LONGEST_TOKEN} are the most", bytes.len());
        return Err(contradiction("model.vocab", problem));
    }
    let (strings, numbers): (Vec<_>, Vec<_>) = tokens.into_iter().unzip();
    let tokens = ByteMap::new(strings.into_iter().zip(0..).collect());
    let singles = singles(&tokens)?;
    let listed = Listed::read(merges.unwrap_or_default(), &tokens)?;
    let mut merges = EffectiveMerges { by_token: vec![None; numbers.len()], listed: &listed };
    let in_order = merges.find_in_order(&singles);
    let late = merges.find_late(&tokens, &singles);
    let order = merges.order(in_order, late);

    // So far a token was identified by its position in the file. From here on it has a rank.
    let mut ranks = vec![None; numbers.len()];
    let ranked: Vec<u32> = singles.into_iter().chain(order).collect();
    for (rank, &token) in (0_u32..).zip(&ranked) {
        if let Some(slot) = ranks.get_mut(token as usize) {
            *slot = Some(rank);
        }
    }
    let rank = |token: u32| ranks.get(token as usize).copied().flatten();
    let pairs = (0_u32..).zip(&ranked).map(|(own, &token)| match merges.sources(token) {
        Some((left, right)) => (rank(left).unwrap_or(own), rank(right).unwrap_or(own)),
        None => (own, own),
    });
    let positions = ranked.iter().map(|&token| merges.of(token).unwrap_or(0)).collect();
    let bytes: [u8; BYTES] = std::array::from_fn(|byte| byte as u8);
    let refuse = |rank: u32| {
        contradiction("model.merges", format!("there is no way to make the token of rank {rank}"))
    };
    let vocabulary = Vocabulary::new(&bytes, pairs.collect()).map_err(refuse)?.in_order(positions);
    run_now(vocabulary.build_index(&mut async || {})).map_err(refuse)?;

    let number = |token: u32| numbers.get(token as usize).copied().unwrap_or(token);
    let mut whole = Vec::new();
    if ignore_merges == Value::Bool(true) {
        let unreached = tokens.strings().iter().filter(|(_, token)| rank(*token).is_none());
        whole.extend(unreached.map(|(bytes, token)| (bytes.clone(), number(*token))));
    }
    let numbers = ranked.iter().map(|&token| number(token)).collect();
    Ok(Learned { vocabulary, numbers, whole: ByteMap::new(whole) })
}

/// The tokens of the single bytes, by value.
fn singles(tokens: &ByteMap) -> Result<[u32; BYTES], TokenizerJsonError> {
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
    /// The left token, the right token, and the token that they merge into.
    merges: Vec<(u32, u32, u32)>,
    /// The position of the merge of each pair; if a pair is listed twice, of the last one.
    pairs: ByteMap<[u8; 8]>,
}

impl Listed {
    fn read(listed: Vec<Merge>, tokens: &ByteMap) -> Result<Self, TokenizerJsonError> {
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
        // In reverse, because the map keeps the first of equal keys.
        let positions = (0..merges.len() as u32).zip(&merges).rev();
        let pairs = positions.map(|(at, &(left, right, _))| (pair(left, right), at)).collect();
        Ok(Self { merges, pairs: ByteMap::new(pairs) })
    }

    /// The merge of two tokens: its position in the list, and the token that they merge into.
    fn merged(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let at = self.pairs.find(&pair(left, right))?;
        self.merges.get(at as usize).map(|&(_, _, token)| (at, token))
    }
}

fn pair(left: u32, right: u32) -> [u8; 8] {
    (u64::from(left) << 32 | u64::from(right)).to_be_bytes()
}

/// The one merge that makes each token, as its position in the list.
struct EffectiveMerges<'a> {
    by_token: Vec<Option<u32>>,
    listed: &'a Listed,
}

impl EffectiveMerges<'_> {
    /// The merge that makes `token`; `None` for a byte, and for a token without one.
    fn of(&self, token: u32) -> Option<u32> {
        self.by_token.get(token as usize).copied().flatten()
    }

    /// The two tokens that `token` is merged from.
    fn sources(&self, token: u32) -> Option<(u32, u32)> {
        let at = self.of(token)?;
        self.listed.merges.get(at as usize).map(|&(left, right, _)| (left, right))
    }

    fn set(&mut self, token: u32, at: u32) {
        if let Some(slot) = self.by_token.get_mut(token as usize) {
            *slot = Some(at);
        }
    }

    /// Finds the tokens whose merge is listed after the merges that make their sources, in the order of the list.
    fn find_in_order(&mut self, bytes: &[u32; BYTES]) -> Vec<u32> {
        let listed = self.listed;
        let mut exists = vec![false; self.by_token.len()];
        let arrive = |exists: &mut Vec<bool>, token: u32| {
            if let Some(slot) = exists.get_mut(token as usize) {
                *slot = true;
            }
        };
        bytes.iter().for_each(|&byte| arrive(&mut exists, byte));
        let mut found = Vec::new();
        for (at, &(left, right, token)) in (0_u32..).zip(&listed.merges) {
            let [left_exists, right_exists, token_exists] = [left, right, token]
                .map(|token| exists.get(token as usize).is_some_and(|exists| *exists));
            if left_exists
                && right_exists
                && !token_exists
                && listed.merged(left, right) == Some((at, token))
                && self.can_meet(left, right)
            {
                arrive(&mut exists, token);
                self.set(token, at);
                found.push(token);
            }
        }
        found
    }

    /// Whether merging the joined bytes of two tokens leads to exactly these two tokens next to each other. Any listed
    /// merge counts.
    // The two must not have merged across their boundary on the way. That is checked backwards: of the two tokens next
    // to the boundary, the one whose merge is listed later is split again, until both are bytes. At each step, a merge
    // across the boundary that is listed earlier would have come first. Of equal merges the leftmost comes first, hence
    // the 1.
    fn can_meet(&self, mut left: u32, mut right: u32) -> bool {
        loop {
            let until = match (self.of(left), self.of(right)) {
                (Some(one), other) if other.is_none_or(|other| one > other) => {
                    left = self.sources(left).map_or(left, |(_, right)| right);
                    one
                }
                (_, Some(other)) => {
                    right = self.sources(right).map_or(right, |(left, _)| left);
                    other + 1
                }
                _ => return true,
            };
            if self.listed.merged(left, right).is_some_and(|(across, _)| across < until) {
                return false;
            }
        }
    }

    /// Finds the other tokens that merging leads to, the shortest first, by merging the bytes of each.
    fn find_late(&mut self, tokens: &ByteMap, bytes: &[u32; BYTES]) -> Vec<u32> {
        let listed = self.listed;
        let mut left: Vec<_> = tokens.strings().iter().collect();
        left.retain(|(bytes, token)| bytes.len() > 1 && self.of(*token).is_none());
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

    /// Sorts all tokens by the last merge that making them takes. For a `late` token that is a merge of one of its
    /// sources, not its own.
    fn order(&self, in_order: Vec<u32>, late: Vec<u32>) -> Vec<u32> {
        let mut last = self.by_token.clone();
        for &token in &late {
            let of = |token: u32| last.get(token as usize).copied().flatten();
            let sources = self.sources(token);
            let whole = sources.and_then(|(left, right)| of(left).max(of(right))).max(of(token));
            if let Some(slot) = last.get_mut(token as usize) {
                *slot = whole;
            }
        }
        // The sort is stable. So a late token comes after the source that it waited for, and shorter ones before
        // longer.
        let mut order = in_order;
        order.extend(late);
        order.sort_by_key(|&token| last.get(token as usize).copied().flatten());
        order
    }
}

/// Merges neighbours until none merge: of all pairs the one whose merge is listed first, and of equals the leftmost.
/// `merged` returns the position of a merge and its token. Returns the position of the last merge.
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

/// Fails if the model is not byte-level BPE, or has an option that changes how bytes are merged.
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
