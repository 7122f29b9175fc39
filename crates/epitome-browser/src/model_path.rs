//! The path of a route with the model's name in it, as Gemini's API has it.

use std::borrow::Cow;

/// The place of the model's name in a path.
const MODEL: &str = "{model}";

/// A route's path with the model's name in it.
pub(crate) fn model_path<'a>(template: &'a str, model: &str) -> Cow<'a, str> {
    if template.contains(MODEL) {
        let name = String::from(js_sys::encode_uri_component(bare_model(model)));
        Cow::Owned(template.replace(MODEL, &name))
    } else {
        Cow::Borrowed(template)
    }
}

/// The name of a Gemini model without `models/`, which Google writes before it in some places.
pub(crate) fn bare_model(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}
