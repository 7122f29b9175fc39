//! Everything that the page needs from the browser. No other module uses `web_sys`.

mod abort;
mod built_in;
mod clipboard;
mod download;
mod element;
mod file;
mod http;
mod json;
mod keyboard;
mod lab;
mod language;
mod log;
mod pace;
mod performance;
mod picture;
mod pointer;
mod sessions;
mod storage;
mod theme;

pub(crate) use abort::Abort;
pub(crate) use built_in::{ask_model, check_model, has_model};
pub(crate) use clipboard::copy;
pub(crate) use download::save;
pub(crate) use element::{
    MAIN, close_dialog, closest, focus, focus_instead_of_nothing, has_focus, is_open, is_there,
    mark, open_dialog, remove, reveal, scroll_to_start, scroll_top,
};
pub(crate) use file::{File, Pasted, chosen, dropped, pasted, read};
pub(crate) use http::{address_part, bytes_at, clear_address_part, origin, text_at};
pub(crate) use json::{lines, pieces, pretty};
pub(crate) use keyboard::{click, focused_number, page_key};
pub(crate) use lab::show_lab;
pub(crate) use language::{
    catalog_text, choose_language, page_language, plural_category, written_number,
};
pub(crate) use log::{
    Calls, Lines, Log, Role, archive, ask_to_persist, delete_log, new_id, storage_use,
};
pub(crate) use pace::Pace;
pub(crate) use performance::{Stopwatch, show_memory};
pub(crate) use picture::{Block, Words, copy_picture};
pub(crate) use pointer::{drag_along, share_along};
pub(crate) use sessions::sessions_in;
pub(crate) use storage::{Lifetime, forget, on_other_tabs_change, recall, remember};
pub(crate) use theme::Theme;
