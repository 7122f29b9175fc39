//! A question: its terms, whom it names, and the messages that fit to it.

use std::collections::BTreeMap;

use crate::cut::cut;
use crate::index::Index;
use crate::relevance::{Relevance, relevance};
use crate::terms::{TermId, Terms};

/// How much more a message of a speaker counts whom the question names.
const NAMED: f32 = 0.5;
/// The units whose terms are added to the question, how many terms that are, and what the best of them is worth compared
/// with a term of the question.
const FEEDBACK_UNITS: usize = 10;
const FEEDBACK_TERMS: usize = 10;
const FEEDBACK: f32 = 0.2;

/// A question and how well each message fits to it.
#[derive(Debug)]
pub struct Search {
    /// The terms of the question with their weights.
    pub(crate) terms: BTreeMap<TermId, f32>,
    /// Whether the question names the speaker.
    speakers: Vec<bool>,
    /// Whether the message is searched.
    searched: Vec<bool>,
    pub(crate) relevance: Relevance,
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
        let speakers = speakers.collect();
        // Where others say a speaker's name, they mostly address them. A question with nothing else is about the name.
        if terms.keys().any(|term| !names.contains(term)) {
            terms.retain(|term, _| !names.contains(term));
        }
        let searched = (0..self.messages.len()).map(is_searched).collect();
        let mut search = Search { terms, speakers, searched, relevance: Relevance::default() };
        search.rank(self);
        search
    }
}

impl Search {
    fn rank(&mut self, index: &Index) {
        let Relevance { mut units, mut regions } = relevance(index, &self.terms);
        let scores = units.iter_mut().zip(&mut regions);
        for (unit, (score, region)) in index.units.iter().zip(scores) {
            let at = unit.message as usize;
            let speaker = index.messages.get(at).map(|message| message.speaker as usize);
            let named = speaker.and_then(|speaker| self.speakers.get(speaker)).copied();
            if named.unwrap_or_default() {
                *score *= 1.0 + NAMED;
            }
            if !self.searched.get(at).copied().unwrap_or_default() {
                (*score, *region) = (0.0, 0.0);
            }
        }
        self.relevance = Relevance { units, regions };
    }

    /// The messages that fit at all, the best first. Costs O(n log n) in them.
    #[must_use]
    pub fn ranked(&self, index: &Index) -> Vec<usize> {
        let mut seen = vec![false; index.messages.len()];
        let mut ranked = Vec::new();
        for unit in best_first(&self.relevance.units) {
            let Some(unit) = index.units.get(unit) else { continue };
            let message = unit.message as usize;
            if let Some(seen) = seen.get_mut(message).filter(|seen| !**seen) {
                *seen = true;
                ranked.push(message);
            }
        }
        ranked
    }

    /// The messages whose texts [`Self::widen`] reads.
    #[must_use]
    pub fn wanted_to_widen(&self, index: &Index) -> Vec<usize> {
        let best = best_first(&self.relevance.units).into_iter().take(FEEDBACK_UNITS);
        messages_of(index, best)
    }

    /// Adds to the question what its best messages have in common and other messages do not. Each of them is read once.
    pub fn widen(&mut self, index: &Index, text: impl Fn(usize) -> String) {
        let mut reader = Terms::default();
        let mut found: BTreeMap<TermId, f32> = BTreeMap::new();
        let best = best_first(&self.relevance.units);
        let score = |unit: usize| self.relevance.units.get(unit).copied().unwrap_or_default();
        let top = best.first().map_or(1.0, |unit| score(*unit));
        for at in best.into_iter().take(FEEDBACK_UNITS) {
            let Some(message) = index.units.get(at).map(|unit| unit.message as usize) else {
                continue;
            };
            let Some(first) = index.messages.get(message).map(|message| message.first_unit) else {
                continue;
            };
            let text = text(message);
            let Some(unit) = cut(&text, &mut reader).into_iter().nth(at - first as usize) else {
                continue;
            };
            let mut terms: Vec<TermId> =
                unit.sentences.into_iter().flat_map(|sentence| sentence.terms).collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                *found.entry(term).or_default() += score(at) / top;
            }
        }
        let found = found.into_iter().filter(|(term, _)| !self.terms.contains_key(term));
        let mut found: Vec<(f32, TermId)> =
            found.map(|(term, share)| (share * index.rarity(term), term)).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let most = found.first().map_or(1.0, |(value, _)| *value);
        for (value, term) in found.into_iter().take(FEEDBACK_TERMS) {
            self.terms.insert(term, FEEDBACK * value / most);
        }
        self.rank(index);
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

/// The units with a score, the best first.
pub(crate) fn best_first(scores: &[f32]) -> Vec<usize> {
    let scored = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
    let mut best: Vec<(usize, f32)> = scored.map(|(at, score)| (at, *score)).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    best.into_iter().map(|(at, _)| at).collect()
}
