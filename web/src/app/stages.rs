//! Building the page in stages, each in a task of the browser of its own: at once it would be the longest task of the page.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::FIRST_PAINT;
use super::panel::{self, Later, Panel};
use crate::browser::{Pace, mark};
use crate::driver;
use crate::language::t;
use crate::load::Found;
use crate::store::Store;

/// The last stage, after which the page is complete.
const LAST: u8 = 8;

/// How far the page is built. Copying it copies handles.
#[derive(Clone, Copy)]
pub(super) struct Stages {
    reached: RwSignal<u8>,
    /// What builds all but the first stage, once it is there.
    later: StoredValue<Option<Later>>,
}

impl Stages {
    /// Begins with the first stage once `begins` is true.
    pub(super) fn after(store: Store, begins: Memo<bool>) -> Self {
        let reached = RwSignal::new(0);
        let later = StoredValue::new(None);
        Effect::new(move |has_begun: Option<bool>| {
            let begins = begins.get();
            if begins && has_begun != Some(true) {
                spawn_local(async move {
                    let mut pace = Pace::start(0.0);
                    // The conversation was read in this task.
                    pace.rest().await;
                    reached.set(1);
                    pace.rest().await;
                    mark(FIRST_PAINT, "begun");
                    let Ok(fetched) = panel::fetch().await else {
                        let problem = t!(
                            "The rest of this page could not be fetched. Reload it to try again."
                        );
                        store.load_error.set(Some(problem.to_owned()));
                        return;
                    };
                    // The browser has compiled it in this task.
                    pace.rest().await;
                    later.set_value(Some(fetched));
                    driver::handle_by(fetched.handle_outputs, store);
                    for stage in 2..=LAST {
                        reached.set(stage);
                        pace.rest().await;
                    }
                });
            }
            begins || has_begun == Some(true)
        });
        Self { reached, later }
    }

    /// A part of the page, from the second stage on.
    pub(super) fn build(self, panel: Panel, store: Store, found: Found) -> Option<AnyView> {
        self.later.get_value().map(|later| (later.build)(panel, store, found))
    }

    /// True from this stage on.
    pub(super) fn has(self, stage: u8) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        let reached = Memo::new(move |_| self.reached.get() >= stage);
        move || reached.get()
    }

    /// True once the page is complete.
    pub(super) fn is_done(self) -> bool {
        self.reached.get() == LAST
    }
}
