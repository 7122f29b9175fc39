//! A picture of a message: its size, what it costs by that, and what its data would cost if it were text.

use epitome::message::Media;
use leptos::prelude::*;

use crate::language::t;
use crate::messages::{attachment, size};
use crate::number::{bytes, plural, thousands};
use crate::store::Store;

/// A picture.
#[component]
pub(super) fn Picture(
    store: Store,
    media: Media,
    /// The picture as a data URL, if the message has its data.
    data: Option<String>,
) -> impl IntoView {
    let tokens = store.read(|session| session.image_tokens(&media));
    let tokens = plural(tokens, "token", "tokens");
    // Four digits of base64 are three bytes, and one token where data is counted like text.
    let as_text = media.bytes.map(|length| length.div_ceil(3));
    let cost = match (media.pixels, as_text) {
        (None, _) => t!("{tokens}: its size is not known, and counted as 1,024 × 1,024.", tokens),
        (Some(_), None) => t!("{tokens} by its width and height.", tokens),
        (Some(_), Some(others)) => t!(
            "{tokens} by its width and height. Counted as text, four characters to a token, the {size} of its data would be {others}.",
            tokens,
            size = bytes(f64::from(others) * 4.0),
            others = thousands(others)
        ),
    };
    let words = attachment(t!("image"), &media);
    let shown = match data {
        Some(data) => {
            let (width, height) = media.pixels.unzip();
            view! {
                <img class="part-picture" src=data alt=words decoding="async" width=width height=height />
            }
            .into_any()
        }
        None => view! { <p>{words}</p> }.into_any(),
    };
    let kind = media.media_type.map(|kind| format!(" · {kind}"));
    let pixels = media.pixels.map(|pixels| view! { " · " <bdi dir="ltr">{size(pixels)}</bdi> });
    view! {
        <section class="part">
            <h3>{t!("Image")} {kind} {pixels}</h3>
            {shown}
            <p class="hint part-cost">{cost}</p>
        </section>
    }
}
