//! The page: load a conversation, see how full its window is, compact it, undo.
//!
//! Modules in layers, each of which uses only those before it: `browser`, `language`, `number`, `label`; `settings`; `store`;
//! `load`, `driver`; `messages`, `meter`, `strip`, `findings`; `run`, `preview`, `result`, `survives`, `state`,
//! `compactions`, `agents`, `chat`, `details`, `doctor`; `shortcuts`; `app`.

#![expect(unreachable_pub, reason = "leptos writes every component as `pub`")]

use std::time::Duration;

use leptos::prelude::set_timeout;

mod agents;
mod app;
mod browser;
mod chat;
mod compactions;
mod details;
mod dialog;
mod direction;
mod doctor;
mod driver;
mod findings;
mod lab;
mod label;
mod language;
mod load;
mod long_text;
mod messages;
mod meter;
mod next_request;
mod number;
mod preview;
mod result;
mod run;
mod settings;
mod shortcuts;
mod state;
mod store;
mod strip;
mod survives;

fn main() {
    console_error_panic_hook::set_once();
    language::begin();
    // The browser has just compiled the module, in the same task.
    set_timeout(|| leptos::mount::mount_to_body(app::App), Duration::ZERO);
}
