//! Two pictures of a conversation: how full the window was over time, and one bar for each message, as high as its tokens, in the
//! colour and pattern of what happens to it.

mod chosen;
mod course;
mod field;
mod shared;

use std::fmt::Write as _;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::browser::copy_picture;
use crate::language::t;
use crate::number::{count, plural, share, thousands};
use crate::store::{Bar, Outlook, Store, Treatment};
use chosen::Chosen;
use course::{FillOverTime, Line};
use field::Field;

/// The height of the picture in its own units. A bar is one unit wide.
const HEIGHT: f64 = 100.0;
/// The height of the smallest bar.
const LEAST: f64 = 3.0;

/// The pictures with their keys.
#[component]
pub(crate) fn Strip(store: Store) -> impl IntoView {
    let said = RwSignal::new(String::new());
    let share = move |_| share_picture(store, said);
    let outlook = Memo::new(move |_| store.outlook.get());
    view! {
        <FillOverTime store />
        <figure class="strip" aria-labelledby="strip-heading">
            <figcaption>
                <h2 id="strip-heading">{t!("Message by message")}</h2>
                <span class="hint">{t!("Taller bars have more tokens; a bar four times as high has sixteen times as many.")}</span>
            </figcaption>
            <Field store outlook />
            <Chosen store />
            <Key store outlook />
            <div class="strip-share">
                <button type="button" class="link" on:click=share>{t!("Copy as a picture")}</button>
                <span class="hint" role="status">
                    {move || match said.read().is_empty() {
                        true => t!("It has the numbers and nothing of what is said.").to_owned(),
                        false => said.get(),
                    }}
                </span>
            </div>
        </figure>
    }
}

/// Copies the picture with the tokens before and after: those of the latest compaction, or the planned ones. `said` gets a
/// sentence for the user.
pub(crate) fn share_picture(store: Store, said: RwSignal<String>) {
    let (Some(outlook), Some(pressure)) =
        (store.outlook.get_untracked(), store.pressure.get_untracked())
    else {
        return;
    };
    let line = store.read(|session| Some(Line::of(session.compactor()?, &outlook)));
    let Some(line) = line else { return };
    let done = store.report.get_untracked();
    let planned = store.plan.get_untracked().filter(|plan| plan.idle.is_none());
    let heading = shared::heading(&pressure, done.as_deref(), planned.as_deref());
    spawn_local(async move {
        let (blocks, words) = shared::draw(&outlook, &line, heading);
        said.set(copy_picture(shared::SIZE, &blocks, &words, "epitome.png").await);
    });
}

/// The entries of the key.
#[component]
fn Key(store: Store, outlook: Memo<Option<Arc<Outlook>>>) -> impl IntoView {
    let numbers = Memo::new(move |_| outlook.with(|outlook| outlook.as_ref().map(|it| it.numbers)));
    let entries = move || {
        let used = Treatment::ALL.into_iter().zip(numbers.get().unwrap_or_default());
        let used = used.filter(|(_, number)| *number > 0);
        let entry = |(treatment, number)| {
            view! { <li><KeyEntry store treatment number /></li> }
        };
        used.map(entry).collect_view()
    };
    view! { <ul class="strip-key" aria-label=t!("What happens to the messages")>{entries}</ul> }
}

/// An entry of the key, which limits the list to its messages.
#[component]
fn KeyEntry(store: Store, treatment: Treatment, number: u32) -> impl IntoView {
    let chosen = move || store.filter.with(|filter| filter.treatment == Some(treatment));
    let choose = move |_| {
        let treatment = (!chosen()).then_some(treatment);
        store.filter.update(|filter| filter.treatment = treatment);
    };
    view! {
        <button
            type="button"
            class="legend-entry"
            title=t!("List only these")
            aria-pressed=move || chosen().to_string()
            on:click=choose
        >
            <span class="swatch" data-treatment=treatment.as_str() aria-hidden="true"></span>
            <strong>{thousands(number)}</strong>
            " "
            {treatment.label()}
        </button>
    }
}

/// A share of a length, in the style sheet's terms.
fn length(share: f64) -> String {
    format!("{:.3}%", share * 100.0)
}

/// The bars with their heights from 0 to 1.
fn heights(outlook: &Outlook) -> impl Iterator<Item = (&Bar, f64)> {
    let largest = outlook.bars.iter().map(|bar| bar.tokens).max().unwrap_or_default().max(1);
    // By the square root, a message of 60 tokens can be seen beside one of 12,000.
    outlook.bars.iter().map(move |bar| (bar, share(bar.tokens, largest).sqrt()))
}

/// The bars of a treatment as one path, so that the picture has few elements.
fn path(outlook: &Outlook, treatment: Treatment) -> String {
    let mut path = String::new();
    for (index, (bar, height)) in heights(outlook).enumerate() {
        if bar.treatment == treatment {
            let height = LEAST + height * (HEIGHT - LEAST);
            // Writing to a string cannot fail.
            let _ = write!(path, "M{index}.1 {HEIGHT}v-{height:.1}h.8v{height:.1}z");
        }
    }
    path
}

/// The picture in words.
fn described(outlook: &Outlook) -> String {
    let mut words = plural(count(outlook.messages), "message", "messages");
    for (treatment, number) in Treatment::ALL.into_iter().zip(outlook.numbers) {
        if number > 0 {
            words = t!("{list}, {next}", list = words, next = treatment.counted(number));
        }
    }
    words
}
