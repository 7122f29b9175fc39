//! How an attachment reads where only text can stand.

use super::Media;

/// A picture or a file, told without its bytes.
pub(crate) fn attachment(kind: &str, media: &Media) -> String {
    match media.name.as_ref().or(media.media_type.as_ref()) {
        Some(name) => format!("[{kind}: {name}]"),
        None => format!("[{kind}]"),
    }
}
