//! The marks on the bar: where a compaction begins and where it aims. They are dragged or moved by keys, and the plan follows.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

use super::{BAR, moved_back, width};
use crate::browser::{drag_along, share_along};
use crate::language::{Language, t};
use crate::number::{share, thousands};
use crate::store::Store;

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// Where a compaction is due.
    Threshold,
    /// Where a compaction aims.
    Target,
    /// Where the next summary begins to be written in advance.
    Prepare,
}

impl MarkKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::Target => "target",
            Self::Prepare => "prepare",
        }
    }

    /// The name of the slider.
    fn name(self) -> &'static str {
        match self {
            Self::Threshold => t!("Where a compaction begins"),
            Self::Target => t!("Where a compaction aims"),
            Self::Prepare => t!("Where the next summary begins to be written"),
        }
    }

    fn label(self, tokens: u32) -> String {
        let tokens = thousands(tokens);
        match self {
            Self::Threshold => t!("compacts at {tokens}", tokens),
            Self::Target => t!("target {tokens}", tokens),
            Self::Prepare => t!("writes ahead at {tokens}", tokens),
        }
    }

    /// Where it is; `None` if the settings have no such place.
    fn tokens(self, store: Store) -> Option<u32> {
        store.pressure.with(|pressure| match self {
            Self::Threshold => pressure.as_ref()?.threshold,
            Self::Target => Some(pressure.as_ref()?.target),
            Self::Prepare => store.settings.policy.read().prepare_tokens(),
        })
    }

    /// Sets it to a share of the window.
    fn set(self, store: Store, share: f64) {
        store.settings.form.update(|form| match self {
            Self::Threshold => form.set_threshold(share),
            Self::Target => form.set_target(share),
            Self::Prepare => form.set_prepare_at(share),
        });
    }
}

/// A mark, as a slider.
#[component]
pub(super) fn Mark(
    store: Store,
    /// The tokens at the end of the bar.
    scale: Memo<u32>,
    /// What it stands for.
    kind: MarkKind,
) -> impl IntoView {
    let tokens = Memo::new(move |_| kind.tokens(store).filter(|tokens| *tokens <= scale.get()));
    let shown = move || tokens.get().unwrap_or_default();
    let window = move || store.settings.policy.read().window;
    let movable = Memo::new(move |_| match kind {
        MarkKind::Threshold => {
            store.settings.form.with(crate::settings::Form::has_movable_threshold)
        }
        MarkKind::Target | MarkKind::Prepare => true,
    });
    let drag = move |event: PointerEvent| {
        if let Some(along) = share_along(&event, BAR).filter(|_| movable.get_untracked()) {
            let tokens = along * f64::from(scale.get_untracked());
            let share = tokens / f64::from(window().max(1));
            kind.set(store, (share * 100.0).round() / 100.0);
        }
    };
    let press = move |event: PointerEvent| {
        drag_along(&event);
        drag(event);
    };
    let keys = move |event: KeyboardEvent| {
        let step = match event.key().as_str() {
            "ArrowUp" => 0.01,
            "ArrowDown" => -0.01,
            // The mark moves where the key points.
            "ArrowRight" => 0.01 * Language::of_page().forward(),
            "ArrowLeft" => -0.01 * Language::of_page().forward(),
            "PageUp" => 0.05,
            "PageDown" => -0.05,
            _ => return,
        };
        event.prevent_default();
        let now = share(tokens.get_untracked().unwrap_or_default(), window());
        kind.set(store, ((now + step) * 100.0).round() / 100.0);
    };
    let shift = move || moved_back(share(shown(), scale.get()));
    view! {
        <Show when=move || tokens.get().is_some()>
            <span
                class="mark"
                data-mark=kind.as_str()
                role="slider"
                tabindex="0"
                aria-label=kind.name()
                aria-valuemin="1"
                aria-valuemax=move || window().to_string()
                aria-valuenow=move || shown().to_string()
                aria-valuetext=move || t!("{tokens} tokens", tokens = thousands(shown()))
                aria-disabled=move || (!movable.get()).to_string()
                style:inset-inline-start=move || width(shown(), scale.get())
                on:pointerdown=press
                on:pointermove=drag
                on:keydown=keys
            >
                <span class="mark-label" style:transform=shift>{move || kind.label(shown())}</span>
            </span>
        </Show>
    }
}
