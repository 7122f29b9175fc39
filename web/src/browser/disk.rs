//! Files that only this page sees, in the browser's private file system. A file is replaced as a whole, when its new content is
//! complete: a tab that is closed in between leaves the old one.

use js_sys::{Array, Promise};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetFileOptions,
    FileSystemWritableFileStream, StorageEstimate, StorageManager,
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
    JsFuture::from(file(name).await?.text()).await.ok()?.as_string()
}

/// The bytes of a file; 0 if there is no such file.
pub(crate) async fn file_bytes(name: &str) -> f64 {
    file(name).await.map_or(0.0, |file| file.size())
}

/// What the page's origin uses of its space, and all of that space, in bytes; `None` if the browser does not say.
pub(crate) async fn used_bytes() -> Option<(f64, f64)> {
    let estimate = storage()?.estimate().ok()?;
    let estimate: StorageEstimate = JsFuture::from(estimate).await.ok()?.unchecked_into();
    Some((estimate.get_usage()?, estimate.get_quota()?))
}

/// True if the browser has promised to delete nothing of this page when the disk fills up.
pub(crate) async fn is_persisted() -> bool {
    says_yes(storage().and_then(|storage| storage.persisted().ok())).await
}

/// Asks the browser for that promise. True if it gives it: some ask the user.
pub(crate) async fn ask_to_persist() -> bool {
    says_yes(storage().and_then(|storage| storage.persist().ok())).await
}

async fn says_yes(answer: Option<Promise>) -> bool {
    match answer {
        Some(answer) => {
            JsFuture::from(answer).await.is_ok_and(|answer| answer.as_bool() == Some(true))
        }
        None => false,
    }
}

/// Removes a file, if it is there.
pub(crate) async fn remove_file(name: &str) {
    if let Ok(folder) = folder().await {
        let _ = JsFuture::from(folder.remove_entry(name)).await;
    }
}

async fn file(name: &str) -> Option<File> {
    let handle = JsFuture::from(folder().await.ok()?.get_file_handle(name)).await.ok()?;
    let handle: FileSystemFileHandle = handle.dyn_into().ok()?;
    JsFuture::from(handle.get_file()).await.ok()?.dyn_into().ok()
}

async fn folder() -> Result<FileSystemDirectoryHandle, JsValue> {
    JsFuture::from(storage().ok_or(JsValue::NULL)?.get_directory()).await?.dyn_into()
}

/// A page that is not served over HTTPS or from localhost has none.
fn storage() -> Option<StorageManager> {
    let storage = web_sys::window()?.navigator().storage();
    (!JsValue::from(storage.clone()).is_undefined()).then_some(storage)
}
