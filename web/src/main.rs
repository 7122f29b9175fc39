//! The page: load a conversation, see its window, compact it, take it back.

#![expect(unreachable_pub, reason = "leptos writes every component as `pub`")]

mod app;
mod browser;
mod details;
mod driver;
mod findings;
mod form;
mod load;
mod messages;
mod meter;
mod number;
mod preview;
mod result;
mod run;
mod settings;
mod store;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
}
