//! The formats by name.

use serde::Serialize;
use tsify::Tsify;

use crate::error::{ErrorCode, Thrown};

/// A format that messages are read from and written to.
#[derive(Clone, Copy, Debug, Serialize, Tsify)]
pub enum Format {
    /// `OpenAI` Chat Completions, and the many servers that speak it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
}

impl From<epitome_formats::Format> for Format {
    fn from(format: epitome_formats::Format) -> Self {
        match format {
            epitome_formats::Format::OpenAiChat => Self::OpenAiChat,
        }
    }
}

/// The format of a name.
pub(crate) fn named(name: &str) -> Result<epitome_formats::Format, Thrown> {
    epitome_formats::Format::named(name).ok_or_else(|| {
        let known = epitome_formats::Format::ALL.map(epitome_formats::Format::as_str).join(", ");
        let problem = format!("format: {name:?} is no format that can be read; there are {known}");
        Thrown::new(ErrorCode::UnknownFormat, &problem)
    })
}
