//! The pictures of a loaded message. The engine knows only their sizes; their data is in the message as it was loaded.

use epitome::message::{Media, Message, MessageId, Part, Role};
use epitome_formats::{split_step_id, step_id};
use serde_json::Value;

use super::Session;
use super::fill::is_image;

/// How the data of each type of picture begins in base64. A page shows these and runs nothing in them.
const TYPES: [(&str, &str); 4] = [
    ("iVBORw0KGgo", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
];

impl Session {
    /// The pictures of the message at a position as data URLs, one for each of its images. Empty if the message does not have the
    /// data of all its images.
    pub(crate) fn pictures(&self, position: usize) -> Vec<String> {
        let Some(message) = self.message(position) else { return Vec::new() };
        let own = images(message);
        if own == 0 {
            return Vec::new();
        }
        let (whole, step) = split_step_id(&message.id);
        let before: usize =
            (0..step).filter_map(|step| self.images_of(&step_id(&whole, step))).sum();
        let after = (step + 1..).map_while(|step| self.images_of(&step_id(&whole, step)));
        let all = before + own + after.sum::<usize>();
        let found = serde_wasm_bindgen::from_value(self.original(&whole));
        let found = found.map(|value: Value| pictures_in(&value)).unwrap_or_default();
        match found.len() == all {
            true => found.into_iter().skip(before).take(own).collect(),
            false => Vec::new(),
        }
    }

    /// The tokens of an image, in the provider's tokens.
    pub(crate) fn image_tokens(&self, media: &Media) -> u32 {
        let Some(compactor) = self.compactor() else { return 0 };
        let cost = |parts| {
            let message = Message::with_parts("", Role::User, parts);
            let cost = compactor.conversation().meter().measure(&message);
            compactor.scale().to_provider(cost.tokens)
        };
        cost(vec![Part::Image(media.clone())]).saturating_sub(cost(Vec::new()))
    }

    fn images_of(&self, id: &MessageId) -> Option<usize> {
        let position = self.compactor()?.log().position(id)?;
        self.message(position).map(images)
    }
}

fn images(message: &Message) -> usize {
    message.parts.iter().filter(|part| is_image(part)).count()
}

/// The pictures in a message of any format, in order: each is a data URL or the data alone.
fn pictures_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => picture(text).into_iter().collect(),
        Value::Array(values) => values.iter().flat_map(pictures_in).collect(),
        Value::Object(fields) => fields.values().flat_map(pictures_in).collect(),
        _ => Vec::new(),
    }
}

fn picture(text: &str) -> Option<String> {
    let data = match text.strip_prefix("data:image/") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    let (_, media_type) = TYPES.iter().find(|(beginning, _)| data.starts_with(beginning))?;
    Some(format!("data:{media_type};base64,{data}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_are_found_in_messages_of_every_format() {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
        let url = format!("data:image/png;base64,{png}");
        for part in [
            json!({ "type": "image_url", "image_url": { "url": url } }),
            json!({ "type": "input_image", "image_url": url }),
            json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": png } }),
            json!({ "inlineData": { "mimeType": "image/png", "data": png } }),
            json!({ "type": "file", "mediaType": "image/png", "url": url }),
            json!({ "image": { "format": "png", "source": { "bytes": png } } }),
        ] {
            let message =
                json!({ "role": "user", "content": [{ "type": "text", "text": "Look" }, part] });
            assert_eq!(pictures_in(&message), [url.as_str()], "{message}");
        }
    }

    #[test]
    fn nothing_is_fetched_and_no_document_is_shown() {
        for text in ["https://example.com/a.png", "data:image/svg+xml;base64,PHN2Zz4=", "iVB", ""] {
            assert_eq!(picture(text), None, "{text}");
        }
    }
}
