//! The space that kept conversations take in the browser, and what a deletion frees.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::keeping::Keeping;
use crate::browser::{ask_to_persist, storage_use};
use crate::language::t;
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
    /// The space, as the package says it.
    fn read(said: &Value) -> Self {
        let number = |object: &Value, name: &str| object.get(name).and_then(Value::as_f64);
        let conversations = said.get("conversations").and_then(Value::as_array);
        let of = |it: &Value| Some((it.get("id")?.as_str()?.to_owned(), number(it, "bytes")?));
        Self {
            of: conversations.into_iter().flatten().filter_map(of).collect(),
            used: number(said, "usedBytes").zip(number(said, "quotaBytes")),
            is_persisted: said.get("isPersisted").and_then(Value::as_bool) == Some(true),
        }
    }

    /// How much of the quota is used, in words.
    pub(crate) fn described(&self) -> Option<String> {
        let (used, quota) = self.used?;
        Some(t!("{used} of {quota} are used.", used = bytes(used), quota = bytes(quota)))
    }
}

impl Keeping {
    /// Measures the space of all kept conversations.
    pub(crate) fn measure(self) {
        spawn_local(async move {
            self.space.set(storage_use().await.as_ref().map(Space::read));
        });
    }

    /// Asks the browser to keep the conversations also when the disk fills up.
    pub(crate) fn ask_to_persist(self) {
        spawn_local(async move {
            let words = match ask_to_persist().await {
                true => t!("The browser deletes nothing of it."),
                false => t!("The browser does not promise to keep it."),
            };
            self.said.set(words.to_owned());
            self.measure();
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_space_is_read_as_the_package_says_it() {
        let said = json!({
            "usedBytes": 5.0,
            "quotaBytes": 10.0,
            "isPersisted": true,
            "conversations": [{ "id": "a", "sequence": 1, "bytes": 3.0 }],
        });
        let of = BTreeMap::from([("a".to_owned(), 3.0)]);
        let space = Space { of, used: Some((5.0, 10.0)), is_persisted: true };
        assert_eq!(Space::read(&said), space);
        assert_eq!(Space::read(&json!({})), Space::default());
    }

    #[test]
    fn the_space_is_described_if_the_browser_says_how_much_there_is() {
        let space = Space { used: Some((12_340.0, 2e9)), ..Space::default() };
        assert_eq!(space.described().unwrap(), "12.3 kB of 2 GB are used.");
        assert_eq!(Space::default().described(), None);
    }
}
