//! How full the window is: a bar, a sentence, and a list of what fills it.

mod segment;

use epitome::{Level, Pressure};
use leptos::prelude::*;

use crate::number::{percent, percentage, share, thousands};
use crate::store::Store;
use segment::Segment;

/// The meter of the window.
#[component]
pub(crate) fn Meter(store: Store) -> impl IntoView {
    view! {
        <section class="meter card" aria-labelledby="meter-heading">
            <h2 id="meter-heading" class="visually-hidden">"The window"</h2>
            {move || store.pressure.get().map(|pressure| view! { <Gauge pressure /> })}
            <FillWarning store />
        </section>
    }
}

/// The warning, until the next compaction.
#[component]
fn FillWarning(store: Store) -> impl IntoView {
    move || {
        store.live.warning.get().map(|warning| {
            view! {
                <p class="notice warn fills-up">
                    <strong>"The window is filling up. "</strong>
                    {format!(
                        "{} tokens, {} of the window; compacts at {}.",
                        thousands(warning.tokens),
                        percentage(warning.budget_used_pct),
                        thousands(warning.threshold)
                    )}
                </p>
            }
        })
    }
}

/// The bar with its figures.
#[component]
fn Gauge(pressure: Pressure) -> impl IntoView {
    // The bar is as long as the conversation if that is larger than the window.
    let scale = pressure.window.max(pressure.tokens);
    let at = move |tokens: u32| format!("{:.3}%", share(tokens, scale) * 100.0);
    let words = sentence(&pressure);
    let band = match pressure.exact {
        true => "counted exactly".to_owned(),
        false => format!("estimated, ±{}", percent(pressure.error_band)),
    };
    let segments: Vec<_> = Segment::ALL
        .into_iter()
        .map(|segment| (segment, segment.tokens(&pressure.breakdown)))
        .filter(|(_, tokens)| *tokens > 0)
        .collect();
    let bar = segments.iter().map(|(segment, tokens)| {
        let width = format!("{:.3}%", share(*tokens, scale) * 100.0);
        view! { <span class="segment" data-segment=segment.as_str() style:inline-size=width></span> }
    });
    let bar = bar.collect_view();
    let reserve = pressure.threshold.map(|threshold| {
        let width = share(pressure.window.saturating_sub(threshold), scale) * 100.0;
        let width = format!("{width:.3}%");
        view! {
            <span
                class="reserve"
                style:inset-inline-start=at(threshold)
                style:inline-size=width
            ></span>
        }
    });
    let threshold = pressure.threshold.map(|threshold| {
        view! {
            <Mark position=at(threshold) name="threshold" label=format!("compacts at {}", thousands(threshold)) share=share(threshold, scale) />
        }
    });
    let target = (pressure.target < scale).then(|| {
        view! {
            <Mark position=at(pressure.target) name="target" label=format!("target {}", thousands(pressure.target)) share=share(pressure.target, scale) />
        }
    });
    let edge = (pressure.tokens > pressure.window).then(|| {
        view! {
            <Mark position=at(pressure.window) name="edge" label="end of the window".to_owned() share=share(pressure.window, scale) />
        }
    });
    view! {
        <div class="meter-head">
            <p class="meter-figure">
                <span class="meter-number">
                    {if pressure.exact { "" } else { "~" }} {thousands(pressure.tokens)}
                </span>
                <span class="meter-of">
                    {format!("of {} tokens ({})", thousands(pressure.window), percent(pressure.fill))}
                </span>
                <span class="meter-band">{band}</span>
            </p>
            <p class="level" data-level=pressure.level.as_str()>
                <span class="level-name">{pressure.level.as_str()}</span>
                <span>{advice(pressure.level)}</span>
            </p>
        </div>
        <div
            class="meter-bar"
            role="meter"
            aria-label="Context window"
            aria-valuemin="0"
            aria-valuemax=pressure.window.to_string()
            aria-valuenow=pressure.tokens.min(pressure.window).to_string()
            aria-valuetext=words.clone()
        >
            <div class="meter-track">{bar} {reserve}</div>
            {threshold} {target} {edge}
        </div>
        <p class="visually-hidden">{words}</p>
        <Legend pressure segments />
    }
}

/// A marked position on the bar.
#[component]
fn Mark(
    /// The position along the bar, in percent with its sign.
    position: String,
    /// Its name, for the style sheet.
    name: &'static str,
    /// Its text.
    label: String,
    /// The position from 0 to 1, which keeps the label inside the bar.
    share: f64,
) -> impl IntoView {
    let shift = format!("translateX(-{:.1}%)", share * 100.0);
    view! {
        <span class="mark" data-mark=name style:inset-inline-start=position aria-hidden="true">
            <span class="mark-label" style:transform=shift>{label}</span>
        </span>
    }
}

/// What fills the window, with numbers.
#[component]
fn Legend(pressure: Pressure, segments: Vec<(Segment, u32)>) -> impl IntoView {
    let row = move |name: &'static str, label: &'static str, tokens: u32| {
        view! {
            <li>
                <span class="swatch" data-segment=name aria-hidden="true"></span>
                <span class="legend-label">{label}</span>
                <span class="legend-tokens">{thousands(tokens)}</span>
                <span class="legend-share">{percent(share(tokens, pressure.window))}</span>
            </li>
        }
    };
    let upper = pressure.threshold.unwrap_or(pressure.window).min(pressure.window);
    let free = upper.saturating_sub(pressure.tokens);
    let reserve =
        pressure.threshold.map_or(0, |threshold| pressure.window.saturating_sub(threshold));
    let rows: Vec<_> = segments
        .into_iter()
        .map(|(segment, tokens)| row(segment.as_str(), segment.label(), tokens))
        .collect();
    view! {
        <ul class="legend" aria-label="What fills the window, in tokens">
            {rows} {row("free", "Free", free)} {row("reserve", "Reserve", reserve)}
        </ul>
    }
}

fn sentence(pressure: &Pressure) -> String {
    let about = if pressure.exact { "" } else { "~" };
    let threshold = match pressure.threshold {
        Some(threshold) => format!("compacts at {}", thousands(threshold)),
        None => "no threshold in tokens".to_owned(),
    };
    format!(
        "{about}{} of {} tokens ({}), {threshold}; {}",
        thousands(pressure.tokens),
        thousands(pressure.window),
        percent(pressure.fill),
        advice(pressure.level)
    )
}

fn advice(level: Level) -> &'static str {
    match level {
        Level::Ok => "space left",
        Level::Warn => "filling up",
        Level::Compact => "time to compact",
    }
}
