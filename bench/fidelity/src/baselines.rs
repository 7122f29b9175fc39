//! Simple ways to shorten a conversation, which a summary has to beat.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::tokens;
use crate::words::{sentences, terms, words};

/// How many sentences are chosen from at once.
const BLOCK: usize = 1_500;
/// The factor of the weight of a term for each chosen sentence that has it.
const DECAY: f64 = 0.35;
/// Tokens that every sentence costs besides its own, so that those of one or two words are not preferred.
const OVERHEAD: f64 = 3.0;

/// The last messages that fit, and the end of the one before them, by sentences.
pub(crate) fn tail(texts: &[String], budget: usize) -> String {
    let mut left = budget;
    let mut kept = Vec::new();
    'all: for text in texts.iter().rev() {
        for sentence in sentences(text).into_iter().rev() {
            let tokens = tokens::count(sentence);
            if tokens > left {
                break 'all;
            }
            left -= tokens;
            kept.push(sentence);
        }
    }
    kept.reverse();
    kept.join("\n")
}

/// The first sentence of messages, of as many of them as fit, evenly over the conversation.
pub(crate) fn lead(texts: &[String], budget: usize) -> String {
    let firsts = texts.iter().filter_map(|text| sentences(text).into_iter().next());
    let firsts: Vec<(&str, usize)> = firsts.map(|text| (text, tokens::count(text))).collect();
    let all: usize = firsts.iter().map(|(_, tokens)| tokens).sum();
    let (mut read, mut used) = (0, 0);
    let mut kept = Vec::new();
    for (text, tokens) in firsts {
        read += tokens;
        // The same share of what was read so far as of all texts.
        if used + tokens <= budget.min(read * budget / all.max(1)) {
            used += tokens;
            kept.push(text);
        }
    }
    kept.join("\n")
}

/// The first messages and the last ones, half of the budget each, by sentences.
pub(crate) fn head_and_tail(texts: &[String], budget: usize) -> String {
    let mut left = budget / 2;
    let mut head = Vec::new();
    for sentence in texts.iter().flat_map(|text| sentences(text)) {
        let tokens = tokens::count(sentence);
        if tokens > left {
            break;
        }
        left -= tokens;
        head.push(sentence);
    }
    format!("{}\n{}", head.join("\n"), tail(texts, budget - budget / 2))
}

/// Sentences at random, in their order.
pub(crate) fn random(texts: &[String], budget: usize, seed: u64) -> String {
    let all: Vec<&str> = texts.iter().flat_map(|text| sentences(text)).collect();
    let mut order: Vec<(u64, usize)> = (0..all.len())
        .map(|at| (mixed(seed.wrapping_mul(1 << 32).wrapping_add(at as u64)), at))
        .collect();
    order.sort_unstable();
    let mut left = budget;
    let mut kept = Vec::new();
    for (_, at) in order {
        let tokens = tokens::count(all[at]);
        if tokens <= left {
            left -= tokens;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| all[at]).collect::<Vec<_>>().join("\n")
}

/// A number that looks random (splitmix64).
pub(crate) fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Greedy coverage of terms for each token, in blocks of which each has a share of the budget.
pub(crate) fn cover(texts: &[String], budget: usize) -> String {
    let all: Vec<&str> = texts.iter().flat_map(|text| sentences(text)).collect();
    let counts: Vec<usize> = all.iter().map(|text| tokens::count(text).max(1)).collect();
    let total: usize = counts.iter().sum();
    let size = all.len().div_ceil(all.len().div_ceil(BLOCK).max(1)).max(1);
    let mut kept = Vec::new();
    for (texts, tokens) in all.chunks(size).zip(counts.chunks(size)) {
        let share = budget * tokens.iter().sum::<usize>() / total.max(1);
        kept.extend(cover_block(texts, tokens, share));
    }
    kept.join("\n")
}

fn cover_block<'a>(texts: &[&'a str], tokens: &[usize], budget: usize) -> Vec<&'a str> {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let (mut often, mut within) = (Vec::<f64>::new(), Vec::<f64>::new());
    let mut all: Vec<Vec<usize>> = Vec::new();
    for text in texts {
        let mut own = Vec::new();
        for term in terms(&words(text)) {
            let next = numbers.len();
            let number = *numbers.entry(term).or_insert(next);
            if number == often.len() {
                often.push(0.0);
                within.push(0.0);
            }
            often[number] += 1.0;
            own.push(number);
        }
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|number| within[*number] += 1.0);
        all.push(own);
    }
    let count = texts.len() as f64;
    let mut weights: Vec<f64> = often
        .iter()
        .zip(&within)
        .map(|(often, within)| (count / within).ln() * often.sqrt())
        .collect();
    let value = |at: usize, weights: &[f64]| {
        // The sum of nothing is a negative zero, whose bits are not in its order.
        all[at].iter().fold(0.0, |sum, term| sum + weights[*term]) / (tokens[at] as f64 + OVERHEAD)
    };
    let mut heap: BinaryHeap<(u64, Reverse<usize>)> =
        (0..all.len()).map(|at| (value(at, &weights).to_bits(), Reverse(at))).collect();
    let mut left = budget;
    let mut kept = Vec::new();
    while let Some((_, Reverse(at))) = heap.pop() {
        if tokens[at] > left {
            continue;
        }
        let now = value(at, &weights);
        if heap.peek().is_some_and(|(next, _)| now.to_bits() < *next) {
            heap.push((now.to_bits(), Reverse(at)));
            continue;
        }
        if now <= 0.0 {
            break;
        }
        left -= tokens[at];
        all[at].iter().for_each(|term| weights[*term] *= DECAY);
        kept.push(at);
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| texts[at]).collect()
}
