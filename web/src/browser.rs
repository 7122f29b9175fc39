//! Everything that the page needs from the browser. No other module uses `web_sys`.

mod abort;
mod clipboard;
mod disk;
mod download;
mod element;
mod file;
mod http;
mod json;
mod keyboard;
mod pace;
mod performance;
mod picture;
mod pointer;
mod storage;
mod theme;

pub(crate) use abort::Abort;
pub(crate) use clipboard::copy;
pub(crate) use disk::{
    ask_to_persist, file_bytes, is_persisted, read_file, remove_file, used_bytes, write_file,
};
pub(crate) use download::save;
pub(crate) use element::{
    MAIN, close_dialog, closest, focus, focus_instead_of_nothing, is_open, open_dialog, reveal,
    scroll_top,
};
pub(crate) use file::{File, Pasted, chosen, dropped, pasted, read};
pub(crate) use http::{address_part, bytes_at, clear_address_part, origin, text_at};
pub(crate) use json::pretty;
pub(crate) use keyboard::{click, focused_number, page_key};
pub(crate) use pace::Pace;
pub(crate) use performance::{Stopwatch, show_memory};
pub(crate) use picture::{Block, Words, copy_picture};
pub(crate) use pointer::{drag_along, share_along};
pub(crate) use storage::{Lifetime, forget, recall, remember};
pub(crate) use theme::Theme;
