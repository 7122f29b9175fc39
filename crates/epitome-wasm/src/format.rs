//! The formats by name.

use epitome_formats::Format;

use crate::error::{PackageErrorCode, Thrown};

/// The format of this name.
pub(crate) fn named(name: &str) -> Result<Format, Thrown> {
    Format::named(name).ok_or_else(|| {
        let known = Format::ALL.map(Format::as_str).join(", ");
        let problem = format!("format: {name:?} is not a format; there are {known}");
        Thrown::new(PackageErrorCode::UnknownFormat, &problem)
    })
}
