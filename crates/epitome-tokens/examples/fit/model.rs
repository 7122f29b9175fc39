//! The weights while they are fitted.

use crate::pieces::{Features, Piece};
use crate::state_machine::{LONG_GRAMS, SHORT_GRAMS, SLOTS};

/// How often it is decided anew which pieces are cheap whatever their sum.
const ROUNDS: u32 = 6;
/// Prices of grams are in so many parts of a token.
const PARTS: f32 = 16.0;
/// Steps of conjugate gradients in each round.
const STEPS: u32 = 14;
/// Where the weights of each table begin; the last is where all end.
const TABLES: [usize; 4] = [0, SLOTS, SLOTS + SHORT_GRAMS, SLOTS + SHORT_GRAMS + LONG_GRAMS];
const WEIGHTS: usize = TABLES[3];
/// How strongly weights are drawn to nothing, as the importance of so many bytes.
const SLOT_DAMPING: f32 = 0.3;
const GRAM_DAMPING: f32 = 8.0;
/// Longer pieces are runs of one character, and count for less.
const LONG: f64 = 48.0;

/// A weight for each slot and for each gram, in tokens.
pub(crate) struct Model {
    weights: Vec<f32>,
}

impl Model {
    /// Least squares over pieces, by their importance. A piece is at least one token, so for a piece that is one
    /// token every sum up to one is right.
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

    /// The file of weights: those of slots in two bytes each, in parts of 1,024, then those of both grams in
    /// one, in parts of 16. A coarse weight of a gram is nothing where little was learned about it, which
    /// keeps the file small and does the estimate of other texts good.
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
