//! The training data: each distinct piece of the texts, and how many tokens begin in it.

use std::collections::HashMap;

use epitome_tokens::BytePairs;

use crate::corpus::Source;
use crate::state_machine::{self, Step};

/// The total importance of the texts of some kinds; 1 for all other kinds.
const SHARES: [(&str, f64); 7] = [
    ("english", 3.0),
    ("markdown", 3.0),
    ("code", 3.0),
    ("json", 2.0),
    ("output", 2.0),
    ("european", 2.0),
    ("random", 0.3),
];

/// The features of one character of a piece: its slot, its short gram and its long gram.
pub(crate) type Features = [u16; 3];

/// A distinct piece, as its features.
pub(crate) struct Piece {
    pub(crate) features: Vec<Features>,
    /// The mean number of tokens.
    pub(crate) tokens: f64,
    /// How much it counts in the fit.
    pub(crate) importance: f64,
}

/// All distinct pieces of the sources. The importance of a kind is its share. Within a kind, the importance of a source
/// is proportional to the square root of its size.
pub(crate) fn of(sources: &[Source], encoding: &BytePairs, lengths: &[u8]) -> Vec<Piece> {
    let mut met: HashMap<Vec<Features>, (f64, f64)> = HashMap::new();
    let mut of_kind: HashMap<&str, f64> = HashMap::new();
    let roots = |source: &Source| {
        (source.documents.iter().flatten().map(String::len).sum::<usize>() as f64).sqrt()
    };
    for source in sources {
        *of_kind.entry(&source.kind).or_default() += roots(source);
    }
    let share =
        |kind: &str| SHARES.iter().find(|(name, _)| *name == kind).map_or(1.0, |&(_, share)| share);
    for source in sources {
        let root = roots(source);
        let kind = of_kind.get(source.kind.as_str()).copied().unwrap_or(1.0);
        // The importance of one byte.
        let importance = share(&source.kind) * 1e6 * (root / kind) / (root * root).max(1.0);
        for message in source.documents.iter().flatten() {
            let mut starts = vec![0_u32; message.len() + 1];
            let mut at = 0;
            for token in encoding.encode(message) {
                starts[at] = 1;
                at += usize::from(lengths[token as usize]);
            }
            each_piece(message, |features, start, end| {
                let tokens: u32 = starts[start..end].iter().sum();
                let entry = met.entry(features.to_vec()).or_default();
                entry.0 += importance;
                entry.1 += importance * f64::from(tokens);
            });
        }
    }
    let mut pieces: Vec<Piece> = met
        .into_iter()
        .map(|(features, (importance, tokens))| Piece {
            features,
            tokens: tokens / importance,
            importance,
        })
        .collect();
    pieces.sort_by(|one, other| one.features.cmp(&other.features));
    pieces
}

/// Calls `each(features, start, end)` for every piece of a text.
pub(crate) fn each_piece(text: &str, mut each: impl FnMut(&[Features], usize, usize)) {
    let mut features: Vec<Features> = Vec::new();
    let mut start = 0;
    let mut places = text.char_indices().map(|(place, _)| place);
    state_machine::scan(text, |step: Step| {
        let place = places.next().unwrap_or_default();
        if step.begins {
            // The last space of a run belongs to the piece that follows.
            let lead =
                text[..place].strip_suffix(' ').is_some_and(|before| before.ends_with([' ', '\t']));
            let border = place - usize::from(lead);
            each(&features, start, border);
            features.clear();
            start = border;
        }
        features.push([step.slot as u16, step.short as u16, step.long as u16]);
    });
    if !features.is_empty() {
        each(&features, start, text.len());
    }
}
