//! What a receipt says of a team: which lines of a summary name nobody, and which messages are pinned.

use epitome_columns::SortedSet;

use super::Compactor;
use super::job::Job;
use crate::facts::{Receipt, attribute};
use crate::message::{Message, Role};

impl Compactor {
    /// Notes on the receipt which messages stay because they are pinned, or because they are system messages for this agent.
    pub(super) fn note_pinned(&self, receipt: &mut Receipt) {
        let fixed = self.conversation.index().fixed.iter();
        let fixed = fixed.filter_map(|at| self.log().message(*at));
        let of_agent = fixed.filter(|message| message.pinned || !message.audience.is_everyone());
        receipt.pinned = of_agent.map(|message| message.id.clone()).collect();
    }

    /// The summary with somebody named in each line, as far as it is known who wrote what the line says; the receipt lists the
    /// other lines, and those that begin with another name. A summary of messages of fewer than two authors stays as it is. Linear in the texts.
    pub(super) fn attributed(&self, job: &Job, summary: String, receipt: &mut Receipt) -> String {
        let covered = || self.log().messages().take(job.plan.tail_start);
        let mut names =
            SortedSet::from_iter(covered().filter_map(|message| message.author.as_deref()));
        // A shared summary has its authors already.
        if names.len() < 2 || job.is_shared {
            return summary;
        }
        let is_user = |message: &Message| message.role == Role::User && message.author.is_none();
        if covered().any(is_user) {
            names.insert(Role::User.as_str());
        }
        let entries = job.plan.entries(&self.conversation, &job.policy);
        let attributed = attribute(&summary, &names, &entries);
        receipt.unattributed = attributed.unattributed;
        attributed.text
    }
}
