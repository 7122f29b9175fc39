//! Leaves signed reasoning out of the view if its model accepts it only after unchanged messages and these have changed.
//!
//! A compaction, its undo, an edit, an insertion and a removal all change what the model sees before later messages. The
//! provider would then refuse a request with the reasoning of those messages. The reasoning returns to the view as soon as the
//! model again sees what it saw when it wrote the reasoning.

use super::Conversation;
use crate::contract::Thinking;
use crate::history::{
    Log, Projection, Record, Rewrite, Rewritten, exchange::exchange_of, without_signed_reasoning,
};
use crate::message::{Message, Part};
use crate::policy::{LockedReasoning, Policy};

/// For each message, a hash of what the model sees before it: its prefix.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefixes {
    /// False if the model accepts its reasoning after any messages, or if the provider drops reasoning that it does not
    /// accept. Then no hashes are computed.
    locked: bool,
    /// The hashes of the messages of the path, as they were appended.
    messages: Vec<Hash>,
    /// The hash of what the model sees before each message, and at the end the hash of all that it sees. The hash of a message
    /// that it does not see has no meaning.
    before: Vec<Hash>,
}

impl Conversation {
    /// Begins or ends to check prefixes, as the policy requires. Linear in all texts when it begins.
    pub(super) fn lock_reasoning_for(&mut self, policy: &Policy) {
        let thinking = self.contract.thinking(policy.model.as_deref());
        let locked = thinking == Thinking::LockedToPrefix
            && policy.locked_reasoning != LockedReasoning::Keep;
        if locked == self.prefixes.locked {
            return;
        }
        self.prefixes = Prefixes { locked, ..Prefixes::default() };
        self.project(0);
        // Of reasoning without a stored prefix it is not known what it was written after. It was accepted so far, so the
        // current messages are taken for its prefix.
        for position in 0..self.log.len() {
            if self.log.written_behind(position).is_none() {
                self.note_reasoning(position);
            }
        }
    }

    /// If prefixes are checked, stores the prefix of a message with signed reasoning: the hash of what the model sees before it.
    pub(super) fn note_reasoning(&mut self, position: usize) {
        let Some(prefix) = self.prefixes.before.get(position).copied() else { return };
        let message = self.log.message(position);
        let id = message.filter(|message| message.has_signed_reasoning()).map(|it| it.id.clone());
        if let Some(message) = id.filter(|_| self.prefixes.locked) {
            // This cannot fail, because the log has the message.
            let _ = self.log.append(Record::Reasoning { message, prefix: prefix.stored() });
        }
    }

    /// True if an edit of the message at a position may change which reasoning the model accepts: that of messages behind it,
    /// or its own, if the view is without that.
    pub(super) fn may_change_reasoning(&self, position: usize) -> bool {
        let signed = |at| self.index.note(at).is_some_and(|note| note.signed_reasoning);
        self.prefixes.locked
            && (self.projection.rewritten.contains_key(&position)
                || (position + 1..self.log.len()).any(signed))
    }

    /// Hashes a message that was appended or edited, and the prefixes of the messages after it, which have no reasoning. Linear
    /// in the message and in the number of messages after it.
    pub(super) fn hash_from(&mut self, position: usize) {
        let Self { log, prefixes, projection, .. } = self;
        let Some(message) = log.message(position).filter(|_| prefixes.locked) else { return };
        if let Some(slot) = prefixes.messages.get_mut(position) {
            *slot = Hash::of(message);
        }
        prefixes.hash_up_to(log, position + 1);
        prefixes.before.resize(log.len() + 1, Hash::default());
        for position in position..log.len() {
            let before = prefixes.before.get(position).copied().unwrap_or_default();
            let after = prefixes.seen_after(before, projection, position);
            if let Some(slot) = prefixes.before.get_mut(position + 1) {
                *slot = after;
            }
        }
    }

    /// The projection without reasoning whose prefix has changed. Linear in the number of messages, and in the texts of
    /// messages that are rewritten or not hashed yet.
    pub(super) fn without_refused_reasoning(&mut self, mut projection: Projection) -> Projection {
        if self.prefixes.locked {
            self.prefixes.hash_up_to(&self.log, self.log.len());
            self.prefixes.before = self.seen_before(&mut projection);
        }
        projection
    }

    /// Removes reasoning whose prefix in this projection has changed, and returns the prefix of each message. Linear in the
    /// number of messages and in the texts of rewritten ones.
    pub(super) fn seen_before(&self, projection: &mut Projection) -> Vec<Hash> {
        if !self.prefixes.locked {
            return Vec::new();
        }
        let exchanges = self.index.exchanges(&self.log);
        // Pinned messages stay word for word, with the exchange that they are in.
        let is_fixed = |position: usize| {
            exchange_of(&exchanges, position).is_some_and(|exchange| self.index.is_fixed(exchange))
        };
        let mut before = vec![Hash::default(); self.log.len() + 1];
        let mut seen = Hash::default();
        let cover = projection.cover.as_ref().map(|cover| Hash::default().text(&cover.framed()));
        let first = projection.before.clone();
        let rest = projection.after.clone().into_iter().chain(projection.covered..self.log.len());
        let (first, rest) = (first.into_iter().map(Some), rest.map(Some));
        for position in first.chain([None]).chain(rest) {
            let Some(position) = position else {
                seen = cover.map_or(seen, |cover| seen.then(cover));
                continue;
            };
            if let Some(slot) = before.get_mut(position) {
                *slot = seen;
            }
            let behind = self.log.written_behind(position);
            if behind.is_some_and(|behind| behind != seen.stored()) && !is_fixed(position) {
                remove_reasoning(&self.log, projection, position);
            }
            seen = self.prefixes.seen_after(seen, projection, position);
        }
        if let Some(end) = before.last_mut() {
            *end = seen;
        }
        before
    }
}

impl Prefixes {
    /// Forgets the messages from a position on.
    pub(super) fn truncate(&mut self, position: usize) {
        self.messages.truncate(position);
    }

    /// Forgets all messages, and goes on to check prefixes if it did.
    pub(super) fn clear(&mut self) {
        *self = Self { locked: self.locked, ..Self::default() };
    }

    /// Hashes this many messages from the start of the log, unless they are hashed already.
    fn hash_up_to(&mut self, log: &Log, messages: usize) {
        for position in self.messages.len()..messages {
            self.messages.extend(log.message(position).map(Hash::of));
        }
    }

    /// The hash of what the model has seen after the message at a position, given the hash before it.
    fn seen_after(&self, seen: Hash, projection: &Projection, position: usize) -> Hash {
        if projection.dropped.contains(&position) {
            return seen;
        }
        seen.then(match projection.rewritten.get(&position) {
            Some(rewritten) => Hash::of(&rewritten.message),
            None => self.messages.get(position).copied().unwrap_or_default(),
        })
    }
}

/// Removes the signed reasoning of one message, in addition to the changes that the projection already makes in it. An edit may
/// have left it without reasoning; then nothing changes.
fn remove_reasoning(log: &Log, projection: &mut Projection, position: usize) {
    let message = log.message(position).filter(|message| message.has_signed_reasoning());
    let Some(message) = message else { return };
    let known = projection.rewritten.get(&position);
    let changes = known.map_or(&[][..], |rewritten| &rewritten.rewrite.changes);
    let changes = without_signed_reasoning(message, changes);
    let rewrite = Rewrite { id: message.id.clone(), changes };
    let message = rewrite.apply(message);
    projection.rewritten.insert(position, Rewritten { rewrite, message });
}

/// A hash of messages in their order. It is stored with conversations, so that it may never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash(u64);

impl Default for Hash {
    /// The hash of no messages.
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// The hash of everything in a message that is sent to the provider.
    fn of(message: &Message) -> Self {
        let hash = Self::default().text(message.id.as_str()).text(message.role.as_str());
        message.parts.iter().fold(hash, |hash, part| match part {
            Part::Text { text } => hash.text("text").text(text),
            Part::Reasoning { text, signature } => {
                hash.text("reasoning").text(text).text(signature.as_deref().unwrap_or_default())
            }
            Part::ToolCall { call, name, arguments } => {
                hash.text("call").text(call.as_str()).text(name).text(arguments)
            }
            Part::ToolResult { call, text, .. } => {
                hash.text("result").text(call.as_str()).text(text)
            }
            Part::Approval { approval, .. } => hash.text("approval").text(approval),
            Part::Image(_) | Part::File(_) => hash.text("media"),
            Part::Other { kind, .. } => hash.text(kind),
        })
    }

    /// The hash with one more text: FNV-1a over its bytes and an end mark.
    fn text(self, text: &str) -> Self {
        text.bytes().chain([0xff]).fold(self, Self::byte)
    }

    /// The hash with one more message.
    fn then(self, message: Self) -> Self {
        message.0.to_le_bytes().into_iter().fold(self, Self::byte)
    }

    fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// The hash as it is stored: an integer that JavaScript reads without loss.
    fn stored(self) -> u64 {
        (self.0 ^ (self.0 >> 53)) & ((1 << 53) - 1)
    }
}
