//! The weights while they are fitted: linear regression by conjugate gradients.

use crate::pieces::{Features, Piece};
use crate::state_machine::{LONG_GRAMS, SHORT_GRAMS, SLOTS};

/// Rounds. Each one decides again which pieces are one token already, so that their sum may have any value up to 1.
const ROUNDS: u32 = 6;
/// Units of the weight of a gram per token.
const PARTS: f32 = 16.0;
/// Steps of conjugate gradients in each round.
const STEPS: u32 = 14;
/// The start of the weights of each table, and the end of the last one.
const TABLES: [usize; 4] = [0, SLOTS, SLOTS + SHORT_GRAMS, SLOTS + SHORT_GRAMS + LONG_GRAMS];
const WEIGHTS: usize = TABLES[3];
/// Regularization: how strongly weights are drawn towards 0, as the importance of this many bytes.
const SLOT_DAMPING: f32 = 0.3;
const GRAM_DAMPING: f32 = 8.0;
/// Characters of a piece from which on it counts for less: such pieces are runs of one character.
const LONG: f64 = 48.0;

/// A weight for each slot and for each gram, in tokens.
pub(crate) struct Model {
    weights: Vec<f32>,
}

impl Model {
    /// Least squares over pieces, by their importance. The estimate of a piece is at least one token, so for a piece of
    /// one token every sum up to 1 is right.
    pub(crate) fn fitted(pieces: &[Piece]) -> Self {
        let mut model = Self { weights: vec![0.0; WEIGHTS] };
        let importances: Vec<f32> = pieces.iter().map(importance).collect();
        let pull = |index: usize| if index < SLOTS { SLOT_DAMPING } else { GRAM_DAMPING };
        let mut scale: Vec<f32> = (0..WEIGHTS).map(pull).collect();
        for (piece, importance) in pieces.iter().zip(&importances) {
            each(&piece.features, |index| scale[index] += importance);
        }
        for round in 0..ROUNDS {
            let active: Vec<f32> = pieces
                .iter()
                .zip(&importances)
                .map(|(piece, &importance)| {
                    let free = piece.tokens <= 1.0 && model.sum(&piece.features) < 1.0;
                    if free && round > 0 { 0.0 } else { importance }
                })
                .collect();
            let rest =
                |piece: &Piece, model: &Self| piece.tokens as f32 - model.sum(&piece.features);
            let mut slope: Vec<f32> = model
                .weights
                .iter()
                .enumerate()
                .map(|(index, weight)| -pull(index) * weight)
                .collect();
            for (piece, importance) in pieces.iter().zip(&active) {
                let rest = importance * rest(piece, &model);
                each(&piece.features, |index| slope[index] += rest);
            }
            let mut direction =
                Self { weights: slope.iter().zip(&scale).map(|(s, d)| s / d).collect() };
            let mut progress = dot(&slope, &direction.weights);
            for _ in 0..STEPS {
                let mut image: Vec<f32> = direction
                    .weights
                    .iter()
                    .enumerate()
                    .map(|(index, weight)| pull(index) * weight)
                    .collect();
                for (piece, &importance) in pieces.iter().zip(&active) {
                    if importance > 0.0 {
                        let sum = importance * direction.sum(&piece.features);
                        each(&piece.features, |index| image[index] += sum);
                    }
                }
                let length = progress / dot(&direction.weights, &image);
                add(&mut model.weights, length, &direction.weights);
                add(&mut slope, -length, &image);
                let scaled: Vec<f32> = slope.iter().zip(&scale).map(|(s, d)| s / d).collect();
                let next = dot(&slope, &scaled);
                let keep = (next / progress) as f32;
                progress = next;
                for (kept, new) in direction.weights.iter_mut().zip(&scaled) {
                    *kept = *kept * keep + new;
                }
            }
        }
        model
    }

    fn sum(&self, features: &[Features]) -> f32 {
        let mut sum = 0.0;
        each(features, |index| sum += self.weights[index]);
        sum
    }

    /// The file of weights: for each slot two bytes, in units of 1/1024 token, then for each gram one byte, in units of
    /// 1/16 token.
    // The weight of a rare gram rounds to 0. That keeps the compressed file small, and helps the estimate of other
    // texts.
    pub(crate) fn quantized(&self) -> Vec<u8> {
        let (slots, grams) = self.weights.split_at(SLOTS);
        let slots =
            slots.iter().flat_map(|weight| ((weight * 1024.0).round() as i16).to_le_bytes());
        let grams = grams.iter().map(|weight| (weight * PARTS).round() as i8 as u8);
        slots.chain(grams).collect()
    }
}

#[inline]
fn each(features: &[Features], mut each: impl FnMut(usize)) {
    for feature in features {
        for (&index, first) in feature.iter().zip(TABLES) {
            each(first + usize::from(index));
        }
    }
}

fn importance(piece: &Piece) -> f32 {
    (piece.importance * (LONG / piece.features.len() as f64).min(1.0)) as f32
}

fn dot(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
}

fn add(to: &mut [f32], times: f64, what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += (times * f64::from(*what)) as f32;
    }
}
