//! An attachment as a text.

use super::Media;

/// A short text in place of an image or a file: its kind, and its name or media type if known.
pub(crate) fn attachment(kind: &str, media: &Media) -> String {
    match media.name.as_ref().or(media.media_type.as_ref()) {
        Some(name) => format!("[{kind}: {name}]"),
        None => format!("[{kind}]"),
    }
}
