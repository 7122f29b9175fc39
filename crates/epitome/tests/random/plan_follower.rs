//! Follows plans by the changed rows alone, as the JavaScript binding does.

use epitome::{Columns, Compactor, Plan};

/// The action and tokens of every message, from the changed rows of all plans so far.
#[derive(Default)]
pub(crate) struct Follower {
    columns: Columns,
    rows: Vec<[u32; 3]>,
}

impl Follower {
    /// Checks that the next plan lists exactly the messages whose rows have changed, with their new rows.
    pub(crate) fn follow(&mut self, plan: &Plan, compactor: &Compactor) -> Result<(), String> {
        let scale = compactor.conversation().scale(compactor.policy());
        self.columns.update(plan, compactor.conversation(), &scale);
        let count = plan.actions.len();
        let row = |at: usize| {
            let (before, after) = plan.message_tokens(compactor.conversation(), at);
            [plan.actions[at] as u32, scale.to_provider(before), scale.to_provider(after)]
        };
        let changed: Vec<u32> = (0..count)
            .filter(|at| self.rows.get(*at) != Some(&row(*at)))
            .map(|at| u32::try_from(at).unwrap())
            .collect();
        if self.columns.changed() != changed {
            return Err(format!(
                "changed are {changed:?}, listed are {:?}",
                self.columns.changed()
            ));
        }
        self.rows.resize(count, [0; 3]);
        for at in changed.iter().map(|at| *at as usize) {
            self.rows[at] = [0, 1, 2].map(|column| self.columns.numbers()[column * count + at]);
        }
        match (0..count).find(|at| self.rows[*at] != row(*at)) {
            Some(at) => Err(format!("of message {at}: {:?}, not {:?}", self.rows[at], row(at))),
            None => Ok(()),
        }
    }
}
