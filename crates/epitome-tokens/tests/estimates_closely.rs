//! Estimates are near the exact counts of recorded conversations, which they were not fitted to.
#![expect(clippy::disallowed_methods, reason = "tests read files")]
#![allow(dead_code, reason = "the other tests need more of the reference")]

#[cfg(test)]
mod recordings;
#[cfg(test)]
mod reference;

use epitome::tokens::Tokenizer;
use epitome_tokens::{BytePairs, Estimate, Family};

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// `most` is the largest mean error of a message.
fn check(estimate: Estimate, exact: &BytePairs, most: f64) {
    let (mut kinds, mut conversations) = (Vec::new(), Vec::new());
    for recorded in recordings::read() {
        let mut errors = Vec::new();
        for conversation in recorded {
            let (mut sum, mut estimated) = (0.0, 0.0);
            for text in conversation {
                let (count, estimated_count) =
                    (f64::from(exact.count(&text)), f64::from(estimate.count(&text)));
                sum += count;
                estimated += estimated_count;
                if count >= 20.0 {
                    errors.push((estimated_count / count - 1.0).abs());
                }
            }
            conversations.push(estimated / sum - 1.0);
        }
        kinds.push(mean(&errors));
    }
    assert!(mean(&kinds) <= most, "{estimate:?}, a message: {:.3}", mean(&kinds));
    assert!(mean(&conversations).abs() <= 0.02, "{estimate:?}: {:.3}", mean(&conversations));
    let mut errors: Vec<f64> = conversations.iter().map(|error| error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    let p99 = errors.get(errors.len() * 99 / 100).copied().unwrap_or_default();
    assert!(p99 <= estimate.error_band(), "{estimate:?}: 99 % of conversations within {p99:.3}");
}

#[test]
fn messages_and_conversations_are_estimated_within_the_stated_band() {
    for (name, exact) in reference::encodings() {
        if *name == "o200k_base" {
            check(Estimate(Family::O200kBase), exact, 0.045);
        } else {
            check(Estimate(Family::Cl100kBase), exact, 0.06);
        }
    }
}
