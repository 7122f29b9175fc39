//! An agent that is not asked for gives back the memory of its messages, which the team has too, and reads them again later.

use super::user_requests::UserRequests;
use super::{Base, Conversation};
use crate::history::{LogError, Projection};
use crate::tokens::{Meter, MeterTokens};

impl Conversation {
    /// True if it can do without its messages for now: nothing is going on that counts them.
    pub(crate) fn can_rest(&self) -> bool {
        self.recount.is_none()
    }

    /// Forgets the messages and all that follows from them. What only the provider and the app have said stays: counts, what
    /// was learned from them, and the number of the view.
    pub(crate) fn rest(&mut self) {
        let mut meter = Meter::sharing(self.meter.tokenizer().clone());
        meter.apply_weights(self.meter.weights());
        self.meter = meter;
        self.log = self.log.without_records();
        self.index = self.index.without_messages();
        self.projection = Projection::default();
        self.prefixes.clear();
        self.base = Base::default();
        self.pinned_tokens = MeterTokens::ZERO;
        self.requests = UserRequests::default();
    }

    /// Reads again, up to a record of the team, what [`Self::rest`] has forgotten. Linear in that.
    pub(crate) fn read_again(
        &mut self,
        team: &Self,
        agent: &str,
        end: usize,
    ) -> Result<(), LogError> {
        let (epoch, reading, calibrations) = (self.epoch, self.reading, self.calibrations.clone());
        let resting = self.log.without_records();
        self.replay_of(team, agent, end)?;
        // It is the view that it was before. So the provider's counts are still about it, and nobody has to read it again.
        self.log.count_on_from(resting);
        (self.epoch, self.reading, self.calibrations) = (epoch, reading, calibrations);
        Ok(())
    }
}
