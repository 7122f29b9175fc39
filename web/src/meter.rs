//! How full the window is, and how full it would be: a bar with the marks that decide when to compact and how far.

mod legend;
mod mark;
mod next_summary;
mod segment;

use epitome::policy::{Counting, Encoding, Family};
use epitome::{Level, Pressure};
use leptos::prelude::*;

use crate::browser::{focus_instead_of_nothing, has_focus};
use crate::language::{Language, t};
use crate::number::{change, percent, percentage, share, thousands};
use crate::store::{Fill, Store};
pub(crate) use legend::Legend;
use mark::{Mark, MarkKind};
use next_summary::{Ghost, NextSummaryLine, described};
use segment::Segment;

/// The id of the bar, along which marks are dragged.
const BAR: &str = "meter-bar";
/// The id of the figures. They get the focus when the button among them is gone.
const FIGURES: &str = "meter-figures";
/// The id of that button.
const COUNT: &str = "count-exactly";

/// The figures, what to do about them, and the bar.
#[component]
pub(crate) fn Meter(
    store: Store,
    /// What can be done now.
    children: Children,
) -> impl IntoView {
    let figures = move || store.pressure.get().map(|pressure| view! { <Figures store pressure /> });
    view! {
        <div class="meter">
            <div class="meter-head">
                <div class="meter-figures" id=FIGURES tabindex="-1">{figures}</div>
                <div class="meter-act">{children()}</div>
            </div>
            <Gauge store />
            <NextSummaryLine store />
            <FillWarning store />
        </div>
    }
}

/// The warning, until the next compaction.
#[component]
fn FillWarning(store: Store) -> impl IntoView {
    move || {
        store.live.warning.get().map(|warning| {
            view! {
                <p class="notice warn fills-up">
                    <strong>{t!("The window is filling up.")} " "</strong>
                    {t!(
                        "{tokens} tokens, {share} of the window; compacts at {threshold}.",
                        tokens = thousands(warning.tokens),
                        share = percentage(warning.budget_used_pct),
                        threshold = thousands(warning.threshold)
                    )}
                </p>
            }
        })
    }
}

/// The tokens now, and after the compaction that is planned.
#[component]
fn Figures(store: Store, pressure: Pressure) -> impl IntoView {
    let planned = move || {
        store.plan.get().filter(|plan| plan.idle.is_none()).map(|plan| {
            view! {
                <span class="meter-arrow" aria-hidden="true">"→"</span>
                <span class="visually-hidden">", " {t!("after a compaction about")} " "</span>
                <span class="meter-after">"~" {thousands(plan.tokens_after)}</span>
                <span class="forecast-change">{change(plan.tokens_before, plan.tokens_after)}</span>
            }
        })
    };
    view! {
        <p class="meter-figure">
            <span class="meter-number">
                {if pressure.exact { "" } else { "~" }} {thousands(pressure.tokens)}
            </span>
            {planned}
        </p>
        <p class="meter-of">
            <span class="level-name" data-level=pressure.level.as_str()>{advice(pressure.level)}</span>
            <span>
                {t!(
                    "of {window} tokens ({fill})",
                    window = thousands(pressure.window),
                    fill = percent(pressure.fill)
                )}
            </span>
            <Band store pressure />
        </p>
    }
}

/// How exact the figures are, and the way to exact ones.
#[component]
fn Band(store: Store, pressure: Pressure) -> impl IntoView {
    let counting = store.settings.counting;
    let band = match pressure.exact {
        true => t!("counted exactly").to_owned(),
        false => t!("estimated, ±{band}", band = percent(pressure.error_band)),
    };
    let words =
        move || counting.progress.get().map_or_else(|| band.clone(), |progress| progress.words());
    // Other providers count by vocabularies that nobody else has.
    let can_count =
        !pressure.exact && store.read(|session| session.format().family() == Family::O200kBase);
    let count = move |_| {
        let encoding = Counting::Encoding(Encoding::O200kBase);
        store.settings.form.update(|form| form.edit(|policy| policy.counting = encoding));
    };
    on_cleanup(|| {
        if has_focus(COUNT) {
            focus_instead_of_nothing(FIGURES);
        }
    });
    view! {
        <span class="meter-band">{words}</span>
        <Show when=move || can_count>
            <button type="button" class="link" id=COUNT on:click=count>{t!("Count exactly")}</button>
        </Show>
    }
}

/// The bar: what fills the window now, below it what would fill it, and the marks.
#[component]
fn Gauge(store: Store) -> impl IntoView {
    let pressure = Memo::new(move |_| store.pressure.get());
    // The bar is as long as the conversation if that is larger than the window.
    let scale =
        Memo::new(move |_| pressure.get().map_or(1, |now| now.window.max(now.tokens)).max(1));
    let segments = move |fill: Fill| {
        let bar = Segment::ALL.into_iter().map(|segment| {
            let tokens = segment.tokens(&fill);
            let width = width(tokens, scale.get());
            (tokens > 0).then(|| {
                view! {
                    <span class="segment" data-segment=segment.as_str() style:inline-size=width></span>
                }
            })
        });
        bar.collect_view()
    };
    let now = move || store.fill.get().map(segments);
    let reserve = move || {
        let now = pressure.get()?;
        let threshold = now.threshold?;
        let at = width(threshold, scale.get());
        let size = width(now.window.saturating_sub(threshold), scale.get());
        Some(
            view! { <span class="reserve" style:inset-inline-start=at style:inline-size=size></span> },
        )
    };
    let planned = Memo::new(move |_| {
        let plan = store.plan.get().filter(|plan| plan.idle.is_none())?;
        let outlook = store.outlook.get()?;
        Some((plan.tokens_after, outlook.after))
    });
    let after = move || planned.get().map(|(_, after)| segments(after));
    let words = move || {
        let now = pressure.get()?;
        Some(match store.next_summary.get() {
            Some(next) => t!("{now}. {next}", now = sentence(&now), next = described(next, &now)),
            None => sentence(&now),
        })
    };
    let number = move |read: fn(&Pressure) -> u32| {
        move || pressure.get().map_or(0, |now| read(&now)).to_string()
    };
    let edge = move || {
        let now = pressure.get().filter(|now| now.tokens > now.window)?;
        let (at, share) = (width(now.window, scale.get()), share(now.window, scale.get()));
        let shift = moved_back(share);
        Some(view! {
            <span class="mark" data-mark="edge" style:inset-inline-start=at aria-hidden="true">
                <span class="mark-label" style:transform=shift>{t!("end of the window")}</span>
            </span>
        })
    };
    let floor = move || {
        let now = pressure.get().filter(|now| now.floor > 0)?;
        let (at, share_of) = (width(now.floor, scale.get()), |tokens| share(tokens, scale.get()));
        // The label of the target is beside it.
        let has_space = share_of(now.target) - share_of(now.floor) > 0.2;
        let label = has_space.then(|| {
            let shift = moved_back(share_of(now.floor));
            let words = t!("floor {tokens}", tokens = thousands(now.floor));
            view! { <span class="mark-label" style:transform=shift>{words}</span> }
        });
        Some(view! {
            <span class="mark" data-mark="floor" style:inset-inline-start=at aria-hidden="true">
                {label}
            </span>
        })
    };
    view! {
        <div class="meter-bar" id=BAR>
            <div
                class="meter-tracks"
                role="meter"
                aria-label=t!("Context window")
                aria-valuemin="0"
                aria-valuemax=number(|now| now.window)
                aria-valuenow=number(|now| now.tokens.min(now.window))
                aria-valuetext=words
            >
                <div class="meter-track">{now} {reserve} <Ghost store scale /></div>
                <div class="meter-ghost">{after}</div>
            </div>
            {edge} {floor} <Mark store scale kind=MarkKind::Threshold />
            <Mark store scale kind=MarkKind::Target />
            <Mark store scale kind=MarkKind::Prepare />
        </div>
    }
}

/// `tokens` of `scale` as a length.
fn width(tokens: u32, scale: u32) -> String {
    format!("{:.3}%", share(tokens, scale) * 100.0)
}

/// Moves a label by a share of its own length against the direction of writing, so that it stays within the bar.
fn moved_back(share: f64) -> String {
    format!("translateX({:.1}%)", -share * 100.0 * Language::of_page().forward())
}

fn sentence(pressure: &Pressure) -> String {
    let about = if pressure.exact { "" } else { "~" };
    let tokens = format!("{about}{}", thousands(pressure.tokens));
    let (window, fill) = (thousands(pressure.window), percent(pressure.fill));
    let advice = advice(pressure.level);
    match pressure.threshold {
        Some(threshold) => t!(
            "{tokens} of {window} tokens ({fill}), compacts at {threshold}; {advice}",
            tokens,
            window,
            fill,
            threshold = thousands(threshold),
            advice
        ),
        None => t!(
            "{tokens} of {window} tokens ({fill}), no threshold in tokens; {advice}",
            tokens,
            window,
            fill,
            advice
        ),
    }
}

fn advice(level: Level) -> &'static str {
    match level {
        Level::Ok => t!("space left"),
        Level::Warn => t!("filling up"),
        Level::Compact => t!("time to compact"),
    }
}
