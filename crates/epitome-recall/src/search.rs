//! A question: its terms, whom it names, and the messages that fit it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::cut::sentences;
use crate::index::Index;
use crate::relevance::Relevance;
use crate::terms::{TermId, Terms};
use crate::texts::Texts;

/// How much more a message counts if the question names its speaker.
const NAMED: f32 = 0.5;
/// How many units give terms to the question, how many terms that are, and the weight of the best one compared with a term
/// of the question.
const FEEDBACK_UNITS: usize = 10;
const FEEDBACK_TERMS: usize = 10;
const FEEDBACK: f32 = 0.2;

/// The weight of a unit's wide neighbourhood: quotes are to come from parts of the conversation that are about the question,
/// and not from single hits elsewhere.
const REGION: f32 = 2.0;

/// A question and how well each message fits it.
#[derive(Debug)]
pub struct Search {
    /// The terms of the question with their weights.
    pub(crate) terms: BTreeMap<TermId, f32>,
    /// The terms of the whole turn, if the question is only a part of it.
    turn: Option<BTreeMap<TermId, f32>>,
    relevance: Relevance,
    /// How much each unit counts: nothing if it is not searched, and more if the question names its speaker.
    shares: Vec<f32>,
    /// The units that [`Self::widen`] reads, with their scores.
    widening: Vec<(usize, f32)>,
    /// The units to quote, once they are asked for.
    quoted: RefCell<Option<BestFirst>>,
}

impl Index {
    /// Ranks the messages for which `is_searched` holds. Costs O(messages + occurrences of the question's words and what is
    /// near them).
    #[must_use]
    pub fn search(&self, question: &str, is_searched: impl Fn(usize) -> bool) -> Search {
        let mut reader = Terms::default();
        let mut terms = BTreeMap::new();
        reader.for_each(question, |term| {
            terms.insert(term, 1.0);
        });
        let mut names = Vec::new();
        let speakers = self.speakers.iter().map(|speaker| {
            // Behind the role.
            let name = speaker.split_once(' ').map_or("", |(_, name)| name);
            let before = names.len();
            reader.for_each(name, |term| names.push(term));
            names.get(before..).unwrap_or_default().iter().any(|name| terms.contains_key(name))
        });
        let speakers: Vec<bool> = speakers.collect();
        // Where others say a speaker's name, they mostly address them. A question with nothing else is about the name.
        if terms.keys().any(|term| !names.contains(term)) {
            terms.retain(|term, _| !names.contains(term));
        }
        let shares = self.units.iter().map(|unit| {
            let at = unit.message as usize;
            let speaker = self.messages.get(at).map(|message| message.speaker as usize);
            let named = speaker.and_then(|speaker| speakers.get(speaker)).copied();
            match is_searched(at) {
                false => 0.0,
                true if named.unwrap_or_default() => 1.0 + NAMED,
                true => 1.0,
            }
        });
        let shares = shares.collect();
        let mut relevance = Relevance::new(self);
        relevance.add(self, terms.iter().map(|(term, weight)| (*term, *weight)));
        let mut search = Search {
            terms,
            turn: None,
            relevance,
            shares,
            widening: Vec::new(),
            quoted: RefCell::default(),
        };
        search.widening = top(search.units(), FEEDBACK_UNITS);
        search
    }
}

impl Search {
    /// How well each unit fits.
    fn units(&self) -> impl Iterator<Item = f32> {
        self.relevance.units.iter().zip(&self.shares).map(|(score, share)| score * share)
    }

    /// How much a unit counts.
    pub(crate) fn share(&self, unit: usize) -> f32 {
        self.shares.get(unit).copied().unwrap_or_default()
    }

    /// Says that the question is only a part of a turn with this text. What holds for all turns is found by all of it.
    pub fn set_turn(&mut self, text: &str) {
        let mut terms = BTreeMap::new();
        Terms::default().for_each(text, |term| {
            terms.insert(term, 1.0);
        });
        self.turn = Some(terms);
    }

    /// The terms of the turn.
    pub(crate) fn turn(&self) -> &BTreeMap<TermId, f32> {
        self.turn.as_ref().unwrap_or(&self.terms)
    }

    /// How well each unit fits, or applies.
    fn units_and_lasting(&self, index: &Index) -> impl Iterator<Item = f32> {
        let mut scores: Vec<f32> = self.units().collect();
        let top = scores.iter().copied().fold(0.0, f32::max).max(f32::MIN_POSITIVE);
        for (unit, fit) in self.lasting_units(index) {
            if let Some(score) = scores.get_mut(unit) {
                *score = score.max(fit * top);
            }
        }
        scores.into_iter()
    }

    /// The units to quote, the best first, each with its score: how well it fits, and what is said around it. Costs O(units) when
    /// it is called first, and then O(log units) for each that was not taken before.
    pub(crate) fn quoted(&self) -> impl Iterator<Item = (usize, f32)> {
        let scores = || {
            let both = self.units().zip(&self.relevance.regions);
            both.map(|(unit, around)| if unit > 0.0 { unit + REGION * around } else { 0.0 })
        };
        (0..).map_while(move |at| {
            let mut quoted = self.quoted.borrow_mut();
            quoted.get_or_insert_with(|| BestFirst::new(scores())).get(at)
        })
    }

    /// The messages that fit at all, the best first. Costs O(n log n) in them.
    #[must_use]
    pub fn ranked(&self, index: &Index) -> Vec<usize> {
        let mut seen = vec![false; index.messages.len()];
        let mut ranked = Vec::new();
        for (unit, _) in BestFirst::new(self.units_and_lasting(index)) {
            let Some(unit) = index.units.get(unit) else { continue };
            let message = unit.message as usize;
            if let Some(seen) = seen.get_mut(message).filter(|seen| !**seen) {
                *seen = true;
                ranked.push(message);
            }
        }
        ranked
    }

    /// The messages that fit best, at most `most`, each with how well it fits, from 0 to 1, which is the best one. Costs
    /// O(messages).
    #[must_use]
    pub fn best(&self, index: &Index, most: usize) -> Vec<(usize, f32)> {
        let mut units = BestFirst::new(self.units_and_lasting(index));
        let mut found: Vec<(usize, f32)> = Vec::new();
        while found.len() < most {
            let Some((unit, score)) = units.next() else { break };
            let Some(message) = index.units.get(unit).map(|unit| unit.message as usize) else {
                break;
            };
            if found.iter().all(|(known, _)| *known != message) {
                found.push((message, score));
            }
        }
        let top = found.first().map_or(1.0, |(_, score)| *score);
        found.iter_mut().for_each(|(_, score)| *score /= top);
        found
    }

    /// Replaces the ranking: only these messages fit, by these scores, which are above 0. Of the parts of a long message, those
    /// that fit the question's words fit better. Messages that are not searched do not fit.
    pub fn prefer(&mut self, index: &Index, scores: &BTreeMap<usize, f32>) {
        let own: Vec<f32> = self.units().collect();
        for (message, score) in scores {
            let from = index.messages.get(*message).map(|message| message.first_unit as usize);
            let until = index.messages.get(message + 1).map(|message| message.first_unit as usize);
            let Some(from) = from else { continue };
            let units = from..until.unwrap_or(own.len());
            let own = own.get(units.clone()).unwrap_or_default();
            let most = own.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
            for (unit, own) in units.zip(own) {
                if let Some(preferred) = self.relevance.units.get_mut(unit) {
                    *preferred = score * (1.0 + own / most);
                }
            }
        }
        for (unit, share) in index.units.iter().zip(&mut self.shares) {
            let is_preferred = scores.contains_key(&(unit.message as usize));
            *share = if is_preferred && *share > 0.0 { 1.0 } else { 0.0 };
        }
        self.relevance.regions.fill(0.0);
        self.quoted.take();
    }

    /// The messages whose texts [`Self::widen`] reads.
    #[must_use]
    pub fn wanted_to_widen(&self, index: &Index) -> Vec<usize> {
        messages_of(index, self.widening.iter().map(|(unit, _)| *unit))
    }

    /// Adds to the question what its best messages have in common and other messages do not. Each of them is read once. Only the
    /// first call does something.
    pub fn widen(&mut self, index: &Index, text: impl Fn(usize) -> String) {
        let mut reader = Terms::default();
        let mut found: BTreeMap<TermId, f32> = BTreeMap::new();
        let mut texts = Texts::new(text);
        let best = std::mem::take(&mut self.widening);
        let top = best.first().map_or(1.0, |(_, score)| *score);
        for (at, score) in best {
            let Some((message, part)) = index.part(at) else { continue };
            let mut terms: Vec<TermId> = sentences(texts.of(message, part), &mut reader)
                .into_iter()
                .flat_map(|sentence| sentence.terms)
                .collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                *found.entry(term).or_default() += score / top;
            }
        }
        let found = found.into_iter().filter(|(term, _)| !self.terms.contains_key(term));
        let mut found: Vec<(f32, TermId)> =
            found.map(|(term, share)| (share * index.rarity(term), term)).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = found.first().map_or(1.0, |(value, _)| *value);
        found.truncate(FEEDBACK_TERMS);
        let added = found.into_iter().map(|(value, term)| (term, FEEDBACK * value / most));
        let added: Vec<(TermId, f32)> = added.collect();
        self.relevance.add(index, added.iter().copied());
        self.terms.extend(added);
        self.quoted.take();
    }
}

/// The messages of units, each once, in order.
pub(crate) fn messages_of(index: &Index, units: impl Iterator<Item = usize>) -> Vec<usize> {
    let messages = units.filter_map(|unit| index.units.get(unit));
    let mut messages: Vec<usize> = messages.map(|unit| unit.message as usize).collect();
    messages.sort_unstable();
    messages.dedup();
    messages
}

/// Units with a score above 0, the best first, each with its score. Sorts only as many as are taken: costs O(units) at first, and
/// O(log units) for each.
#[derive(Debug)]
struct BestFirst {
    left: BinaryHeap<u64>,
    taken: Vec<(usize, f32)>,
}

impl BestFirst {
    fn new(scores: impl Iterator<Item = f32>) -> Self {
        Self { left: ranks(scores).collect::<Vec<_>>().into(), taken: Vec::new() }
    }

    /// The one at this place. Those before it have been asked for already.
    fn get(&mut self, at: usize) -> Option<(usize, f32)> {
        if at >= self.taken.len() {
            let next = self.next()?;
            self.taken.push(next);
        }
        self.taken.get(at).copied()
    }
}

impl Iterator for BestFirst {
    type Item = (usize, f32);

    fn next(&mut self) -> Option<Self::Item> {
        self.left.pop().map(unit_of)
    }
}

/// The best units, at most `most`, as [`BestFirst`] gives them. Costs O(units), without memory for each.
fn top(scores: impl Iterator<Item = f32>, most: usize) -> Vec<(usize, f32)> {
    let mut best: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    for rank in ranks(scores) {
        if best.len() < most {
            best.push(Reverse(rank));
        } else if let Some(mut least) = best.peek_mut().filter(|least| least.0 < rank) {
            *least = Reverse(rank);
        }
    }
    best.into_sorted_vec().into_iter().map(|Reverse(rank)| unit_of(rank)).collect()
}

/// For each score above 0 a number with its unit, in the order of the scores, and of two that are equal the earlier unit above
/// the later one.
fn ranks(scores: impl Iterator<Item = f32>) -> impl Iterator<Item = u64> {
    // The bits of positive numbers are in their order.
    let scored = (0_u32..).zip(scores).filter(|(_, score)| *score > 0.0);
    scored.map(|(unit, score)| (u64::from(score.to_bits()) << 32) | u64::from(!unit))
}

/// The unit of a rank, and its score.
fn unit_of(rank: u64) -> (usize, f32) {
    (!(rank as u32) as usize, f32::from_bits((rank >> 32) as u32))
}
