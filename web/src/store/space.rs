//! The space that kept conversations take in the browser, and what a deletion frees.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::keeping::{Keeping, files};
use crate::browser::{ask_to_persist, file_bytes, is_persisted, used_bytes};
use crate::number::bytes;

/// The space, as it was measured last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Space {
    /// What each conversation takes, in bytes, by its id.
    pub(crate) of: BTreeMap<String, f64>,
    /// What the page uses of its quota, and the quota, in bytes.
    pub(crate) used: Option<(f64, f64)>,
    /// Whether the browser deletes nothing when the disk fills up.
    pub(crate) is_persisted: bool,
}

impl Space {
    /// How much of the quota is used, in words.
    pub(crate) fn described(&self) -> Option<String> {
        let (used, quota) = self.used?;
        Some(format!("{} of {} are used.", bytes(used), bytes(quota)))
    }
}

impl Keeping {
    /// Measures the space of all kept conversations.
    pub(crate) fn measure(self) {
        spawn_local(async move {
            let mut space = Space {
                of: BTreeMap::new(),
                used: used_bytes().await,
                is_persisted: is_persisted().await,
            };
            for kept in self.list.get_untracked() {
                space.of.insert(kept.id.clone(), bytes_of(&kept.id).await);
            }
            self.space.set(Some(space));
        });
    }

    /// Asks the browser to keep the conversations also when the disk fills up.
    pub(crate) fn ask_to_persist(self) {
        spawn_local(async move {
            let words = match ask_to_persist().await {
                true => "The browser deletes nothing of it.",
                false => "The browser does not promise to keep it.",
            };
            self.said.set(words.to_owned());
            self.measure();
        });
    }
}

/// The bytes of the files of a conversation.
pub(super) async fn bytes_of(id: &str) -> f64 {
    let mut sum = 0.0;
    for name in files(id) {
        sum += file_bytes(&name).await;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_is_described_if_the_browser_says_how_much_there_is() {
        let space = Space { used: Some((12_340.0, 2e9)), ..Space::default() };
        assert_eq!(space.described().unwrap(), "12.3 kB of 2 GB are used.");
        assert_eq!(Space::default().described(), None);
    }
}
