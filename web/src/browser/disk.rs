//! Files that only this page sees, in the browser's private file system. A file is replaced as a whole, when its new content is
//! complete: a tab that is closed in between leaves the old one.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions,
    FileSystemWritableFileStream,
};

use super::download::blob;

/// Writes a text, given in pieces. Fails if the browser has no such files, or no space for it.
pub(crate) async fn write_file(name: &str, pieces: &Array) -> Result<(), JsValue> {
    let options = FileSystemGetFileOptions::new();
    options.set_create(true);
    let folder = folder().await?;
    let handle = folder.get_file_handle_with_options(name, &options);
    let handle: FileSystemFileHandle = JsFuture::from(handle).await?.dyn_into()?;
    let stream = JsFuture::from(handle.create_writable()).await?;
    let stream: FileSystemWritableFileStream = stream.dyn_into()?;
    JsFuture::from(stream.write_with_blob(&blob(pieces).await?)?).await?;
    JsFuture::from(stream.close()).await?;
    Ok(())
}

/// The text of a file; `None` if there is no such file.
pub(crate) async fn read_file(name: &str) -> Option<String> {
    let handle = JsFuture::from(folder().await.ok()?.get_file_handle(name)).await.ok()?;
    let handle: FileSystemFileHandle = handle.dyn_into().ok()?;
    let file: File = JsFuture::from(handle.get_file()).await.ok()?.dyn_into().ok()?;
    JsFuture::from(file.text()).await.ok()?.as_string()
}

/// Removes a file, if it is there.
pub(crate) async fn remove_file(name: &str) {
    if let Ok(folder) = folder().await {
        let _ = JsFuture::from(folder.remove_entry(name)).await;
    }
}

async fn folder() -> Result<FileSystemDirectoryHandle, JsValue> {
    let storage = web_sys::window().ok_or(JsValue::NULL)?.navigator().storage();
    // A page that is not served over HTTPS or from localhost has none.
    if JsValue::from(storage.clone()).is_undefined() {
        return Err(JsValue::NULL);
    }
    JsFuture::from(storage.get_directory()).await?.dyn_into()
}
