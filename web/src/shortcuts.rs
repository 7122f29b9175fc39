//! Keys for what is done most, and the dialog that lists them and turns them off.

use leptos::prelude::*;

use crate::browser::{
    Lifetime, click, focus, focused_number, forget, open_dialog, page_key, recall, remember,
};
use crate::dialog::{Dialog, DialogHead};
use crate::driver;
use crate::language::t;
use crate::load::{Found, open_sample_number};
use crate::messages::begin_search;
use crate::result::compare_latest;
use crate::run::{COMPACT_BUTTON, CONTINUE_BUTTON};
use crate::store::{Perspective, Store};

const DIALOG: &str = "shortcuts";
/// The name under which the browser keeps that the keys are off.
const OFF: &str = "epitome-keys-off";

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Compact,
    Undo,
    Compare,
    Pin,
    Search,
    Switch,
    Settings,
    Sample(u32),
    Help,
}

impl Action {
    /// What it does, in words.
    fn label(self) -> &'static str {
        match self {
            Self::Compact => t!("Compact now"),
            Self::Undo => t!("Undo the latest compaction, or a change of the state since"),
            Self::Compare => t!("Diff of the latest compaction"),
            Self::Pin => t!("Pin the message that has the focus, or unpin it"),
            Self::Search => t!("Search the messages"),
            Self::Switch => t!("Switch between the conversation and what the model sees"),
            Self::Settings => t!("All settings"),
            Self::Sample(0) => t!("Open the first sample"),
            Self::Sample(1) => t!("Open the second sample"),
            Self::Sample(2) => t!("Open the third sample"),
            Self::Sample(3) => t!("Open the fourth sample"),
            Self::Sample(4) => t!("Open the fifth sample"),
            Self::Sample(_) => t!("Open the sixth sample"),
            Self::Help => t!("Show these keys"),
        }
    }
}

/// Every key with what it does, in the order of the dialog.
const KEYS: [(&str, Action); 14] = [
    ("c", Action::Compact),
    ("u", Action::Undo),
    ("d", Action::Compare),
    ("p", Action::Pin),
    ("/", Action::Search),
    ("v", Action::Switch),
    (",", Action::Settings),
    ("1", Action::Sample(0)),
    ("2", Action::Sample(1)),
    ("3", Action::Sample(2)),
    ("4", Action::Sample(3)),
    ("5", Action::Sample(4)),
    ("6", Action::Sample(5)),
    ("?", Action::Help),
];

/// Follows the keys that are pressed.
pub(crate) fn watch_keys(store: Store, found: Found) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let Some(pressed) = page_key(&event) else { return };
        let Some((_, action)) = KEYS.iter().find(|(key, _)| *key == pressed) else { return };
        let off = recall(Lifetime::Lasting, OFF).is_some();
        if !off || *action == Action::Help {
            event.prevent_default();
            perform(store, found, *action);
        }
    });
    on_cleanup(move || keys.remove());
}

fn perform(store: Store, found: Found, action: Action) {
    match action {
        Action::Compact if store.live.deciding.with_untracked(Option::is_some) => {
            click(CONTINUE_BUTTON);
        }
        Action::Compact => click(COMPACT_BUTTON),
        Action::Undo => {
            if untrack(|| store.is_undoable()) {
                driver::undo(store);
                focus(COMPACT_BUTTON);
            } else {
                store.announce(t!("There is nothing to undo."));
            }
        }
        Action::Compare => {
            if !compare_latest(store) {
                store.announce(t!("There is no compaction to compare."));
            }
        }
        Action::Pin => match focused_number("data-position") {
            Some(position) => driver::toggle_pin(store, position),
            None => store.announce(t!("Focus a message of the list first.")),
        },
        Action::Search => begin_search(),
        Action::Switch => store.perspective.update(|perspective| {
            *perspective = match perspective {
                Perspective::Conversation => Perspective::Model,
                Perspective::Model => Perspective::Conversation,
            };
        }),
        Action::Settings => store.settings.sheet.open(),
        Action::Sample(number) => open_sample_number(store, found, number),
        Action::Help => show(),
    }
}

/// Shows the dialog.
pub(crate) fn show() {
    open_dialog(DIALOG);
}

/// The dialog.
#[component]
pub(crate) fn Shortcuts() -> impl IntoView {
    let on = RwSignal::new(recall(Lifetime::Lasting, OFF).is_none());
    let choose = move |event| {
        on.set(event_target_checked(&event));
        match on.get_untracked() {
            true => forget(Lifetime::Lasting, OFF),
            false => remember(Lifetime::Lasting, OFF, "off"),
        }
    };
    let rows = KEYS.map(|(key, action)| {
        view! {
            <div class="shortcut">
                <dt><kbd>{key}</kbd></dt>
                <dd>{action.label()}</dd>
            </div>
        }
    });
    view! {
        <Dialog id=DIALOG class="sheet">
            <DialogHead of=DIALOG title=t!("Keys") />
            <dl class="shortcuts">{rows}</dl>
            <p class="hint">
                {t!("In the list, the arrow keys, Page Up, Page Down, Home and End move from message to message, and Enter opens one. A mark on the bar moves by the arrow keys. Escape closes a dialog.")}
            </p>
            <div class="option">
                <input type="checkbox" id="keys-on" prop:checked=on on:change=choose />
                <label for="keys-on">{t!("Keys without Ctrl or Alt act on the page")}</label>
            </div>
        </Dialog>
    }
}
