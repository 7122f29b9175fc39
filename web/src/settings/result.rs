//! What a result has to be.

use leptos::prelude::*;

use super::field::{Field, Select};
use crate::form::{keep_requests, min_saving, summary_placement, warning};
use crate::store::Store;

/// The result's settings.
#[component]
pub(super) fn ResultSettings(store: Store) -> impl IntoView {
    view! {
        <Select store choice=summary_placement() />
        <div class="fields">
            <Field store entry=min_saving() />
            <Field store entry=keep_requests() />
            <Field store entry=warning() />
        </div>
        <p class="hint">
            "The latest user messages stay word for word wherever they stand. A warning comes once until "
            "the next compaction, at that share of the threshold; empty: never."
        </p>
    }
}
