//! The picture, in which messages are chosen: by dragging over it, or by a handle at each end.

use std::sync::Arc;

use epitome::Outcome;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

use super::{HEIGHT, described, length, path};
use crate::browser::{closest, drag_along, focus, share_along};
use crate::language::{Language, t};
use crate::number::count;
use crate::store::{Bar, Outlook, Span, Store, Treatment};

/// The id of the picture with what lies over it.
const FIELD: &str = "strip-field";

/// An end of the chosen messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    First,
    Last,
}

impl End {
    fn id(self) -> &'static str {
        match self {
            Self::First => "strip-first",
            Self::Last => "strip-last",
        }
    }

    /// The name of the slider.
    fn name(self) -> &'static str {
        match self {
            Self::First => t!("First of the chosen messages"),
            Self::Last => t!("Last of the chosen messages"),
        }
    }

    fn of(self, (first, last): Span) -> usize {
        match self {
            Self::First => first,
            Self::Last => last,
        }
    }
}

/// The picture of a conversation, and what is chosen in it.
#[component]
pub(super) fn Field(store: Store, outlook: Memo<Option<Arc<Outlook>>>) -> impl IntoView {
    let choice = store.choice;
    let anchor = StoredValue::new((0, 0));
    let bar_at = move |event: &PointerEvent| {
        let along = share_along(event, FIELD)?;
        outlook.with_untracked(|outlook| outlook.as_ref().map(|outlook| outlook.bar_at(along)))
    };
    let drag = move |event: PointerEvent| {
        if let Some((first, last)) = bar_at(&event) {
            let (from, to) = anchor.get_value();
            choice.span.set(Some((first.min(from), last.max(to))));
        }
    };
    let press = move |event: PointerEvent| {
        let Some(pressed) = bar_at(&event) else { return };
        drag_along(&event);
        let chosen = choice.span.get_untracked();
        // A handle that is pressed moves, and the other one stays.
        let (begin, handle) = match chosen {
            Some((_, last)) if closest(&event, "#strip-first").is_some() => {
                ((last, last), End::First)
            }
            Some((first, _)) if closest(&event, "#strip-last").is_some() => {
                ((first, first), End::Last)
            }
            _ => (pressed, End::Last),
        };
        anchor.set_value(begin);
        focus(handle.id());
        drag(event);
    };
    let flowing = RwSignal::new(None);
    Effect::new(move |_| {
        let is_summarized = store.report.with(|report| {
            report.as_ref().is_some_and(|report| {
                matches!(report.outcome, Outcome::Applied { .. }) && report.summary.is_some()
            })
        });
        // The picture is still the one before the compaction: the plan after it is made at the next frame.
        flowing.set(outlook.get_untracked().filter(|_| is_summarized).and_then(|it| flow(&it)));
    });
    let flow = move || {
        flowing.get().map(|(path, to)| {
            let origin = format!("{to}px 100%");
            view! {
                <path
                    class="strip-flow"
                    d=path
                    style:transform-origin=origin
                    on:animationend=move |_| flowing.set(None)
                ></path>
            }
        })
    };
    let picture = move || {
        outlook.get().map(|outlook| {
            let paths = Treatment::ALL.map(|treatment| {
                let path = path(&outlook, treatment);
                (!path.is_empty())
                    .then(|| view! { <path data-treatment=treatment.as_str() d=path></path> })
            });
            view! {
                <svg
                    class="strip-picture"
                    viewBox=format!("0 0 {} {HEIGHT}", outlook.bars.len().max(1))
                    preserveAspectRatio="none"
                    role="img"
                    aria-label=described(&outlook)
                >
                    {paths} {flow}
                </svg>
            }
        })
    };
    // Where something lies over the picture, from 0 to 1.
    let along = move |place: fn(&Outlook, usize) -> f64, position: usize| {
        outlook.with(|outlook| outlook.as_ref().map_or(0.0, |outlook| place(outlook, position)))
    };
    let begin = move || choice.span.get().map_or(0.0, |(first, _)| along(Outlook::begin, first));
    let width =
        move || choice.span.get().map_or(0.0, |(_, last)| along(Outlook::end, last)) - begin();
    let end = move || choice.end().map(|last| along(Outlook::end, last));
    view! {
        <div
            id=FIELD
            class="strip-field"
            on:pointerdown=press
            on:pointermove=drag
            // The focus is given by the press, and no text is selected.
            on:mousedown=move |event| event.prevent_default()
        >
            {picture}
            <span
                class="strip-brush"
                aria-hidden="true"
                hidden=move || choice.span.with(Option::is_none)
                style:inset-inline-start=move || length(begin())
                style:inline-size=move || length(width())
            ></span>
            <span
                class="strip-end"
                aria-hidden="true"
                hidden=move || end().is_none()
                style:inset-inline-start=move || length(end().unwrap_or_default())
            ></span>
            <Handle store outlook end=End::First />
            <Handle store outlook end=End::Last />
        </div>
    }
}

/// The bars that become the summary, and the column of the last of them, into which they flow.
fn flow(outlook: &Outlook) -> Option<(String, usize)> {
    let is_summarized = |bar: &Bar| bar.treatment == Treatment::Summarized;
    let last = outlook.bars.iter().rposition(is_summarized)?;
    Some((path(outlook, Treatment::Summarized), last + 1))
}

/// A handle, as a slider over the messages.
#[component]
fn Handle(store: Store, outlook: Memo<Option<Arc<Outlook>>>, end: End) -> impl IntoView {
    let span = store.choice.span;
    let messages = move || outlook.with(|outlook| outlook.as_ref().map_or(0, |it| it.messages));
    let all = move || (0, messages().saturating_sub(1));
    let shown = move || end.of(span.get().unwrap_or_else(all));
    let place = move || {
        outlook.with(|outlook| {
            outlook.as_ref().map_or(0.0, |outlook| match end {
                End::First => outlook.begin(shown()),
                End::Last => outlook.end(shown()),
            })
        })
    };
    let number = move || {
        store.revision.track();
        store.read(|session| session.number(shown())).map(|number| number.to_string())
    };
    let words = move || {
        let number = number().unwrap_or_default();
        match span.with(Option::is_some) {
            true => t!("message {number}", number),
            false => t!("message {number}, none is chosen", number),
        }
    };
    let keys = move |event: KeyboardEvent| {
        let (first, last) = untrack(|| span.get().unwrap_or_else(all));
        let step = outlook.with_untracked(|outlook| outlook.as_ref().map_or(1, |it| it.per_bar()));
        let page = (untrack(messages) / 10).max(step);
        let forward = Language::of_page().forward() > 0.0;
        let now = end.of((first, last));
        let to = match event.key().as_str() {
            "Escape" if untrack(|| span.with(Option::is_some)) => {
                event.prevent_default();
                return store.choice.clear_span();
            }
            "ArrowUp" => now.saturating_add(step),
            "ArrowDown" => now.saturating_sub(step),
            "ArrowRight" if forward => now.saturating_add(step),
            "ArrowLeft" if !forward => now.saturating_add(step),
            "ArrowRight" | "ArrowLeft" => now.saturating_sub(step),
            "PageUp" => now.saturating_add(page),
            "PageDown" => now.saturating_sub(page),
            "Home" => 0,
            "End" => usize::MAX,
            _ => return,
        };
        event.prevent_default();
        span.set(Some(match end {
            End::First => (to.min(last), last),
            End::Last => (first, to.clamp(first, untrack(all).1)),
        }));
    };
    view! {
        <span
            id=end.id()
            class="strip-handle"
            role="slider"
            tabindex="0"
            aria-label=end.name()
            aria-valuemin="1"
            aria-valuemax=move || messages().to_string()
            aria-valuenow=move || count(shown() + 1).to_string()
            aria-valuetext=words
            style:inset-inline-start=move || length(place())
            on:keydown=keys
        ></span>
    }
}
