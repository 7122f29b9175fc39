//! What is typed for the model and not sent: it waits with its conversation while another one is open.

use std::collections::BTreeMap;

use leptos::prelude::*;

/// A conversation that one can come back to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// A sample as it was made, by its name.
    Sample(&'static str),
    /// One that the browser keeps, by its id.
    Kept(String),
}

/// The texts of this visit. Copying it copies handles.
#[derive(Clone, Copy)]
pub(crate) struct Drafts {
    /// What is in the field.
    pub(crate) typed: RwSignal<String>,
    /// What waits with other conversations.
    waiting: StoredValue<BTreeMap<Place, String>>,
    /// Where the open conversation was found. Meanwhile it may be kept.
    found: StoredValue<Option<Place>>,
}

impl Drafts {
    pub(super) fn new() -> Self {
        Self {
            typed: RwSignal::new(String::new()),
            waiting: StoredValue::new(BTreeMap::new()),
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
                waiting.insert(left, typed);
            }
            waiting.remove(next.as_ref()?)
        });
        self.typed.set(typed.flatten().unwrap_or_default());
        self.found.set_value(next);
    }

    /// Nobody can come back to this conversation any more.
    pub(super) fn forget(self, id: &str) {
        self.waiting.update_value(|waiting| {
            waiting.remove(&Place::Kept(id.to_owned()));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_waits_with_its_conversation_until_it_is_opened_again() {
        Owner::new().with(|| {
            let drafts = Drafts::new();
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
