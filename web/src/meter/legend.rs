//! What the patterns of the bar stand for, with numbers.

use epitome::Pressure;
use leptos::prelude::*;

use super::segment::Segment;
use crate::number::{percent, share, thousands};
use crate::store::Store;

/// What fills the window. The shares add up to the window, or to more if the conversation does not fit.
#[component]
pub(crate) fn Legend(store: Store) -> impl IntoView {
    let rows = move || {
        store.pressure.get().map(|pressure| {
            let window = pressure.window;
            rows(&pressure)
                .into_iter()
                .map(|(name, label, tokens)| {
                    view! {
                        <li>
                            <span class="swatch" data-segment=name aria-hidden="true"></span>
                            <span class="legend-label">{label}</span>
                            <span class="legend-tokens">{thousands(tokens)}</span>
                            <span class="legend-share">{percent(share(tokens, window))}</span>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    view! { <ul class="legend" aria-label="What fills the window, in tokens">{rows}</ul> }
}

/// The segments that are not empty, what is free, and what is free of the reserve.
fn rows(pressure: &Pressure) -> Vec<(&'static str, &'static str, u32)> {
    let (tokens, window) = (pressure.tokens, pressure.window);
    let upper = pressure.threshold.unwrap_or(window).min(window);
    let free = upper.saturating_sub(tokens);
    let reserve = window.saturating_sub(upper.max(tokens));
    let segments = Segment::ALL
        .into_iter()
        .map(|segment| (segment.as_str(), segment.label(), segment.tokens(&pressure.breakdown)));
    segments
        .filter(|(_, _, tokens)| *tokens > 0)
        .chain([("free", "Free", free), ("reserve", "Reserve left", reserve)])
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
            let sum: u32 = rows(&pressure).iter().map(|(_, _, tokens)| tokens).sum();
            assert_eq!(sum, 8_000, "{tokens}");
        }
    }
}
