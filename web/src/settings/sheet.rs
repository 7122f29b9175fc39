//! All settings in a dialog at the side: by topic, searched, each with what it does and how to take a change back.

mod row;

use epitome::Policy;
use leptos::prelude::*;

use super::code::Code;
use super::field::{Options as _, Place, problem};
use super::json::{Agent, JsonSettings};
use super::preset::PresetSettings;
use super::setting::Setting;
use super::topic::Topic;
use super::{CountingChange, Form, SettingsState};
use crate::browser::scroll_top;
use crate::dialog::{Dialog, DialogHead};
use crate::language::t;
use crate::number::{count, percent, plural, thousands};
use row::row;

const DIALOG: &str = "settings-sheet";
const SEARCH: &str = "settings-search";
const LIST: &str = "settings-list";

/// Whether the sheet is open, and what it shows. A copy is a handle to the same state.
#[derive(Clone, Copy)]
pub(crate) struct SheetState {
    open: RwSignal<bool>,
    topic: RwSignal<Topic>,
    /// The text of the search; empty: a topic is shown.
    sought: RwSignal<String>,
}

impl SheetState {
    /// A closed sheet.
    pub(super) fn new() -> Self {
        Self {
            open: RwSignal::new(false),
            topic: RwSignal::new(Topic::When),
            sought: RwSignal::new(String::new()),
        }
    }

    /// Opens the sheet at the topic that was shown last.
    pub(crate) fn open(self) {
        self.open.set(true);
    }

    /// Opens the sheet with the settings that have these words.
    pub(crate) fn open_at(self, words: &str) {
        words.clone_into(&mut self.sought.write());
        self.open.set(true);
    }

    /// True if it is open.
    pub(super) fn is_open(self) -> bool {
        self.open.get()
    }
}

/// The dialog. Its content is built when it opens, and Escape closes it.
#[component]
pub(super) fn Sheet(
    settings: SettingsState,
    /// The name of the format of the loaded conversation.
    format: Signal<&'static str>,
) -> impl IntoView {
    let state = settings.sheet;
    let is_open = Signal::derive(move || state.is_open());
    let on_close = move || state.open.set(false);
    view! {
        <Dialog id=DIALOG class="details settings-sheet" is_open on_close>
            <Show when=move || state.is_open()>
                <Content settings format />
            </Show>
        </Dialog>
    }
}

#[component]
fn Content(settings: SettingsState, format: Signal<&'static str>) -> impl IntoView {
    provide_context(Place("sheet"));
    let state = settings.sheet;
    let preset = Memo::new(move |_| settings.form.with(Form::preset_policy));
    let words = Memo::new(move |_| words(&state.sought.read()));
    let searching = Memo::new(move |_| words.with(|words| !words.is_empty()));
    let topics = move || {
        let found = words.with(|words| match words.as_slice() {
            [] => vec![(state.topic.get(), state.topic.get().settings())],
            words => found(words),
        });
        found
            .into_iter()
            .map(|(topic, shown)| {
                view! { <TopicSettings settings preset topic shown format /> }
            })
            .collect_view()
    };
    // What is shown next begins at its first setting.
    Effect::new(move |before: Option<()>| {
        state.topic.track();
        words.track();
        if before.is_some() {
            scroll_top(LIST, Some(0));
        }
    });
    let number = move || {
        let found = words.with(|words| found(words));
        // A topic without fields has one thing to set.
        let number = found.iter().map(|(_, found)| found.len().max(1)).sum();
        searching.get().then(|| match number {
            0 => t!("No setting has these words.").to_owned(),
            number => plural(count(number), "setting", "settings"),
        })
    };
    let tabs = Topic::ALL.iter().map(|topic| view! { <TopicTab settings preset topic=*topic /> });
    view! {
        <DialogHead of=DIALOG title=t!("All settings")>
            // In one place, so that no field moves while it is typed in.
            {move || match settings.problem() {
                Some(problem) => {
                    view! { <p class="field-error">{t!("Not valid: {problem}", problem)}</p> }.into_any()
                }
                None => view! { <p class="figures">{outcome(settings)}</p> }.into_any(),
            }}
        </DialogHead>
        <CountingChange counting=settings.counting />
        <div class="settings-start">
            <div class="settings-preset"><PresetSettings settings /></div>
            <div class="settings-search">
                <label for=SEARCH>{t!("Search the settings")}</label>
                <input
                    type="search"
                    id=SEARCH
                    autofocus=true
                    placeholder=t!("By name or by what it does")
                    autocomplete="off"
                    prop:value=state.sought
                    on:input=move |event| state.sought.set(event_target_value(&event))
                />
                <p class="hint" role="status">{number}</p>
            </div>
        </div>
        <div class="settings-body">
            <nav class="settings-topics" aria-label=t!("Topics")>{tabs.collect_view()}</nav>
            <div class="settings-list" id=LIST>
                {topics}
                <p class="hint">
                    {t!("Settings are kept in this browser for the next visit, without keys and headers.")}
                </p>
            </div>
        </div>
    }
}

/// The words of a search, in lower case.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split_whitespace().map(str::to_owned).collect()
}

/// The settings that have all of these words, by topic.
fn found(words: &[String]) -> Vec<(Topic, Vec<Setting>)> {
    let narrowed = |topic: &Topic| -> Option<(Topic, Vec<Setting>)> {
        let settings = topic.settings();
        if topic.has(words) {
            return Some((*topic, settings));
        }
        let settings = settings.into_iter().filter_map(|setting| setting.narrowed(words));
        let found: Vec<_> = settings.collect();
        (!found.is_empty()).then_some((*topic, found))
    };
    Topic::ALL.iter().filter_map(narrowed).collect()
}

/// When a compaction is due, and what it leaves, in tokens.
fn outcome(settings: SettingsState) -> String {
    let policy = settings.policy.read();
    let window = thousands(policy.window);
    let target = percent(policy.target);
    match policy.threshold() {
        Some(threshold) => {
            let threshold = thousands(threshold);
            t!(
                "Compacts at {threshold} of {window} tokens, down to {target}.",
                threshold,
                window,
                target
            )
        }
        None => {
            t!("A window of {window} tokens; a compaction goes down to {target}.", window, target)
        }
    }
}

/// The button that shows a topic, with how many of its settings have changed.
#[component]
fn TopicTab(settings: SettingsState, preset: Memo<Policy>, topic: Topic) -> impl IntoView {
    let state = settings.sheet;
    let shown = StoredValue::new(topic.settings());
    let changed = Memo::new(move |_| {
        let (policy, preset) = (settings.policy.read(), preset.read());
        let is_changed = |setting: &&Setting| {
            settings.form.with(|form| setting.is_changed(form, &policy, &preset))
        };
        shown.with_value(|shown| {
            count(shown.iter().flat_map(Setting::all).filter(is_changed).count())
        })
    });
    let wrong = Memo::new(move |_| {
        let is_wrong = |setting: &Setting| problem(settings, setting.field.name()).is_some();
        shown.with_value(|shown| shown.iter().flat_map(Setting::all).any(is_wrong))
    });
    let current =
        move || (state.topic.get() == topic && state.sought.read().is_empty()).to_string();
    let choose = move |_| {
        state.sought.set(String::new());
        state.topic.set(topic);
    };
    view! {
        <button type="button" class="settings-topic" aria-current=current on:click=choose>
            {topic.label()}
            <Show when=move || wrong.get()>
                <span class="badge" data-action="removed">{t!("not valid")}</span>
            </Show>
            <Show when=move || { changed.get() > 0 }>
                <span class="badge" data-action="summarized">
                    {move || t!("{number} changed", number = thousands(changed.get()))}
                </span>
            </Show>
        </button>
    }
}

/// A topic with the settings of it that are shown.
#[component]
fn TopicSettings(
    settings: SettingsState,
    preset: Memo<Policy>,
    topic: Topic,
    shown: Vec<Setting>,
    format: Signal<&'static str>,
) -> impl IntoView {
    let heading = format!("settings-{}", topic.name());
    let labelled_by = heading.clone();
    let rows = shown.into_iter().map(|setting| row(settings, preset, setting)).collect_view();
    let more = match topic {
        Topic::Agents => Some(view! { <Agent settings /> }.into_any()),
        Topic::Code => Some(
            view! {
                <Code settings format />
                <JsonSettings settings />
            }
            .into_any(),
        ),
        Topic::When
        | Topic::Kept
        | Topic::Savings
        | Topic::Summary
        | Topic::Requests
        | Topic::Counting => None,
    };
    view! {
        <section class="topic" aria-labelledby=labelled_by>
            <h3 id=heading>{topic.label()}</h3>
            <p class="hint">{topic.about()}</p>
            {more}
            {rows}
        </section>
    }
}
