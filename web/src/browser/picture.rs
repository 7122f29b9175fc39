//! A picture of bars and lines of text, copied to the clipboard or saved as a PNG file.

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, CanvasRenderingContext2d, ClipboardItem, HtmlAnchorElement, HtmlCanvasElement, Url,
};

use crate::language::t;

const PNG: &str = "image/png";

/// A rectangle, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The name of a colour of the page, such as `--accent`.
    pub(crate) colour: &'static str,
}

/// A line of text, in pixels; `top` is its baseline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) size: u32,
    pub(crate) text: String,
    /// The name of a colour of the page.
    pub(crate) colour: &'static str,
}

/// Draws a picture of this size in the page's colours and copies it. Where a browser copies no pictures it is saved as
/// `name`. Returns a sentence for the user.
pub(crate) async fn copy_picture(
    size: (u32, u32),
    blocks: &[Block],
    words: &[Words],
    name: &str,
) -> String {
    match try_copy(size, blocks, words, name).await {
        Ok(sentence) => sentence.to_owned(),
        Err(_) => t!("The browser could not draw the picture.").to_owned(),
    }
}

async fn try_copy(
    (width, height): (u32, u32),
    blocks: &[Block],
    words: &[Words],
    name: &str,
) -> Result<&'static str, JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let document = window.document().ok_or(JsValue::NULL)?;
    let root = document.document_element().ok_or(JsValue::NULL)?;
    let style = window.get_computed_style(&root)?.ok_or(JsValue::NULL)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?;
    let context: CanvasRenderingContext2d = context.unchecked_into();
    let use_colour = |name: &str| {
        let colour = style.get_property_value(name).unwrap_or_default();
        context.set_fill_style_str(colour.trim());
    };
    use_colour("--card");
    context.fill_rect(0.0, 0.0, f64::from(width), f64::from(height));
    for block in blocks {
        use_colour(block.colour);
        context.fill_rect(block.left, block.top, block.width, block.height);
    }
    // The places are those from left to right, whatever the direction of the words.
    context.set_text_align("left");
    let direction = if document.dir() == "rtl" { "rtl" } else { "ltr" };
    Reflect::set(&context, &"direction".into(), &direction.into())?;
    for line in words {
        use_colour(line.colour);
        context.set_font(&format!("{}px system-ui, sans-serif", line.size));
        context.fill_text(&line.text, line.left, line.top)?;
    }
    let image: Blob = JsFuture::from(encoded(&canvas)).await?.dyn_into()?;
    let clipboard = window.navigator().clipboard();
    if !JsValue::from(clipboard.clone()).is_undefined() {
        let representations = Object::new();
        Reflect::set(&representations, &JsValue::from_str(PNG), &image)?;
        let item = ClipboardItem::new_with_record_from_str_to_blob_promise(&representations)?;
        if JsFuture::from(clipboard.write(&Array::of1(&item))).await.is_ok() {
            return Ok(t!("The picture is copied."));
        }
    }
    let address = Url::create_object_url_with_blob(&image)?;
    let anchor: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&address)?;
    Ok(t!("The picture is saved."))
}

/// The picture on a canvas as a PNG file.
fn encoded(canvas: &HtmlCanvasElement) -> Promise {
    Promise::new(&mut |resolve, reject| {
        let settle = Closure::once_into_js(move |image: JsValue| {
            let _ = resolve.call1(&JsValue::UNDEFINED, &image);
        });
        if canvas.to_blob_with_type(settle.unchecked_ref(), PNG).is_err() {
            let _ = reject.call0(&JsValue::UNDEFINED);
        }
    })
}
