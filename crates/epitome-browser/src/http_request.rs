//! One request over `fetch`, and the response's body in chunks.

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Headers, ReadableStreamDefaultReader, RequestInit, RequestRedirect, Response, ResponseType,
};

use crate::advice::{Page, redirected, unreachable};
use crate::clock::now_ms;
use crate::deadline::Deadline;
use crate::endpoint::Streaming;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::node_dispatcher::Unlimited;
use crate::retry_after;
use crate::server::Server;
use crate::slices::Slices;

#[wasm_bindgen]
extern "C" {
    // Imported as a global function, because a window, a worker and Node have no common type with a `fetch` method.
    #[wasm_bindgen(catch)]
    fn fetch(url: &str, init: &RequestInit) -> Result<Promise, JsValue>;
}

/// The longest stream of a successful response, including reasoning and framing.
pub(crate) const MAX_STREAM_BYTES: usize = 16 * 1024 * 1024;
/// The longest body of a successful response in one piece.
pub(crate) const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// The longest body of an error response.
pub(crate) const MAX_ERROR_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many bytes of a body its format is read from. White space may come before it.
const BEGINNING_BYTES: usize = 4 * 1024;

/// A response without its body.
pub(crate) struct Head {
    pub(crate) status: u16,
    /// `None` if the server sends no content type, or one that says nothing of the format.
    pub(crate) content_type: Option<ContentType>,
    /// How long the server asks to wait before the next request.
    pub(crate) retry_after_ms: Option<u64>,
}

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentType {
    EventStream,
    Json,
    Html,
}

/// The body of a response, as it arrives.
pub(crate) struct Body {
    /// `None` if the response has no body.
    reader: Option<ReadableStreamDefaultReader>,
    /// What has been read and not used yet.
    unread: Option<Vec<u8>>,
    /// Reading a body that has arrived already would otherwise never let timers and an abort through.
    slices: Slices,
    _unlimited: Option<Unlimited>,
}

/// Sends a request to a path below the base URL, and settles when the head of the response arrives. Without a body it is a GET
/// request.
pub(crate) async fn send(
    server: Server<'_>,
    path: &str,
    body: Option<&str>,
    deadline: &Deadline,
) -> Result<(Head, Body), EndpointError> {
    let init = RequestInit::new();
    init.set_method(if body.is_some() { "POST" } else { "GET" });
    init.set_headers(headers(server, body.is_some())?.as_ref());
    if let Some(body) = body {
        init.set_body(&JsValue::from_str(body));
    }
    init.set_signal(Some(&deadline.signal()));
    // With `error`, `fetch` would not say that it was a redirect.
    init.set_redirect(RequestRedirect::Manual);
    // Behind the headers: these load what has the dispatcher.
    let unlimited = Unlimited::set(&init);
    // `fetch` rejects in one way for a lost connection and for an abort, so the deadline knows better.
    let failed = |error: JsValue| {
        let no_connection = || unreachable(server, &page(&error));
        deadline.cause().unwrap_or_else(no_connection)
    };
    let promise = fetch(&server.address.url(path), &init).map_err(failed)?;
    let response = JsFuture::from(promise).await.map_err(failed)?;
    let response: Response = response.unchecked_into();
    let header = |name: &str| response.headers().get(name).ok().flatten();
    let location = header("location");
    let is_redirect = matches!(response.status(), 301 | 302 | 303 | 307 | 308);
    // A browser hides even the status.
    if response.type_() == ResponseType::Opaqueredirect {
        return Err(redirected(server, None));
    }
    if is_redirect && location.is_some() {
        return Err(redirected(server, location.as_deref()).with_status(response.status()));
    }
    let head = Head {
        status: response.status(),
        content_type: header("content-type").and_then(|value| ContentType::parse(&value)),
        retry_after_ms: retry_after::from_headers(
            header("retry-after-ms").as_deref(),
            header("retry-after").as_deref(),
            now_ms(),
            |date| Some(js_sys::Date::parse(date)).filter(|time| time.is_finite()),
        ),
    };
    let reader = response.body().map(|body| body.get_reader().unchecked_into());
    let slices = Slices::start();
    Ok((head, Body { reader, unread: None, slices, _unlimited: unlimited }))
}

/// Only the headers that the request needs: in a browser, each further one has to be allowed by the server's CORS
/// settings.
fn headers(server: Server<'_>, has_body: bool) -> Result<Headers, EndpointError> {
    let api = server.api();
    let keys = server.endpoint.keys.for_request(server.address)?;
    // The error of the platform quotes the value, which may be the key.
    let refuse = |name: &str| {
        let message = format!("the header `{name}` cannot be sent as it is written");
        EndpointError::new(EndpointErrorCode::Misconfigured, message)
    };
    let headers = Headers::new().map_err(|_| refuse("content-type"))?;
    let set = |name: &str, value: &str| headers.set(name, value).map_err(|_| refuse(name));
    if has_body {
        set("content-type", "application/json")?;
    }
    if let Some(key) = keys.api_key() {
        set(api.key.name, &format!("{}{}", api.key.prefix, key.reveal()))?;
    }
    if let Some((name, value)) = api.version {
        set(name, value)?;
    }
    for (name, value) in keys.headers() {
        set(name, value.reveal())?;
    }
    Ok(headers)
}

impl Head {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl ContentType {
    fn parse(header: &str) -> Option<Self> {
        let header = header.to_ascii_lowercase();
        if header.contains("event-stream") {
            Some(Self::EventStream)
        } else if header.contains("json") {
            Some(Self::Json)
        } else if header.contains("html") {
            Some(Self::Html)
        } else {
            None
        }
    }
}

/// The format that was asked for, which is assumed if the server does not name one.
impl From<Streaming> for ContentType {
    fn from(stream: Streaming) -> Self {
        match stream {
            Streaming::Streamed => Self::EventStream,
            Streaming::Plain => Self::Json,
        }
    }
}

impl Body {
    /// The next chunk, or `None` at the end. Each chunk restarts the idle timeout.
    pub(crate) async fn next_chunk(
        &mut self,
        deadline: &mut Deadline,
    ) -> Result<Option<Vec<u8>>, EndpointError> {
        if let Some(unread) = self.unread.take() {
            return Ok(Some(unread));
        }
        let chunk = self.read(deadline).await?;
        deadline.await_next_chunk();
        Ok(chunk)
    }

    /// The format that the body begins with, because some servers declare another one. `declared`, if the beginning says
    /// nothing. Nothing is lost: the next chunk begins with what was read.
    pub(crate) async fn format(
        &mut self,
        declared: ContentType,
        deadline: &mut Deadline,
    ) -> Result<ContentType, EndpointError> {
        let mut seen = Vec::new();
        let mut first = None;
        while let Some(chunk) = self.next_chunk(deadline).await? {
            append(&mut seen, chunk);
            let beginning = seen.get(..BEGINNING_BYTES).unwrap_or(&seen);
            first = first_character(beginning);
            // The mark alone may be torn.
            if seen.len() >= BEGINNING_BYTES || first.is_some_and(|byte| byte != 0xEF) {
                break;
            }
        }
        let format = match first {
            Some(b'{' | b'[') => ContentType::Json,
            Some(b'<') => ContentType::Html,
            // `data`, `event`, `id`, `retry`, or a comment.
            Some(b'd' | b'e' | b'i' | b'r' | b':') => ContentType::EventStream,
            _ => declared,
        };
        self.unread = Some(seen).filter(|seen| !seen.is_empty());
        Ok(format)
    }

    /// The whole body as text, without a byte order mark. Stops reading once it is longer than the limit, and then returns
    /// more than the limit.
    pub(crate) async fn text(
        &mut self,
        limit_bytes: usize,
        deadline: &mut Deadline,
    ) -> Result<String, EndpointError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.next_chunk(deadline).await? {
            append(&mut bytes, chunk);
            if bytes.len() > limit_bytes {
                break;
            }
            self.pause(deadline).await?;
        }
        // One chunk may be much longer.
        bytes.truncate(limit_bytes + 1);
        Ok(String::from_utf8_lossy(without_mark(&bytes)).into_owned())
    }

    /// Reads to the end and discards what it reads, so that the connection can be used again. Ends at the deadline.
    pub(crate) async fn drain(&mut self, deadline: &Deadline) {
        while let Ok(Some(_)) = self.read(deadline).await {
            if self.pause(deadline).await.is_err() {
                break;
            }
        }
    }

    /// Call between two steps of the work on a body. After a few milliseconds of work it lets timers and an abort through, and
    /// fails if one of them has stopped the request.
    pub(crate) async fn pause(&mut self, deadline: &Deadline) -> Result<(), EndpointError> {
        if !self.slices.pause().await {
            return Ok(());
        }
        deadline.cause().map_or(Ok(()), Err)
    }

    async fn read(&mut self, deadline: &Deadline) -> Result<Option<Vec<u8>>, EndpointError> {
        let Some(reader) = &self.reader else { return Ok(None) };
        let lost = |_: JsValue| {
            let message = "the connection was lost in the middle of the answer";
            let cut_off = || EndpointError::new(EndpointErrorCode::CutOff, message);
            deadline.cause().unwrap_or_else(cut_off)
        };
        let asked_ms = now_ms();
        let result = JsFuture::from(reader.read()).await.map_err(lost)?;
        self.slices.waited_since(asked_ms);
        // At the end `value` is undefined.
        Ok(field(&result, "value").dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
    }
}

/// Adds a chunk without a copy of the first one, which may be the whole body.
fn append(bytes: &mut Vec<u8>, chunk: Vec<u8>) {
    if bytes.is_empty() {
        *bytes = chunk;
    } else {
        bytes.extend(chunk);
    }
}

/// The first byte that is neither white space nor of a byte order mark.
fn first_character(bytes: &[u8]) -> Option<u8> {
    without_mark(bytes).iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// The bytes behind a byte order mark at their start.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Where this code runs, and what the platform says of the failure.
fn page(error: &JsValue) -> Page {
    let global = js_sys::global();
    Page {
        origin: field(&global, "origin").as_string(),
        offline: field(&field(&global, "navigator"), "onLine") == false,
        cause: field(&field(error, "cause"), "code").as_string(),
    }
}

/// A field of a value; undefined if the value is not an object.
fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}
