//! Files that the user picked or dropped; gzip files are unpacked.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DragEvent, Event, HtmlInputElement, ReadableWritablePair, Response};

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

/// The text of a file. Fails with a sentence for the user.
pub(crate) async fn read(file: &File) -> Result<String, String> {
    let name = file.name();
    let text = if name.to_ascii_lowercase().ends_with(".gz") {
        unzip(file).await
    } else {
        text(file.text()).await
    };
    text.map_err(|_| {
        format!("{name} could not be read. Is it a text file, or gzip as its name says?")
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
