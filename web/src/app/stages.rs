//! Building the page in stages, each in a task of the browser of its own: at once it would be the longest task of the page.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::Pace;

/// The last stage, after which the page is complete.
const LAST: u8 = 8;

/// How far the page is built. Copying it copies a handle.
#[derive(Clone, Copy)]
pub(super) struct Stages(RwSignal<u8>);

impl Stages {
    /// Begins with the first stage once `begins` is true.
    pub(super) fn after(begins: Memo<bool>) -> Self {
        let reached = RwSignal::new(0);
        Effect::new(move |has_begun: Option<bool>| {
            let begins = begins.get();
            if begins && has_begun != Some(true) {
                spawn_local(async move {
                    let mut pace = Pace::start(0.0);
                    for stage in 1..=LAST {
                        reached.set(stage);
                        pace.rest().await;
                    }
                });
            }
            begins || has_begun == Some(true)
        });
        Self(reached)
    }

    /// True from this stage on.
    pub(super) fn has(self, stage: u8) -> impl Fn() -> bool + Copy + Send + Sync + 'static {
        let reached = Memo::new(move |_| self.0.get() >= stage);
        move || reached.get()
    }

    /// True once the page is complete.
    pub(super) fn is_done(self) -> bool {
        self.0.get() == LAST
    }
}
