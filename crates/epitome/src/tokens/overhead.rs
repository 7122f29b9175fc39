//! What a provider counts besides text: messages, names, calls, requests, pictures and files.

use super::ImageCost;
use crate::message::Media;

/// What a provider counts besides the tokens of texts.
///
/// Values are data, so that a host can put its own beside a tokenizer; see
/// [`WithOverhead`](super::WithOverhead).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenOverhead {
    /// For each message: its role and its borders.
    pub message: u32,
    /// For the name of a speaker, besides the tokens of the name.
    pub author: u32,
    /// For each tool call, besides its name and its arguments.
    pub call: u32,
    /// For each tool result, besides its text.
    pub result: u32,
    /// Once for each request.
    pub request: u32,
    /// For a picture.
    pub image: ImageCost,
    /// For each page of a document.
    pub page: u32,
    /// For each second of sound.
    pub sound_second: u32,
    /// For each second of film, its sound included.
    pub film_second: u32,
}

impl TokenOverhead {
    /// Where the provider is not known: middling figures.
    pub const USUAL: Self = Self {
        message: 4,
        author: 0,
        call: 8,
        result: 8,
        request: 0,
        image: ImageCost::GPT_4O,
        page: 1_500,
        sound_second: 10,
        film_second: 263,
    };

    /// OpenAI's models since GPT-3.5. Messages (three, and one for the role), names and requests are from
    /// OpenAI's cookbook, "How to count tokens with tiktoken"; a second of sound from its guide to audio.
    /// About calls and pages nothing is published.
    pub const OPENAI: Self = Self { author: 1, request: 3, ..Self::USUAL };

    /// Anthropic's models. Messages and calls are least squares over the usage that was recorded with two
    /// sessions of Claude 4.5, 849 messages and 849 answers: 10 to 11 a message, 54 to 61 a call. A page is
    /// the middle of what Anthropic's guide to PDF gives for its text, and a picture of it.
    pub const CLAUDE: Self = Self {
        message: 10,
        call: 57,
        result: 0,
        image: ImageCost::CLAUDE,
        page: 2_250 + 1_500,
        ..Self::USUAL
    };

    /// Google's models since Gemini 2. Pages and seconds are from Google's guide to counting tokens, and a
    /// message is what its example of a chat adds.
    pub const GEMINI: Self = Self {
        message: 1,
        image: ImageCost::GEMINI,
        page: 258,
        sound_second: 32,
        film_second: 263,
        ..Self::USUAL
    };

    /// Tokens of a picture; where its size is not known, of one of the usual size.
    pub fn picture(&self, media: &Media) -> u32 {
        let sized = media.pixels.map(|(width, height)| self.image.tokens(width, height));
        sized.unwrap_or_else(|| self.image.usual())
    }

    /// Tokens of a file by its type and its bytes: those of its text, its pages, or its seconds. Where the
    /// bytes are not known, it is one page, or one minute.
    pub fn file(&self, media: &Media) -> u32 {
        let kind = media.media_type.as_deref().unwrap_or_default();
        let units = |bytes_each: u32, unknown: u32| {
            media.bytes.map_or(unknown, |bytes| bytes.div_ceil(bytes_each).max(1))
        };
        match kind.split_once('/') {
            Some(("audio", _)) => self.sound_second.saturating_mul(units(SOUND_SECOND, MINUTE)),
            Some(("video", _)) => self.film_second.saturating_mul(units(FILM_SECOND, MINUTE)),
            Some(("text", _)) => units(BYTES_A_TOKEN, self.page),
            _ => self.page.saturating_mul(units(PAGE, 1)),
        }
    }
}

/// Bytes of a second of sound at 128 kilobits, which is usual.
const SOUND_SECOND: u32 = 16_000;
/// Bytes of a second of film at 2 megabits, which is usual.
const FILM_SECOND: u32 = 250_000;
/// Bytes of a page of a document: a guess, for pages with pictures take more and those without less.
const PAGE: u32 = 100_000;
/// Seconds taken for a recording of unknown length.
const MINUTE: u32 = 60;
/// Bytes of a token of plain text.
const BYTES_A_TOKEN: u32 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn media(kind: &str, bytes: Option<u32>) -> Media {
        Media { media_type: Some(kind.into()), bytes, ..Media::default() }
    }

    #[test]
    fn a_picture_costs_what_its_provider_says() {
        let costs = |pixels| {
            let picture = Media { pixels, ..Media::default() };
            [TokenOverhead::OPENAI, TokenOverhead::CLAUDE, TokenOverhead::GEMINI]
                .map(|overhead| overhead.picture(&picture))
        };
        assert_eq!(costs(Some((128, 64))), [255, 11, 258]);
        assert_eq!(costs(None), costs(Some((1024, 1024))));
    }

    #[test]
    fn a_file_costs_by_its_text_its_pages_or_its_seconds() {
        let overhead = TokenOverhead::GEMINI;
        assert_eq!(overhead.file(&media("audio/mpeg", Some(160_000))), 320);
        assert_eq!(overhead.file(&media("video/mp4", None)), 60 * 263);
        assert_eq!(overhead.file(&media("text/plain", Some(4_000))), 1_000);
        assert_eq!(overhead.file(&media("application/pdf", Some(250_000))), 3 * 258);
        assert_eq!(overhead.file(&Media::default()), 258);
        assert_eq!(overhead.file(&media("application/pdf", Some(0))), 258);
        assert!(overhead.file(&media("video/mp4", Some(u32::MAX))) > 4_000_000);
    }
}
