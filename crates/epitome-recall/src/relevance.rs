//! How well each unit fits to weighted terms: by its own words, and by those that stand near it.

use std::collections::BTreeMap;

use crate::index::Index;
use crate::portable::decay;
use crate::postings::Postings;
use crate::terms::TermId;

/// The usual parameters of BM25: how soon a repeated term adds nothing, and how much a long unit counts less.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// The same saturation for terms near a unit, of which there are more.
const NEAR_SATURATION: f32 = 3.0;
/// How far the neighbourhood of a unit reaches, in terms: the sentences around it, and what a talk is about for a while.
const REACHES: [f32; 2] = [30.0, 200.0];
/// What a term in a neighbourhood is worth, compared with one in the unit.
const NEAR_SHARE: f32 = 0.5;
/// Terms that each unit is long besides its own, so that interjections have a length too.
const GAP: f32 = 2.0;
/// What is less than this is no longer near.
const LEAST: f32 = 0.02;

/// The scores of all units.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relevance {
    /// By the terms in it and near it.
    pub(crate) units: Vec<f32>,
    /// By the terms in the wide neighbourhood only.
    pub(crate) regions: Vec<f32>,
}

/// Scores all units. Costs O(units + occurrences of the terms and what is near them).
pub(crate) fn relevance(index: &Index, terms: &BTreeMap<TermId, f32>) -> Relevance {
    let count = index.units.len();
    let average = (index.length as f32 / count.max(1) as f32).max(1.0);
    let mut units = vec![0.0_f32; count];
    let mut regions = units.clone();
    let mut spreads = REACHES.map(|reach| Spread::new(index, reach));
    for (term, weight) in terms {
        let Some(postings) = index.postings.get(term) else { continue };
        let weight = index.rarity(*term) * weight;
        for (unit, often) in postings.iter() {
            let at = unit as usize;
            if let (Some(score), Some(unit)) = (units.get_mut(at), index.units.get(at)) {
                let length = 1.0 - LENGTH + LENGTH * unit.length as f32 / average;
                *score += weight * saturated(often as f32, SATURATION * length, SATURATION);
            }
        }
        for (at, spread) in spreads.iter_mut().enumerate() {
            spread.each(postings, |unit, often| {
                let value = weight * saturated(often, NEAR_SATURATION, NEAR_SATURATION);
                if let Some(score) = units.get_mut(unit) {
                    *score += NEAR_SHARE * value;
                }
                if let Some(score) = regions.get_mut(unit).filter(|_| at + 1 == REACHES.len()) {
                    *score += value;
                }
            });
        }
    }
    Relevance { units, regions }
}

fn saturated(often: f32, half: f32, most: f32) -> f32 {
    often * (most + 1.0) / (often + half)
}

/// Spreads the occurrences of a term over the units around it.
struct Spread {
    /// What is left of an occurrence in the unit before, for each unit.
    factors: Vec<f32>,
    near: Vec<f32>,
    touched: Vec<usize>,
}

impl Spread {
    fn new(index: &Index, reach: f32) -> Self {
        let mut before = 0.0;
        let factors = index.units.iter().map(|unit| {
            let half = (unit.length as f32 + GAP) / 2.0;
            let distance = std::mem::replace(&mut before, half) + half;
            decay(distance / reach)
        });
        Self { factors: factors.collect(), near: vec![0.0; index.units.len()], touched: Vec::new() }
    }

    /// Calls `each` for all units that are near an occurrence, with how much of the term is there.
    fn each(&mut self, postings: &Postings, mut each: impl FnMut(usize, f32)) {
        let found: Vec<(usize, f32)> =
            postings.iter().map(|(unit, often)| (unit as usize, often as f32)).collect();
        let mut next = found.iter().copied().peekable();
        while let Some((start, often)) = next.next() {
            let (mut at, mut sum) = (start, often);
            self.add(at, often);
            // Until the term is no longer near, or occurs again.
            while let Some(factor) = self.factors.get(at + 1) {
                at += 1;
                sum *= factor;
                if let Some((_, again)) = next.next_if(|(unit, _)| *unit == at) {
                    sum += again;
                } else if sum < LEAST {
                    break;
                }
                self.add(at, sum);
            }
        }
        let mut next = found.iter().rev().copied().peekable();
        while let Some((start, often)) = next.next() {
            let (mut at, mut sum) = (start, often);
            while let Some(factor) = self.factors.get(at).filter(|_| at > 0) {
                at -= 1;
                sum *= factor;
                self.add(at, sum);
                if let Some((_, again)) = next.next_if(|(unit, _)| *unit == at) {
                    sum += again;
                } else if sum < LEAST {
                    break;
                }
            }
        }
        for unit in self.touched.drain(..) {
            if let Some(near) = self.near.get_mut(unit) {
                each(unit, std::mem::take(near));
            }
        }
    }

    fn add(&mut self, unit: usize, value: f32) {
        if let Some(near) = self.near.get_mut(unit) {
            if *near == 0.0 {
                self.touched.push(unit);
            }
            *near += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::indexed;
    use crate::terms::Terms;

    #[test]
    fn l5_a_rare_word_costs_no_more_in_a_long_conversation() {
        let near = |messages: usize| {
            let mut said = vec![("user", "The beds are dry and the roses want water."); messages];
            said[messages / 2] = ("user", "Zephyrine came.");
            let index = indexed(&said);
            let mut term = None;
            Terms::default().for_each("Zephyrine", |found| term = Some(found));
            let postings = &index.postings[&term.unwrap()];
            let mut visited = 0;
            Spread::new(&index, REACHES[1]).each(postings, |_, _| visited += 1);
            visited
        };
        assert_eq!(near(2_000), near(8_000));
    }
}
