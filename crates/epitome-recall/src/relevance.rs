//! How well each unit fits to weighted terms: by its own words, and by those that stand near it.

use crate::index::Index;
use crate::neighbourhood::{GAP, RADII};
use crate::postings::Postings;
use crate::terms::TermId;

/// The usual parameters of BM25: how soon a repeated term adds nothing, and how much a long unit counts less.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// The same saturation for terms near a unit, of which there are more.
const NEAR_SATURATION: f32 = 3.0;
/// What a term in a neighbourhood is worth, compared with one in the unit.
const NEAR_SHARE: f32 = 0.5;
/// A share of an occurrence below this counts as nothing.
const LEAST: f32 = 0.02;
/// The distance from an occurrence at which its share is below [`LEAST`], as a multiple of the radius.
const EXTENT: f32 = 6.0;
/// How many units the neighbourhoods of one search may visit. A million tokens have enough for all but the commonest words; in
/// more, only rarer words have neighbourhoods, so that a search takes no longer.
const MOST_VISITS: u64 = 2_000_000;

/// How many occurrences in units one search may count: enough for all words of a question in ten million tokens and more. In a
/// longer conversation, the commonest words of a long question, which tell messages apart least, do not count.
const MOST_OCCURRENCES: u64 = 2_000_000;

/// The scores of all units.
#[derive(Clone, Debug)]
pub(crate) struct Relevance {
    /// By the terms in it and near it.
    pub(crate) units: Vec<f32>,
    /// By the terms in the wide neighbourhood only.
    pub(crate) regions: Vec<f32>,
    /// How often a term has to be in each unit to count half of what it can, which is more in a long one.
    halves: Vec<f32>,
    /// The terms of an average unit.
    average: f32,
    spread: Spread,
    /// How many occurrences may still be counted.
    occurrences: u64,
    /// How many units neighbourhoods may still visit.
    visits: u64,
}

impl Relevance {
    /// Nothing is relevant yet. Costs O(units).
    pub(crate) fn new(index: &Index) -> Self {
        let none = || vec![0.0; index.units.len()];
        let average = (index.length as f32 / index.units.len().max(1) as f32).max(1.0);
        let half = |length: u32| SATURATION * (1.0 - LENGTH + LENGTH * length as f32 / average);
        Self {
            units: none(),
            regions: none(),
            halves: index.units.iter().map(|unit| half(unit.length)).collect(),
            average,
            spread: Spread { near: none(), own: none(), behind: none(), touched: Vec::new() },
            occurrences: MOST_OCCURRENCES,
            visits: MOST_VISITS,
        }
    }

    /// Adds the scores of weighted terms, the rarest term first. Costs O(occurrences of the terms + units near them), of both at
    /// most [`MOST_OCCURRENCES`] and [`MOST_VISITS`] in one search.
    pub(crate) fn add(&mut self, index: &Index, terms: impl Iterator<Item = (TermId, f32)>) {
        let count = index.units.len();
        let found = terms.filter_map(|(term, weight)| {
            let postings = index.postings.get(&term)?;
            Some((postings.units(), term, index.rarity(term) * weight, postings))
        });
        let mut found: Vec<_> = found.collect();
        found.sort_unstable_by_key(|(units, term, ..)| (*units, *term));
        for (units, _, weight, postings) in found {
            let Some(left) = self.occurrences.checked_sub(u64::from(units)) else { break };
            self.occurrences = left;
            for (unit, often) in postings.iter() {
                let at = unit as usize;
                if let (Some(score), Some(half)) = (self.units.get_mut(at), self.halves.get(at)) {
                    *score += weight * saturated(often as f32, *half, SATURATION);
                }
            }
            let visits = visits(postings, count, self.average);
            let Some(left) = self.visits.checked_sub(visits) else { continue };
            self.visits = left;
            for (at, (factors, radius)) in index.near.iter().zip(RADII).enumerate() {
                let is_region = at + 1 == RADII.len();
                let add = |score: &mut f32, region: &mut f32, often: f32| {
                    let value = weight * saturated(often, NEAR_SATURATION, NEAR_SATURATION);
                    *score += NEAR_SHARE * value;
                    if is_region {
                        *region += value;
                    }
                };
                if around(postings, radius, self.average) < count as u64 / 2 {
                    self.spread.near(factors, postings, |unit, often| {
                        let score = self.units.get_mut(unit).zip(self.regions.get_mut(unit));
                        if let Some((score, region)) = score {
                            add(score, region, often);
                        }
                    });
                } else {
                    let all = self.spread.all(factors, postings);
                    let scores = self.units.iter_mut().zip(&mut self.regions);
                    for ((score, region), often) in scores.zip(all) {
                        add(score, region, std::mem::take(often));
                    }
                }
            }
        }
    }
}

/// The most units that are near a term: all of them, twice for each radius, or those around its occurrences.
fn visits(postings: &Postings, units: usize, average: f32) -> u64 {
    let near = |radius| around(postings, radius, average).min(units as u64) * 2;
    RADII.into_iter().map(near).sum()
}

/// How many units are at one side of an occurrence, within a radius, for all of them together.
fn around(postings: &Postings, radius: f32, average: f32) -> u64 {
    let side = (EXTENT * radius / (average + GAP)) as u64 + 1;
    u64::from(postings.units()) * side
}

fn saturated(often: f32, half: f32, most: f32) -> f32 {
    often * (most + 1.0) / (often + half)
}

/// Spreads the occurrences of a term over the units around it.
#[derive(Clone, Debug)]
struct Spread {
    /// What counts in each unit; nothing between two calls.
    near: Vec<f32>,
    /// How often the term occurs in each unit; nothing between two calls.
    own: Vec<f32>,
    /// What occurrences behind each unit count in it.
    behind: Vec<f32>,
    touched: Vec<usize>,
}

impl Spread {
    /// The share of the term that counts in each unit, which the caller sets to 0 again. `factors` are the shares that each unit
    /// passes on to the next. Costs O(units), less for each than [`Self::near`].
    fn all(&mut self, factors: &[f32], postings: &Postings) -> &mut [f32] {
        for (unit, often) in postings.iter() {
            if let Some(own) = self.own.get_mut(unit as usize) {
                *own = often as f32;
            }
        }
        // Each step waits for the one before, so both directions are taken in turns. Where the term occurs, it counts more than
        // the least: no branch asks for that.
        let at_least = |sum: f32| if sum < LEAST { 0.0 } else { sum };
        let (mut sum, mut back) = (0.0, 0.0);
        let forward = self.near.iter_mut().zip(&self.own).zip(factors);
        let backward = self.behind.iter_mut().zip(&self.own).zip(factors).rev();
        for (((near, own), factor), ((behind, own_behind), factor_behind)) in forward.zip(backward)
        {
            sum = at_least(sum * factor + own);
            *near = sum;
            *behind = back;
            back = at_least(back + own_behind) * factor_behind;
        }
        for (near, behind) in self.near.iter_mut().zip(&self.behind) {
            *near += behind;
        }
        self.own.fill(0.0);
        &mut self.near
    }

    /// The same as [`Self::all`], but only for the units that are near an occurrence: calls `each` with them and their shares.
    /// Costs O(units near an occurrence).
    fn near(&mut self, factors: &[f32], postings: &Postings, mut each: impl FnMut(usize, f32)) {
        let found: Vec<(usize, f32)> =
            postings.iter().map(|(unit, often)| (unit as usize, often as f32)).collect();
        let mut next = found.iter().copied().peekable();
        while let Some((start, often)) = next.next() {
            let (mut at, mut sum) = (start, often);
            self.add(at, often);
            // Until the term is no longer near, or occurs again.
            while let Some(factor) = factors.get(at + 1) {
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
            while let Some(factor) = factors.get(at).filter(|_| at > 0) {
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

    /// A conversation of so many messages, in one of which Zephyrine comes.
    fn long(messages: usize) -> Index {
        let mut said = vec![("user", "The beds are dry and the roses want water."); messages];
        said[messages / 2] = ("user", "Zephyrine came.");
        indexed(&said)
    }

    fn term(word: &str) -> TermId {
        let mut term = None;
        Terms::default().for_each(word, |found| term = Some(found));
        term.unwrap()
    }

    #[test]
    fn l5_a_rare_word_costs_no_more_in_a_long_conversation() {
        let near = |messages: usize| {
            let index = long(messages);
            let mut visited = 0;
            let mut relevance = Relevance::new(&index);
            let postings = &index.postings[&term("Zephyrine")];
            relevance.spread.near(&index.near[1], postings, |_, _| visited += 1);
            visited
        };
        assert_eq!(near(2_000), near(8_000));
    }

    #[test]
    fn all_units_have_the_same_shares_as_those_near_an_occurrence() {
        let index = long(500);
        for every in [1, 2, 7, 40, 400] {
            let mut postings = Postings::default();
            (3..500).step_by(every).for_each(|unit| postings.push(unit, 1 + unit % 3));
            let mut relevance = Relevance::new(&index);
            let spread = &mut relevance.spread;
            for factors in &index.near {
                let mut near = vec![0.0; 500];
                spread.near(factors, &postings, |unit, share| near[unit] = share);
                for _ in 0..2 {
                    let all: Vec<f32> =
                        spread.all(factors, &postings).iter_mut().map(std::mem::take).collect();
                    assert_eq!(all, near, "every {every}");
                }
            }
        }
    }

    #[test]
    fn l5_the_neighbourhoods_of_common_words_are_bounded() {
        let visited = |messages: usize| {
            let index = long(messages);
            let mut relevance = Relevance::new(&index);
            let words = ["beds", "dry", "roses", "water", "Zephyrine"];
            relevance.add(&index, words.into_iter().map(|word| (term(word), 1.0)));
            MOST_VISITS - relevance.visits
        };
        let few = visited(2_000);
        assert!((4 * few - few..=4 * few).contains(&visited(8_000)), "they grow at first");
        let messages = 150_000;
        let most = visited(messages);
        assert!(most > 0 && most <= MOST_VISITS && most < messages as u64 / 2_000 * few, "{most}");
    }

    #[test]
    fn l5_common_words_do_not_count_in_a_very_long_conversation() {
        let words = "alder beech birch cedar elder hazel holly larch linden maple olive poplar rowan spruce walnut willow";
        let (messages, rare) = (130_000, "Zephyrine came.");
        let mut said = vec![("user", words); messages];
        said[messages / 2] = ("user", rare);
        let index = indexed(&said);
        let mut relevance = Relevance::new(&index);
        let question = words.split(' ').chain(["Zephyrine"]);
        relevance.add(&index, question.map(|word| (term(word), 1.0)));
        let counted = MOST_OCCURRENCES - relevance.occurrences;
        assert_eq!(counted, 1 + 15 * (messages as u64 - 1), "one word of sixteen is too much");
        let best = relevance.units.iter().copied().fold(0.0, f32::max);
        assert_eq!(relevance.units[messages / 2], best);
    }
}
