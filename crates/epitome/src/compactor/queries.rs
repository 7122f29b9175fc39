//! What a compactor can be asked without changing it: the view, how full the window is, a plan.

use super::snapshot::Condition;
use super::{Compactor, Report, Snapshot, State};
use crate::conversation::{Conversation, Level, Pressure};
use crate::history::{Log, View};
use crate::message::{Entry, MessageId};
use crate::plan::{Plan, Scope};
use crate::policy::{Policy, Reason};
use crate::transcript::whole_entry;

impl Compactor {
    /// What the model sees, repaired so that a provider of this contract accepts it, also before the first compaction.
    /// Costs O(n log n) in it. [`View::as_appended`] gives the messages as they are.
    pub fn view(&self) -> View {
        self.conversation.view()
    }

    /// True if the model does not get a message any more: a summary has replaced it, or it was removed. The log still
    /// has it. False for an unknown id. Linear in the messages that stay in front of a summary or behind it.
    pub fn is_compacted(&self, id: &MessageId) -> bool {
        let position = self.log().position(id);
        position.is_some_and(|position| self.conversation.projection().is_compacted(position))
    }

    /// The ids of these messages, in order. Linear in them.
    pub fn compacted(&self) -> impl Iterator<Item = &MessageId> {
        let positions = self.conversation.projection().compacted();
        positions.filter_map(|position| self.log().message(position)).map(|message| &message.id)
    }

    /// What the summarizer noted for itself with the active summary; empty if there is none. An app that stores the view
    /// stores it too, for [`set_returned_notes`](Self::set_returned_notes).
    pub fn summarizer_notes(&self) -> &str {
        let cover = self.conversation.projection().cover.as_ref();
        cover.map_or("", |cover| cover.summarizer_notes.as_str())
    }

    /// A message as text that can be searched: without reasoning and encoded data, with calls and results. `None` if there
    /// is no such position. Linear in it.
    pub fn searchable(&self, position: usize) -> Option<Entry> {
        let message = self.log().message(position)?;
        Some(whole_entry(u32::try_from(position).unwrap_or(u32::MAX), message))
    }

    /// The revision of the view, for [`Usage::epoch`](crate::message::Usage::epoch): it changes when a checkpoint
    /// is committed or undone, or a message is edited.
    pub fn epoch(&self) -> u32 {
        self.conversation.epoch()
    }

    /// How full the window is. Costs O(1).
    pub fn pressure(&self) -> Pressure {
        self.pressure_under(&self.policy)
    }

    /// How full the window would be with another policy. Before a switch to a model with a smaller window, this
    /// says whether to compact first, with the model whose window still has everything. Costs O(1).
    pub fn pressure_under(&self, policy: &Policy) -> Pressure {
        let scale = self.conversation.scale(policy);
        let (tokens, reported) = self.conversation.tokens(policy);
        let counted = reported || self.conversation.meter().error_band() <= 0.0;
        let exact = counted && self.conversation.hidden_tokens() == 0;
        let load = self.conversation.load(policy);
        let warned = policy.warning_tokens().is_some_and(|warning| tokens >= warning);
        let mut conditions = policy.reducers.iter().filter_map(|rule| rule.when.as_ref());
        let level = if policy.is_due(&load) {
            Level::Compact
        } else if warned
            || conditions.any(|when| {
                when.threshold(policy.window).is_some() && when.is_met(&load, policy.window)
            })
        {
            Level::Warn
        } else {
            Level::Ok
        };
        let fill = f64::from(tokens) / f64::from(policy.window);
        Pressure {
            tokens,
            window: policy.window,
            fill,
            budget_used_pct: fill * 100.0,
            level,
            threshold: policy.threshold(),
            target: policy.target_tokens(),
            exact,
            error_band: if exact { 0.0 } else { self.conversation.error_band(policy) },
            floor: scale.prompt_tokens(self.conversation.protected().sum()),
            breakdown: self.conversation.breakdown(&scale),
        }
    }

    /// What a compaction would do now.
    pub fn plan(&self, reason: Reason) -> Plan {
        Plan::new(&self.conversation, &self.policy, reason)
    }

    /// What a compaction would do now for which somebody has chosen what it may replace.
    pub fn plan_within(&self, reason: Reason, scope: &Scope) -> Plan {
        Plan::within(&self.conversation, &self.policy, reason, scope)
    }

    /// What the latest compaction did.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// The number of the session, from 1: every committed summary begins another. Linear in the records.
    pub fn session(&self) -> u32 {
        let begun = u32::try_from(self.log().summaries_committed());
        begun.unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The whole state, to restore later, except a compaction that is running. Linear in the log.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.policy.clone(), self.log().records().to_vec(), self.condition())
    }

    /// The compactor's own state. While a compaction or an undo is being stored, it is the state behind that.
    pub(super) fn condition(&self) -> Condition {
        let mut usage = self.conversation.usage_state();
        if matches!(self.state, State::Committing { .. }) {
            usage.begin_epoch();
        }
        let paused = match &self.state {
            State::Paused { reason } => Some(reason.clone()),
            _ => None,
        };
        let cycle = self.cycle.clone();
        let next_request = self.next_request;
        let preparations = self.preparations.state();
        let agents = self.agent_conditions();
        Condition { cycle, paused, usage, next_request, preparations, agents }
    }

    /// The log.
    pub fn log(&self) -> &Log {
        self.conversation.log()
    }

    /// The log with its token counts.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The present policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// True while a compaction is running or a record is being stored.
    pub fn is_busy(&self) -> bool {
        !matches!(self.state, State::Idle | State::Paused { .. })
    }

    pub(super) fn percent(&self, tokens: u32) -> f64 {
        f64::from(tokens) * 100.0 / f64::from(self.policy.window)
    }
}
