//! Tokens that a provider counts in addition to texts: per message, name, tool call, request, image and file.

use super::ImageCost;
use crate::message::Media;

/// The tokens that a provider counts in addition to those of texts.
///
/// The values are data, so that an app can combine its own with any tokenizer; see
/// [`WithOverhead`](super::WithOverhead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenOverhead {
    /// Per message: its role and its delimiters.
    pub message: u32,
    /// Per author name, in addition to the tokens of the name.
    pub author: u32,
    /// Per tool call, in addition to its name and its arguments.
    pub call: u32,
    /// Per tool result, in addition to its text.
    pub result: u32,
    /// Once per request.
    pub request: u32,
    /// The formula for images.
    pub image: ImageCost,
    /// Per page of a document.
    pub page: u32,
    /// Per second of audio.
    pub audio_second: u32,
    /// Per second of video, its audio included.
    pub video_second: u32,
}

impl TokenOverhead {
    /// For an unknown provider: values between those of the known providers.
    pub const DEFAULT: Self = Self {
        message: 4,
        author: 0,
        call: 8,
        result: 8,
        request: 0,
        image: ImageCost::GPT_4O,
        page: 1_500,
        audio_second: 10,
        video_second: 263,
    };

    /// OpenAI's models since GPT-3.5. Messages (three tokens, and one for the role), names and requests are
    /// from OpenAI's cookbook, "How to count tokens with tiktoken"; a second of audio is from its guide to
    /// audio. OpenAI publishes nothing about calls and pages: they have the default values.
    pub const OPENAI: Self = Self { author: 1, request: 3, ..Self::DEFAULT };

    /// Anthropic's models. Messages and calls are fitted by least squares to the usage recorded in two
    /// sessions of Claude 4.5 with 849 messages and 849 answers: 10 to 11 tokens per message, 54 to 61 per
    /// call. A page is the middle of the range that Anthropic's guide to PDF gives for its text, plus an image
    /// of the page.
    pub const CLAUDE: Self = Self {
        message: 10,
        call: 57,
        result: 0,
        image: ImageCost::CLAUDE,
        page: 2_250 + 1_500,
        ..Self::DEFAULT
    };

    /// Google's models since Gemini 2. Pages and seconds are from Google's guide to counting tokens; a message
    /// is the difference in the guide's example of a chat.
    pub const GEMINI: Self = Self {
        message: 1,
        image: ImageCost::GEMINI,
        page: 258,
        audio_second: 32,
        video_second: 263,
        ..Self::DEFAULT
    };

    /// Tokens of an image, by its size if that is known. Constant time.
    pub fn image_tokens(&self, media: &Media) -> u32 {
        let sized = media.pixels.map(|(width, height)| self.image.tokens(width, height));
        sized.unwrap_or_else(|| self.image.tokens_of_unknown_size())
    }

    /// Tokens of a file, estimated from its media type and its size in bytes: those of its text, its pages or
    /// its seconds. A file of unknown size counts as one page or one minute. Constant time.
    pub fn file_tokens(&self, media: &Media) -> u32 {
        let kind = media.media_type.as_deref().unwrap_or_default();
        let units = |bytes_each: u32, unknown: u32| {
            media.bytes.map_or(unknown, |bytes| bytes.div_ceil(bytes_each).max(1))
        };
        match kind.split_once('/') {
            Some(("audio", _)) => {
                self.audio_second.saturating_mul(units(AUDIO_SECOND_BYTES, UNKNOWN_SECONDS))
            }
            Some(("video", _)) => {
                self.video_second.saturating_mul(units(VIDEO_SECOND_BYTES, UNKNOWN_SECONDS))
            }
            Some(("text", _)) => units(TEXT_TOKEN_BYTES, self.page),
            _ => self.page.saturating_mul(units(PAGE_BYTES, 1)),
        }
    }
}

/// Bytes per second of audio at a common bit rate, 128 kbit/s.
const AUDIO_SECOND_BYTES: u32 = 16_000;
/// Bytes per second of video at a common bit rate, 2 Mbit/s.
const VIDEO_SECOND_BYTES: u32 = 250_000;
/// Bytes per page of a document. This is a guess: pages with images are larger, and pages of text are smaller.
const PAGE_BYTES: u32 = 100_000;
/// Length of audio or video of unknown size, in seconds.
const UNKNOWN_SECONDS: u32 = 60;
/// Bytes per token of a text file.
const TEXT_TOKEN_BYTES: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn media(kind: &str, bytes: Option<u32>) -> Media {
        Media { media_type: Some(kind.into()), bytes, ..Media::default() }
    }

    #[test]
    fn an_image_costs_what_its_provider_documents() {
        let costs = |pixels| {
            let image = Media { pixels, ..Media::default() };
            [TokenOverhead::OPENAI, TokenOverhead::CLAUDE, TokenOverhead::GEMINI]
                .map(|overhead| overhead.image_tokens(&image))
        };
        assert_eq!(costs(Some((128, 64))), [255, 11, 258]);
        assert_eq!(costs(None), costs(Some((1024, 1024))));
    }

    #[test]
    fn a_file_is_counted_by_its_text_its_pages_or_its_seconds() {
        let overhead = TokenOverhead::GEMINI;
        assert_eq!(overhead.file_tokens(&media("audio/mpeg", Some(160_000))), 320);
        assert_eq!(overhead.file_tokens(&media("video/mp4", None)), 60 * 263);
        assert_eq!(overhead.file_tokens(&media("text/plain", Some(4_000))), 1_000);
        assert_eq!(overhead.file_tokens(&media("application/pdf", Some(250_000))), 3 * 258);
        assert_eq!(overhead.file_tokens(&Media::default()), 258);
        assert_eq!(overhead.file_tokens(&media("application/pdf", Some(0))), 258);
        assert!(overhead.file_tokens(&media("video/mp4", Some(u32::MAX))) > 4_000_000);
    }
}
