//! Content blocks of LangChain messages: its own types of all versions, and those of providers.

use std::borrow::Cow;

use serde_json::Value;

use crate::attachment::{Attachment, Source};
use crate::content::ContentPart;

/// Reads a block; `None` for an unknown type.
pub(super) fn block(block: &Value) -> Option<ContentPart<'_>> {
    let text = |path: &str| block.pointer(path).and_then(Value::as_str);
    if let Value::String(text) = block {
        return Some(ContentPart::Text(text.into()));
    }
    Some(match text("/type") {
        Some("refusal") => ContentPart::Text(text("/refusal")?.into()),
        Some("reasoning" | "thinking" | "redacted_thinking" | "reasoning_content") => {
            reasoning(block)
        }
        // A document with its text in the message.
        Some("text-plain" | "file") if text("/text").is_some() => {
            ContentPart::Text(text("/text")?.into())
        }
        Some("text" | "text_delta" | "input_text" | "output_text") => {
            ContentPart::Text(text("/text")?.into())
        }
        Some(kind) => match MEDIA.iter().find(|(name, _)| *name == kind) {
            Some((_, fallback)) => attachment(block, fallback).into(),
            None if KEPT.contains(&kind) || kind.ends_with("_tool_result") => {
                ContentPart::opaque(kind, block)
            }
            None => return None,
        },
        None if block.get("cachePoint").is_some() => ContentPart::NotSent,
        None => ContentPart::Text(text("/text")?.into()),
    })
}

/// Blocks that are kept as they are.
const KEPT: [&str; 14] = [
    "non_standard",
    "citation",
    "server_tool_call",
    "server_tool_call_chunk",
    "server_tool_call_result",
    "server_tool_use",
    "mcp_tool_use",
    "input_json_delta",
    "container_upload",
    "search_result",
    "compaction",
    "executableCode",
    "codeExecutionResult",
    "guard_content",
];

/// Blocks of images and files, with the media type for those that do not have one.
const MEDIA: [(&str, &str); 12] = [
    ("image_url", "image"),
    ("image", "image"),
    ("input_image", "image"),
    ("audio", "audio"),
    ("input_audio", "audio"),
    ("video", "video"),
    ("video_url", "video"),
    ("file", ""),
    ("input_file", ""),
    ("document", ""),
    ("media", ""),
    ("text-plain", "text/plain"),
];

/// Reads reasoning from a block or a field.
pub(super) fn reasoning(value: &Value) -> ContentPart<'_> {
    let text = |path: &&str| value.pointer(path).and_then(Value::as_str);
    let first = |paths: &[&str]| paths.iter().find_map(text).filter(|text| !text.is_empty());
    let summary = value.get("summary").and_then(Value::as_array);
    let summary = summary.into_iter().flatten().filter_map(|part| part.get("text")?.as_str());
    let text = match value.as_str().or(first(&REASONING)) {
        Some(text) => Cow::Borrowed(text),
        None => summary.collect::<Vec<_>>().join("\n").into(),
    };
    ContentPart::Reasoning { text, signature: first(&SIGNATURES).map(Cow::Borrowed) }
}

const REASONING: [&str; 5] = [
    "/reasoning",
    "/thinking",
    "/reasoningText/text",
    "/reasoning_content/text",
    "/reasoning_content/reasoningText/text",
];

const SIGNATURES: [&str; 8] = [
    "/signature",
    "/data",
    "/encrypted_content",
    "/extras/signature",
    "/reasoningText/signature",
    "/redactedContent",
    "/reasoning_content/signature",
    "/reasoning_content/reasoningText/signature",
];

fn attachment<'a>(block: &'a Value, fallback: &'static str) -> Attachment<'a> {
    let text = |path: &&str| block.pointer(path).and_then(Value::as_str);
    let first = |paths: &[&str]| paths.iter().find_map(text);
    // In other blocks `id` is that of the block, and not of a file.
    let file_id = first(&["/id"]).filter(|_| first(&["/source_type"]) == Some("id"));
    let mut attachment = match (first(&BYTES), first(&URLS), first(&IDS).or(file_id)) {
        (Some(bytes), _, _) if bytes.starts_with("data:") => Attachment::at(bytes),
        (Some(bytes), _, _) => Attachment::bytes(None, bytes),
        (None, Some(url), _) => Attachment::at(url),
        (None, None, Some(id)) => {
            Attachment { source: Source::Id(id.into()), ..Attachment::default() }
        }
        (None, None, None) => Attachment::default(),
    };
    let audio = first(&["/input_audio/format"]).map(|format| format!("audio/{format}").into());
    let media_type = first(&MEDIA_TYPES).map(Cow::Borrowed).or(attachment.media_type).or(audio);
    let fallback = (!fallback.is_empty()).then_some(Cow::Borrowed(fallback));
    attachment.media_type = media_type.or(fallback);
    attachment.name = first(&NAMES).map(Cow::Borrowed);
    attachment
}

const BYTES: [&str; 6] =
    ["/data", "/base64", "/source/data", "/input_audio/data", "/file/file_data", "/file_data"];

const URLS: [&str; 8] = [
    "/url",
    "/image_url/url",
    "/image_url",
    "/video_url/url",
    "/source/url",
    "/file_url",
    "/fileUri",
    "/file_uri",
];

const IDS: [&str; 4] = ["/fileId", "/file_id", "/source/file_id", "/file/file_id"];

const MEDIA_TYPES: [&str; 3] = ["/mimeType", "/mime_type", "/source/media_type"];

const NAMES: [&str; 7] = [
    "/metadata/filename",
    "/metadata/name",
    "/metadata/title",
    "/filename",
    "/file/filename",
    "/title",
    "/name",
];

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Role;
    use epitome::test_notation::notate;
    use serde_json::json;

    #[track_caller]
    fn check(value: &Value, notation: &str) {
        let mut content = crate::content::Content::default();
        content.push(Role::Assistant, crate::path::Path::default(), block(value).unwrap());
        let parts = content.steps[0].parts().map(|(part, _)| part).collect();
        let message = epitome::message::Message::with_parts("m", Role::Assistant, parts);
        assert_eq!(notate([&message]).trim_end(), format!("a: {notation}").trim_end(), "{value}");
    }

    #[test]
    fn texts_and_reasoning_of_every_type_are_read() {
        check(&json!("hi"), "hi");
        check(&json!({ "type": "text", "text": "hi" }), "hi");
        check(&json!({ "text": "hi" }), "hi");
        check(&json!({ "type": "text", "source_type": "text", "text": "hi" }), "hi");
        check(&json!({ "type": "file", "source_type": "text", "text": "hi" }), "hi");
        check(&json!({ "type": "text-plain", "text": "hi", "title": "t" }), "hi");
        check(&json!({ "type": "refusal", "refusal": "no" }), "no");
        check(&json!({ "type": "reasoning", "reasoning": "hm" }), "?hm");
        check(&json!({ "type": "thinking", "thinking": "hm", "signature": "s" }), "?hm#s");
        check(&json!({ "type": "redacted_thinking", "data": "s" }), "?#s");
        let bedrock = json!({ "text": "hm", "signature": "s" });
        check(&json!({ "type": "reasoning_content", "reasoningText": bedrock }), "?hm#s");
        check(&json!({ "type": "reasoning_content", "reasoning_content": bedrock }), "?hm#s");
        let responses = json!({
            "type": "reasoning", "id": "rs", "encrypted_content": "s",
            "summary": [{ "type": "summary_text", "text": "hm" }],
        });
        check(&responses, "?hm#s");
        check(&json!({ "cachePoint": { "type": "default" } }), "");
        check(&json!({ "type": "non_standard", "value": {} }), "non_standard");
        check(&json!({ "type": "web_search_tool_result" }), "web_search_tool_result");
        assert_eq!(block(&json!({ "type": "hologram" })), None);
    }

    #[test]
    fn images_and_files_of_every_version_are_read() {
        let cases = [
            (
                json!({ "type": "image_url", "image_url": "https://a/b.png" }),
                "image",
                "https://a/b.png",
            ),
            (
                json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA" } }),
                "image/png",
                "data:image/png;base64,AA",
            ),
            (
                json!({ "type": "image", "source_type": "base64", "mime_type": "image/gif", "data": "AA" }),
                "image/gif",
                "data:image/gif;base64,AA",
            ),
            (
                json!({ "type": "image", "source_type": "url", "url": "https://a" }),
                "image",
                "https://a",
            ),
            (json!({ "type": "file", "source_type": "id", "id": "f1" }), "", "f1"),
            (
                json!({ "type": "file", "fileId": "f1", "mimeType": "application/pdf" }),
                "application/pdf",
                "f1",
            ),
            (
                json!({ "type": "video", "url": "https://a", "mimeType": "video/mp4" }),
                "video/mp4",
                "https://a",
            ),
            (
                json!({ "type": "audio", "base64": "AA", "mime_type": "audio/wav" }),
                "audio/wav",
                "data:audio/wav;base64,AA",
            ),
            (
                json!({ "type": "input_audio", "input_audio": { "format": "mp3", "data": "AA" } }),
                "audio/mp3",
                "data:audio/mp3;base64,AA",
            ),
            (
                json!({ "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "AA" } }),
                "application/pdf",
                "data:application/pdf;base64,AA",
            ),
            (
                json!({ "type": "media", "mimeType": "image/png", "fileUri": "gs://a" }),
                "image/png",
                "gs://a",
            ),
            (json!({ "type": "image", "data": { "0": 137 } }), "image", "elsewhere"),
        ];
        for (value, media_type, source) in cases {
            let (ContentPart::Image(media) | ContentPart::File(media)) = block(&value).unwrap()
            else {
                panic!("no attachment: {value}")
            };
            let place = match &media.source {
                Source::Id(id) => id.to_string(),
                _ => media.url().unwrap_or("elsewhere".into()),
            };
            let found = (media.media_type.as_deref().unwrap_or_default(), place.as_str());
            assert_eq!(found, (media_type, source), "{value}");
        }
    }
}
