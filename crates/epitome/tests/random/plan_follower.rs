//! Whoever is told of plans by what changes from one to the next.

use epitome::{Columns, Compactor, Plan};

/// Action and tokens of every message, as far as it was told.
#[derive(Default)]
pub(crate) struct Follower {
    columns: Columns,
    rows: Vec<[u32; 3]>,
}

impl Follower {
    /// Checks that the next plan names exactly the messages of which it says something else than is known, and
    /// tells of those what it says itself.
    pub(crate) fn follow(&mut self, plan: &Plan, compactor: &Compactor) -> Result<(), String> {
        let scale = compactor.conversation().scale(compactor.policy());
        self.columns.update(plan, compactor.conversation(), &scale);
        let count = plan.actions.len();
        let told = |at: usize| {
            let (before, after) = plan.message_tokens(compactor.conversation(), at);
            [plan.actions[at] as u32, scale.to_provider(before), scale.to_provider(after)]
        };
        let changed: Vec<u32> = (0..count)
            .filter(|at| self.rows.get(*at) != Some(&told(*at)))
            .map(|at| u32::try_from(at).unwrap())
            .collect();
        if self.columns.changed() != changed {
            return Err(format!("changed is {changed:?}, named are {:?}", self.columns.changed()));
        }
        self.rows.resize(count, [0; 3]);
        for at in changed.iter().map(|at| *at as usize) {
            self.rows[at] = [0, 1, 2].map(|column| self.columns.numbers()[column * count + at]);
        }
        match (0..count).find(|at| self.rows[*at] != told(*at)) {
            Some(at) => Err(format!("of message {at}: {:?}, not {:?}", self.rows[at], told(at))),
            None => Ok(()),
        }
    }
}
