//! What is typed for the model and not sent: it waits with its conversation while another one is open, and while the page is
//! loaded again.

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::browser::{Lifetime, forget, recall, remember};

/// The name under which the tab keeps the texts.
const NAME: &str = "epitome-drafts";

/// A conversation that one can come back to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A sample as it was made, by its name.
    Sample(&'static str),
    /// One that the browser keeps, by its id.
    Kept(String),
}

impl Place {
    /// Its name among the texts that the tab keeps.
    fn name(&self) -> String {
        match self {
            Self::Sample(name) => format!("sample {name}"),
            Self::Kept(id) => format!("kept {id}"),
        }
    }
}

/// The texts of this visit. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Drafts {
    /// What is in the field.
    pub(crate) typed: RwSignal<String>,
    /// What waits with other conversations, by the names of their places.
    waiting: StoredValue<BTreeMap<String, String>>,
    /// Where the open conversation was found. Meanwhile it may be kept.
    found: StoredValue<Option<Place>>,
}

impl Drafts {
    /// What this tab had typed before the page was loaded waits again.
    pub(super) fn recalled() -> Self {
        let texts = recall(Lifetime::Tab, NAME);
        Self::waiting(texts.map(|texts| read(&texts)).unwrap_or_default())
    }

    fn waiting(waiting: BTreeMap<String, String>) -> Self {
        Self {
            typed: RwSignal::new(String::new()),
            waiting: StoredValue::new(waiting),
            found: StoredValue::new(None),
        }
    }

    /// Another conversation is opened. `kept` is the id of the one before it, if the browser keeps that.
    pub(super) fn turn_to(self, next: Option<Place>, kept: Option<String>) {
        let left = kept.map(Place::Kept).or_else(|| self.found.get_value());
        let typed = self.typed.get_untracked();
        let typed = self.waiting.try_update_value(|waiting| {
            if let Some(left) = left
                && !typed.is_empty()
            {
                waiting.insert(left.name(), typed);
            }
            waiting.remove(&next.as_ref()?.name())
        });
        self.typed.set(typed.flatten().unwrap_or_default());
        self.found.set_value(next);
    }

    /// Has the tab keep what is typed now, and what waits. `kept` is the id of the open conversation, if the browser keeps that.
    pub(crate) fn remember(self, kept: Option<String>) {
        let typed = self.typed.get();
        let mut texts = self.waiting.get_value();
        if let Some(open) = kept.map(Place::Kept).or_else(|| self.found.get_value())
            && !typed.is_empty()
        {
            texts.insert(open.name(), typed);
        }
        match texts.is_empty() {
            true => forget(Lifetime::Tab, NAME),
            false => {
                let texts: Map<String, Value> =
                    texts.into_iter().map(|(name, text)| (name, text.into())).collect();
                remember(Lifetime::Tab, NAME, &Value::Object(texts).to_string());
            }
        }
    }

    /// Nobody can come back to this conversation any more.
    pub(super) fn forget(self, id: &str) {
        self.waiting.update_value(|waiting| {
            waiting.remove(&Place::Kept(id.to_owned()).name());
        });
    }
}

/// The texts that the tab has kept.
fn read(texts: &str) -> BTreeMap<String, String> {
    let texts: Map<String, Value> = serde_json::from_str(texts).unwrap_or_default();
    let text = |(name, text): (String, Value)| Some((name, text.as_str()?.to_owned()));
    texts.into_iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_tab_has_is_read_as_far_as_it_can_be() {
        let texts = read(r#"{"kept 7":"hi","kept 8":9}"#);
        assert_eq!(texts.into_iter().collect::<Vec<_>>(), [("kept 7".to_owned(), "hi".to_owned())]);
        assert!(read("no JSON").is_empty());
    }

    #[test]
    fn a_text_waits_with_its_conversation_until_it_is_opened_again() {
        Owner::new().with(|| {
            let drafts = Drafts::waiting(BTreeMap::new());
            let open = |next: Option<Place>, kept: Option<&str>| {
                drafts.turn_to(next, kept.map(str::to_owned));
                drafts.typed.get_untracked()
            };
            let (sample, kept) = (Place::Sample("A trip"), Place::Kept("7".to_owned()));
            drafts.typed.set("of nothing".to_owned());
            assert_eq!(open(Some(sample.clone()), None), "");
            drafts.typed.set("of the sample".to_owned());
            assert_eq!(open(Some(kept.clone()), None), "");
            drafts.typed.set("of the kept one".to_owned());
            assert_eq!(open(Some(sample.clone()), Some("7")), "of the sample");
            assert_eq!(open(Some(sample.clone()), None), "of the sample");
            // The sample has gone on, and is kept now.
            assert_eq!(open(Some(sample.clone()), Some("8")), "");
            assert_eq!(open(Some(kept.clone()), None), "of the kept one");
            assert_eq!(open(Some(Place::Kept("8".to_owned())), Some("7")), "of the sample");
            drafts.forget("7");
            assert_eq!(open(Some(kept), Some("8")), "");
            assert_eq!(open(None, Some("7")), "");
        });
    }
}
