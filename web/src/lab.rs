//! The Lab: one conversation with several strategies and npm packages, side by side. A link to it ends in `#lab`.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::json;

use crate::browser::{address_part, clear_address_part, open_dialog, show_lab};
use crate::dialog::{Dialog, DialogHead};
use crate::language::t;
use crate::settings::{Form, preset_label};
use crate::store::{Session, Store};

const DIALOG: &str = "lab";
/// The part of the address that opens it.
const PART: &str = "#lab";
/// The id of the element that it is shown in.
const PLACE: &str = "lab-place";

/// The presets that are compared with the settings of the page. All of them go by tokens, as the other packages do.
const PRESETS: [&str; 3] = ["recommended", "workstream", "fill"];

/// Whether it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fetched {
    Waiting,
    Shown,
    Failed,
}

/// Opens it whenever the address ends in `#lab` and a conversation is there.
fn watch(store: Store, fetched: RwSignal<Fetched>) {
    let asked = RwSignal::new(false);
    let read = move || asked.set(address_part() == PART);
    request_animation_frame(read);
    let change = window_event_listener(leptos::ev::hashchange, move |_| read());
    on_cleanup(move || change.remove());
    let loaded = Memo::new(move |_| store.document.with(Option::is_some));
    Effect::new(move |_| {
        if asked.get() && loaded.get() {
            asked.set(false);
            open_dialog(DIALOG);
            spawn_local(async move {
                fetched.set(match show(store).await {
                    true => Fetched::Shown,
                    false => Fetched::Failed,
                });
            });
        }
    });
}

async fn show(store: Store) -> bool {
    let (messages, format) =
        store.read(|session: &Session| (session.history(), session.format().as_str()));
    let form = store.settings.form;
    let preset =
        form.with_untracked(|form| form.changed_fields().is_empty().then(|| form.preset()));
    let presets = PRESETS.map(|name| json!({ "name": name, "label": preset_label(name) }));
    let about = json!({
        "format": format,
        "policy": form.with_untracked(Form::json),
        "preset": preset,
        "presets": presets,
    });
    show_lab(PLACE, &messages, &about).await
}

/// The dialog.
#[component]
pub(crate) fn Lab(store: Store) -> impl IntoView {
    let fetched = RwSignal::new(Fetched::Waiting);
    watch(store, fetched);
    view! {
        <Dialog id=DIALOG class="details lab" on_close=clear_address_part>
            <DialogHead of=DIALOG title=t!("Lab")>
                <p class="figures">
                    {t!("This conversation, request by request, with several strategies of epitome and of other npm packages. All of them run in this page, without a model.")}
                </p>
            </DialogHead>
            <Show when=move || fetched.get() == Fetched::Waiting>
                <p class="hint" role="status">{t!("Fetching the other packages …")}</p>
            </Show>
            <Show when=move || fetched.get() == Fetched::Failed>
                <p class="notice error" role="alert">
                    {t!("The Lab could not be fetched. Is the server still running?")}
                </p>
            </Show>
            <div id=PLACE class="lab-place"></div>
        </Dialog>
    }
}
