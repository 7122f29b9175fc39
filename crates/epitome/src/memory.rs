//! The memory of a conversation: entries that the app or an agent adds, of which the older ones are blended into a summary.
//!
//! It has a cycle of its own beside the compactions: with 15 entries, the 10 oldest are blended with the summary of those before.

use serde::{Deserialize, Serialize};

/// What is remembered of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Memory {
    /// What the entries so far were blended into; empty at first.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub summary: String,
    /// The entries since then, oldest first, and all standing instructions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub entries: Vec<MemoryEntry>,
}

/// One entry of a [`Memory`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "tsify", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryEntry {
    /// What is remembered.
    pub text: String,
    /// True for a standing instruction, which stays word for word and is never blended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "tsify", tsify(optional))]
    pub standing: bool,
}

impl Memory {
    /// A memory without entries.
    pub(crate) const EMPTY: &Self = &Self { summary: String::new(), entries: Vec::new() };

    /// True if nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.summary.is_empty() && self.entries.is_empty()
    }

    /// The oldest entries, as many as `count`, if there are `at` or more. Standing instructions do not count.
    pub(crate) fn to_blend(&self, at: u32, count: u32) -> Option<Vec<&MemoryEntry>> {
        let entries: Vec<&MemoryEntry> =
            self.entries.iter().filter(|entry| !entry.standing).collect();
        let is_due = at > 0 && entries.len() >= usize::try_from(at).ok()?;
        let count = usize::try_from(count).ok()?;
        is_due.then(|| entries.into_iter().take(count).collect())
    }

    /// The memory with this summary in place of its summary and of these entries. Entries that were removed meanwhile stay
    /// removed, and those that came meanwhile stay.
    #[must_use]
    pub(crate) fn blended(&self, summary: &str, blended: &[MemoryEntry]) -> Self {
        let mut blended = blended.to_vec();
        let mut entries = self.entries.clone();
        entries.retain(|entry| {
            let at = blended.iter().position(|other| other == entry);
            at.is_none_or(|at| {
                blended.remove(at);
                false
            })
        });
        Self { summary: summary.to_owned(), entries }
    }

    /// The summary and below it the entries; empty if nothing is remembered.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        out.push_str("Remembered:");
        if !self.summary.is_empty() {
            out.push('\n');
            out.push_str(&self.summary);
        }
        for MemoryEntry { text, standing } in &self.entries {
            out.push_str(if *standing { "\n- Always: " } else { "\n- " });
            out.push_str(text);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> MemoryEntry {
        MemoryEntry { text: text.into(), standing: false }
    }

    #[test]
    fn e2_at_fifteen_entries_the_ten_oldest_are_blended_and_standing_instructions_are_not() {
        let mut memory = Memory::default();
        memory.entries.push(MemoryEntry { text: "be brief".into(), standing: true });
        memory.entries.extend((0..14).map(|number| entry(&format!("note {number}"))));
        assert_eq!(memory.to_blend(15, 10), None);
        memory.entries.push(entry("note 14"));
        let due: Vec<MemoryEntry> =
            memory.to_blend(15, 10).into_iter().flatten().cloned().collect();
        assert_eq!(due.first().map(|entry| entry.text.as_str()), Some("note 0"));
        assert_eq!(due.len(), 10);
        assert_eq!(memory.to_blend(0, 10), None, "0: never");
        // Meanwhile one of them is removed, and another one comes.
        memory.entries.retain(|entry| entry.text != "note 3");
        memory.entries.push(entry("note 15"));
        let after = memory.blended("They took notes.", &due);
        let texts: Vec<&str> = after.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(
            texts,
            ["be brief", "note 10", "note 11", "note 12", "note 13", "note 14", "note 15"]
        );
        assert_eq!(
            after.to_text().lines().take(3).collect::<Vec<_>>(),
            ["Remembered:", "They took notes.", "- Always: be brief"]
        );
    }
}
