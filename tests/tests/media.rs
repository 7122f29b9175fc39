//! An image costs tokens by its pixels and its provider's formula, in every format.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use epitome::message::{Media, Part};
use epitome::tokens::{ImageCost, Meter, TokenOverhead};
use epitome_formats::Format;
use epitome_tokens::heuristic;
use serde_json::{Value, json};

/// Base64 whose first bytes are those of a PNG of 1280 × 720 pixels, and of about 300 kB.
fn image() -> String {
    format!("iVBORw0KGgoAAAANSUhEUgAABQAAAALQCAYA{}", "A".repeat(400_000))
}

/// A user message in this format with the image.
fn message(format: Format) -> Value {
    let bytes = image();
    let address = format!("data:image/png;base64,{bytes}");
    match format {
        Format::OpenAiChat | Format::LangChain => {
            let image = json!({ "type": "image_url", "image_url": { "url": address } });
            match format {
                Format::LangChain => {
                    json!({ "type": "human", "data": { "content": [image] } })
                }
                _ => json!({ "role": "user", "content": [image] }),
            }
        }
        Format::OpenAiResponses => {
            let image = json!({ "type": "input_image", "image_url": address });
            json!({ "type": "message", "role": "user", "content": [image] })
        }
        Format::Anthropic => {
            let source = json!({ "type": "base64", "media_type": "image/png", "data": bytes });
            json!({ "role": "user", "content": [{ "type": "image", "source": source }] })
        }
        Format::AiSdkUi => {
            let file = json!({ "type": "file", "mediaType": "image/png", "url": address });
            json!({ "id": "m", "role": "user", "parts": [file] })
        }
        Format::AiSdkModel => {
            let image = json!({ "type": "image", "mediaType": "image/png", "image": bytes });
            json!({ "role": "user", "content": [image] })
        }
        Format::Gemini => {
            let data = json!({ "mimeType": "image/png", "data": bytes });
            json!({ "role": "user", "parts": [{ "inlineData": data }] })
        }
        Format::Bedrock => {
            let image = json!({ "format": "png", "source": { "bytes": bytes } });
            json!({ "role": "user", "content": [{ "image": image }] })
        }
    }
}

#[test]
fn an_image_in_base64_costs_by_its_pixels_in_every_format() {
    for format in Format::ALL {
        let reading = format.read(&"m".into(), &message(format)).unwrap();
        let [read] = reading.messages.as_slice() else { unreachable!("one message") };
        let media = Media {
            media_type: Some("image/png".into()),
            pixels: Some((1_280, 720)),
            bytes: Some(300_027),
            ..Media::default()
        };
        assert_eq!(read.parts, [Part::Image(media)], "{format:?}");
        let (image, overhead) = match format {
            Format::Anthropic | Format::Bedrock => (ImageCost::CLAUDE, TokenOverhead::CLAUDE),
            Format::Gemini => (ImageCost::GEMINI, TokenOverhead::GEMINI),
            _ => (ImageCost::GPT_4O, TokenOverhead::OPENAI),
        };
        let cost = Meter::cost_of(read, heuristic(format.family()).as_ref());
        assert_eq!(cost, image.tokens(1_280, 720) + overhead.message, "{format:?}");
        assert!(cost < 2_000, "{format:?}");
    }
}
