//! What the patterns of the bar stand for, with numbers.

use epitome::Pressure;
use leptos::prelude::*;

use super::segment::Segment;
use crate::language::t;
use crate::number::{change, percent, plural, share, thousands};
use crate::store::{Fill, Kind, Store, by_characters};

/// What fills the window. The shares add up to the window, or to more if the conversation does not fit. An entry of messages
/// limits the list to them.
#[component]
pub(crate) fn Legend(store: Store) -> impl IntoView {
    let entries = Memo::new(move |_| Some(rows(&store.pressure.get()?, &store.fill.get()?)));
    let window = move || store.pressure.with(|pressure| pressure.as_ref().map_or(0, |p| p.window));
    let rows = move || {
        let entries = entries.get().unwrap_or_default();
        entries
            .into_iter()
            .map(|entry| view! { <li><EntryView store entry window=window() /></li> })
            .collect_view()
    };
    let floor = move || {
        let floor = store.pressure.get()?.floor;
        let tokens = plural(floor, "token", "tokens");
        (floor > 0).then(|| {
            t!("The floor is what no compaction removes: system prompt, tools, pinned messages and the last request, together {tokens}.", tokens)
        })
    };
    let tokens =
        move || store.pressure.with(|pressure| pressure.as_ref().map_or(0, |it| it.tokens));
    let by_characters = Memo::new(move |_| {
        store.revision.track();
        store.read(|session| session.compactor().map(by_characters))
    });
    let by_characters = move || {
        let tokens = tokens();
        // The data of images is no text.
        let has_images = store.fill.with(|fill| fill.is_some_and(|fill| fill.images > 0));
        let counted =
            by_characters.get().filter(|counted| !has_images && is_far(*counted, tokens))?;
        let (counted, change) = (thousands(counted), change(tokens, counted));
        Some(t!(
            "Counted by characters, four to a token, it would be {counted} ({change}).",
            counted,
            change
        ))
    };
    view! {
        <ul class="legend" aria-label=t!("What fills the window, in tokens")>{rows}</ul>
        <p class="hint">{floor} " " {by_characters}</p>
    }
}

#[component]
fn EntryView(store: Store, entry: Entry, window: u32) -> impl IntoView {
    let Entry { name, label, tokens, messages } = entry;
    let content = view! {
        <span class="swatch" data-segment=name aria-hidden="true"></span>
        <span class="legend-label">{label}</span>
        " "
        <span class="legend-tokens">{thousands(tokens)}</span>
        " "
        <span class="legend-share">{percent(share(tokens, window))}</span>
    };
    let Some(kind) = messages else {
        return view! { <span class="legend-entry">{content}</span> }.into_any();
    };
    let chosen = move || store.filter.with(|filter| filter.kind == Some(kind));
    let choose = move |_| {
        let kind = (!chosen()).then_some(kind);
        store.filter.update(|filter| filter.kind = kind);
    };
    view! {
        <button
            type="button"
            class="legend-entry"
            title=t!("List only these")
            aria-pressed=move || chosen().to_string()
            on:click=choose
        >
            {content}
        </button>
    }
    .into_any()
}

/// True if a count is off by so much that a threshold is missed by it.
fn is_far(counted: u32, tokens: u32) -> bool {
    f64::from(counted.abs_diff(tokens)) > 0.15 * f64::from(tokens)
}

/// An entry of the legend.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    /// Its name in the page's markup.
    name: &'static str,
    label: &'static str,
    tokens: u32,
    /// Which messages it is of, if it is made of messages.
    messages: Option<Kind>,
}

/// The segments that are not empty, what is free, and what is free of the reserve.
fn rows(pressure: &Pressure, fill: &Fill) -> Vec<Entry> {
    let (tokens, window) = (pressure.tokens, pressure.window);
    let upper = pressure.threshold.unwrap_or(window).min(window);
    let free = upper.saturating_sub(tokens);
    let reserve = window.saturating_sub(upper.max(tokens));
    let segments = Segment::ALL.into_iter().map(|segment| Entry {
        name: segment.as_str(),
        label: segment.label(),
        tokens: segment.tokens(fill),
        messages: segment.messages(),
    });
    let rest = [("free", t!("Free"), free), ("reserve", t!("Reserve left"), reserve)];
    segments
        .filter(|entry| entry.tokens > 0)
        .chain(rest.map(|(name, label, tokens)| Entry { name, label, tokens, messages: None }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::Level;

    #[test]
    fn what_fills_the_window_adds_up_to_the_window() {
        for tokens in [2_000, 7_000] {
            let breakdown = epitome::Breakdown { user: tokens, ..Default::default() };
            let pressure = Pressure {
                tokens,
                window: 8_000,
                fill: 0.0,
                budget_used_pct: 0.0,
                level: Level::Ok,
                threshold: Some(6_000),
                target: 4_000,
                exact: true,
                error_band: 0.0,
                floor: 0,
                breakdown,
            };
            let fill = Fill { rest: breakdown, ..Fill::default() };
            let sum: u32 = rows(&pressure, &fill).iter().map(|entry| entry.tokens).sum();
            assert_eq!(sum, 8_000, "{tokens}");
        }
    }
}
