//! Scores of several methods at several budgets as a table, with the paired difference to one of them.

use std::collections::BTreeMap;

use crate::baselines::mixed;

/// Scores by method and budget; of each, a list for every conversation.
#[derive(Default)]
pub(crate) struct Table {
    scores: BTreeMap<(usize, usize), Vec<Vec<f64>>>,
    methods: Vec<String>,
    budgets: Vec<String>,
}

/// How often conversations are drawn for an interval.
const DRAWS: u64 = 1_000;

impl Table {
    /// Adds the scores of one conversation.
    pub(crate) fn add(&mut self, method: &str, budget: &str, scores: Vec<f64>) {
        let place = |names: &mut Vec<String>, name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let key = (place(&mut self.methods, method), place(&mut self.budgets, budget));
        self.scores.entry(key).or_default().push(scores);
    }

    /// The names of the methods, in their order.
    pub(crate) fn methods(&self) -> &[String] {
        &self.methods
    }

    /// The mean of a method, which has its place among the methods, at a budget; `None` if it was not measured there.
    pub(crate) fn mean_of(&self, method: usize, budget: &str) -> Option<f64> {
        let budget = self.budgets.iter().position(|name| name == budget)?;
        self.scores.get(&(method, budget)).map(|scores| mean(scores.iter().flatten()))
    }

    /// Prints means, and in brackets the difference to `reference` with a 95 % interval over conversations.
    pub(crate) fn print(&self, title: &str, reference: &str) {
        println!(
            "\n## {title}\n| method | {} |\n|---|{}",
            self.budgets.join(" | "),
            "---|".repeat(self.budgets.len())
        );
        let reference = self.methods.iter().position(|method| method == reference);
        for (method, name) in self.methods.iter().enumerate() {
            print!("| {name} |");
            for budget in 0..self.budgets.len() {
                let Some(own) = self.scores.get(&(method, budget)) else {
                    print!(" – |");
                    continue;
                };
                print!(" {:.3}", mean(own.iter().flatten()));
                let other = reference
                    .filter(|at| *at != method)
                    .and_then(|at| self.scores.get(&(at, budget)));
                if let Some(other) = other {
                    let (low, high) = interval(own, other);
                    print!(" [{low:+.3}, {high:+.3}]");
                }
                print!(" |");
            }
            println!();
        }
    }
}

fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    sum / f64::max(count, 1.0)
}

/// The 95 % interval of the difference, by drawing whole conversations, or items if there are few of them.
fn interval(own: &[Vec<f64>], other: &[Vec<f64>]) -> (f64, f64) {
    let pairs = own
        .iter()
        .zip(other)
        .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>());
    let mut units: Vec<Vec<f64>> = pairs.collect();
    if units.len() < 3 {
        units = units.into_iter().flatten().map(|item| vec![item]).collect();
    }
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|draw| {
            let drawn = (0..units.len() as u64).map(|at| {
                let random = mixed(draw.wrapping_mul(1 << 24).wrapping_add(at));
                &units[(random % units.len() as u64) as usize]
            });
            mean(drawn.flatten())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means.get((share * DRAWS as f64) as usize).copied().unwrap_or(0.0);
    (at(0.025), at(0.975))
}
