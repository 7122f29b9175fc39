//! Files that the user picked or dropped; gzip files are unpacked.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    ClipboardEvent, DragEvent, Element, Event, HtmlInputElement, ReadableWritablePair, Response,
};

use crate::language::t;

pub(crate) use web_sys::File;

#[wasm_bindgen]
extern "C" {
    type DecompressionStream;

    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
}

/// The first file of a file input. Clears the input, so that the same file can be picked again.
pub(crate) fn chosen(event: &Event) -> Option<File> {
    let input: HtmlInputElement = event.target()?.dyn_into().ok()?;
    let file = input.files()?.get(0);
    input.set_value("");
    file
}

/// The first file of a drop.
pub(crate) fn dropped(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

/// What was pasted.
pub(crate) enum Pasted {
    /// A copied file.
    File(File),
    /// A copied text.
    Text(String),
}

/// What was pasted outside of any field; `None` if a field receives it.
pub(crate) fn pasted(event: &ClipboardEvent) -> Option<Pasted> {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if target.is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA")) {
        return None;
    }
    let clipboard = event.clipboard_data()?;
    if let Some(file) = clipboard.files().and_then(|files| files.get(0)) {
        return Some(Pasted::File(file));
    }
    clipboard.get_data("text").ok().filter(|text| !text.trim().is_empty()).map(Pasted::Text)
}

/// The text of a file. Fails with a sentence for the user.
pub(crate) async fn read(file: &File) -> Result<String, String> {
    let name = file.name();
    let text = if name.to_ascii_lowercase().ends_with(".gz") {
        unzip(file).await
    } else {
        text(file.text()).await
    };
    text.map_err(|_| {
        t!("{name} could not be read. Is it a text file, or gzip as its name says?", name)
    })
}

async fn unzip(file: &File) -> Result<String, JsValue> {
    let unpacker: ReadableWritablePair =
        JsValue::from(DecompressionStream::new("gzip")?).unchecked_into();
    let stream = file.stream().pipe_through(&unpacker);
    let response = Response::new_with_opt_readable_stream(Some(&stream))?;
    text(response.text()?).await
}

async fn text(promise: Promise) -> Result<String, JsValue> {
    JsFuture::from(promise).await?.as_string().ok_or(JsValue::NULL)
}
