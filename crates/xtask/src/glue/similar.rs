//! An order of a module's functions in which those that are alike stand next to each other. Brotli and gzip write what has occurred
//! before as a distance, and a short one takes fewer bits: 3.5 % of the engine in brotli.

use std::collections::{HashMap, VecDeque};

use wasm_encoder::{NameMap, NameSection, Section as _};
use wasmparser::{Parser, Payload, TypeRef};

use crate::failure::{Failure, Result};

/// So many functions stay in front: they are called most, and the numbers below 128 take one byte. More of them cost more than
/// their numbers save.
const CALLED_MOST: usize = 40;

/// Functions are alike if they share many pieces of so many bytes.
const PIECE: usize = 5;

/// A piece in more functions tells none of them apart.
const MOST_PLACES: usize = 400;

/// The next function is the one that shares most with so many before it.
const RECENT: usize = 8;

/// The module with names for its functions. Sorted by these names, those that are alike stand next to each other. Quadratic in the
/// number of functions.
pub(super) fn named_by_likeness(module: &[u8]) -> Result<Vec<u8>> {
    let (mut imported, mut bodies) = (0, Vec::new());
    let unreadable = |error| Failure::new(format!("the module cannot be read: {error}"));
    for payload in Parser::new(0).parse_all(module) {
        match payload.map_err(unreadable)? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let is_function = matches!(import.map_err(unreadable)?.ty, TypeRef::Func(_));
                    imported += u32::from(is_function);
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes()),
            _ => {}
        }
    }
    let mut ranks: Vec<(usize, usize)> =
        order(&bodies).into_iter().enumerate().map(|(rank, function)| (function, rank)).collect();
    ranks.sort_unstable();
    let mut functions = NameMap::new();
    for (number, (_, rank)) in (imported..).zip(ranks) {
        functions.append(number, &format!("{rank:08}"));
    }
    let mut names = NameSection::new();
    names.functions(&functions);
    let mut named = module.to_vec();
    names.append_to(&mut named);
    Ok(named)
}

/// The functions in their new order.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..bodies.len().min(CALLED_MOST)).collect();
    let mut likeness = Likeness::of(bodies);
    while let Some(next) = likeness.next() {
        likeness.place(next);
        order.push(next);
    }
    order
}

/// How much each function has in common with those that were placed last.
struct Likeness {
    /// For each function its pieces that others have too, each once.
    pieces: Vec<Vec<usize>>,
    /// For each piece the functions that have it.
    places: Vec<Vec<usize>>,
    /// The functions that are not placed yet, each with its length.
    left: Vec<(usize, usize)>,
    recent: VecDeque<usize>,
    /// For each piece how many of the recent functions have it.
    seen: Vec<usize>,
    /// For each function how many of its pieces the recent ones have.
    shared: Vec<usize>,
}

impl Likeness {
    fn of(bodies: &[&[u8]]) -> Self {
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        let (mut pieces, mut places) = (Vec::new(), Vec::<Vec<usize>>::new());
        for (function, body) in bodies.iter().enumerate() {
            let mut own: Vec<usize> = Vec::new();
            if function >= CALLED_MOST {
                for piece in body.windows(PIECE) {
                    let next = known.len();
                    own.push(*known.entry(piece).or_insert(next));
                }
                own.sort_unstable();
                own.dedup();
                places.resize(known.len(), Vec::new());
            }
            for piece in &own {
                places.get_mut(*piece).into_iter().for_each(|functions| functions.push(function));
            }
            pieces.push(own);
        }
        let tells = |piece: &usize| {
            places.get(*piece).is_some_and(|places| (2..=MOST_PLACES).contains(&places.len()))
        };
        pieces.iter_mut().for_each(|own| own.retain(tells));
        let left = bodies.iter().map(|body| body.len()).enumerate().skip(CALLED_MOST).collect();
        let (seen, shared) = (vec![0; places.len()], vec![0; bodies.len()]);
        Self { pieces, places, left, recent: VecDeque::new(), seen, shared }
    }

    /// The function that has most in common with the recent ones for its length, and the first of several.
    fn next(&self) -> Option<usize> {
        let shared = |function: usize| self.shared.get(function).copied().unwrap_or_default();
        let mut best: Option<(usize, usize, usize)> = None;
        for (function, length) in &self.left {
            let own = shared(*function);
            // A fraction is compared without dividing, so that every machine finds the same order.
            if best.is_none_or(|(_, most, of)| own * of > most * (length + 1)) {
                best = Some((*function, own, length + 1));
            }
        }
        best.map(|(function, ..)| function)
    }

    fn place(&mut self, function: usize) {
        self.left.retain(|(other, _)| *other != function);
        self.recent.push_back(function);
        self.count(function, true);
        if self.recent.len() > RECENT
            && let Some(old) = self.recent.pop_front()
        {
            self.count(old, false);
        }
    }

    /// Counts the pieces of a function that is recent now, or is not any more.
    fn count(&mut self, function: usize, is_recent: bool) {
        for piece in self.pieces.get(function).into_iter().flatten() {
            let Some(seen) = self.seen.get_mut(*piece) else { continue };
            let (before, after) = (*seen, if is_recent { *seen + 1 } else { *seen - 1 });
            *seen = after;
            if before != 0 && after != 0 {
                continue;
            }
            for other in self.places.get(*piece).into_iter().flatten() {
                if let Some(shared) = self.shared.get_mut(*other) {
                    *shared = if is_recent { *shared + 1 } else { *shared - 1 };
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_are_alike_stand_next_to_each_other_behind_those_that_are_called_most() {
        let [first, second] =
            [b"the first kind of function", b"another, quite different one".as_slice()]
                .map(<[u8]>::to_vec);
        let kinds = [first, second];
        let bodies: Vec<Vec<u8>> = (0..CALLED_MOST as u8 + 20)
            .map(|number| {
                let mut body = kinds[usize::from(number) % 2].clone();
                body.extend([number, 255 - number]);
                body
            })
            .collect();
        let bodies: Vec<&[u8]> = bodies.iter().map(Vec::as_slice).collect();
        let order = order(&bodies);
        assert!(order.iter().take(CALLED_MOST).copied().eq(0..CALLED_MOST));
        let kinds: Vec<usize> =
            order.iter().skip(CALLED_MOST).map(|function| function % 2).collect();
        assert_eq!(kinds, [[0; 10], [1; 10]].concat());
        let mut all = order;
        all.sort_unstable();
        assert!(all.into_iter().eq(0..bodies.len()));
    }

    #[test]
    fn a_module_that_cannot_be_read_is_refused() {
        let error = named_by_likeness(b"no module").unwrap_err();
        assert!(error.to_string().starts_with("the module cannot be read: "), "{error}");
    }
}
