//! Images and files in messages.

use std::borrow::Cow;

use epitome::message::{Media, Part};

use crate::image_size::{decoded_length, image_size};

/// An image or a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attachment<'a> {
    pub(crate) media_type: Option<Cow<'a, str>>,
    pub(crate) name: Option<Cow<'a, str>>,
    pub(crate) source: Source<'a>,
}

/// Where the bytes of an attachment are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Source<'a> {
    /// In the message, as base64.
    Base64(Cow<'a, str>),
    /// At a URL.
    Url(Cow<'a, str>),
    /// Stored by the provider, under this id.
    Id(Cow<'a, str>),
    /// The message does not name a source in a known form.
    #[default]
    Unknown,
}

impl<'a> Attachment<'a> {
    /// An attachment at a URL. A data URL holds the bytes itself: `data:image/png;base64,…`.
    pub(crate) fn at(url: &'a str) -> Self {
        let Some(data) = url.strip_prefix("data:") else {
            return Self { source: Source::Url(url.into()), ..Self::default() };
        };
        let (head, bytes) = data.split_once(',').unwrap_or((data, ""));
        let media_type = head.split(';').next().filter(|name| !name.is_empty());
        let source = match head.ends_with(";base64") {
            true => Source::Base64(bytes.into()),
            false => Source::Url(url.into()),
        };
        Self { media_type: media_type.map(Cow::Borrowed), name: None, source }
    }

    /// An attachment with its bytes in base64.
    pub(crate) fn bytes(media_type: Option<&'a str>, base64: &'a str) -> Self {
        let source = Source::Base64(base64.into());
        Self { media_type: media_type.map(Cow::Borrowed), name: None, source }
    }

    /// The URL of the attachment. If the message has the bytes, it is a data URL. `None` if only the provider has
    /// the bytes.
    pub(crate) fn url(&self) -> Option<String> {
        match &self.source {
            Source::Url(url) => Some(url.to_string()),
            Source::Base64(bytes) => {
                let media_type = self.media_type.as_deref().unwrap_or("application/octet-stream");
                Some(format!("data:{media_type};base64,{bytes}"))
            }
            Source::Id(_) | Source::Unknown => None,
        }
    }

    /// True if the media type is that of an image.
    pub(crate) fn is_image(&self) -> bool {
        self.media_type.as_deref().is_some_and(|media_type| media_type.starts_with("image"))
    }

    /// The engine's part for the attachment: an image if the media type is that of an image, otherwise a file.
    pub(crate) fn part(&self) -> Part {
        match self.is_image() {
            true => Part::Image(self.media()),
            false => Part::File(self.media()),
        }
    }

    /// The fields from which the engine estimates the tokens of the attachment and names it in a transcript.
    pub(crate) fn media(&self) -> Media {
        let address = match &self.source {
            Source::Url(url) if !url.starts_with("data:") => Some(url.chars().take(200).collect()),
            Source::Id(id) => Some(id.to_string()),
            _ => None,
        };
        let base64 = match &self.source {
            Source::Base64(bytes) => Some(bytes.as_ref()),
            _ => None,
        };
        let image = base64.filter(|_| self.is_image());
        Media {
            media_type: self.media_type.as_deref().map(str::to_owned),
            name: self.name.as_deref().map(str::to_owned).or(address),
            pixels: image.and_then(image_size),
            bytes: base64.map(decoded_length),
        }
    }
}
