//! One request over `fetch`, and the answer's body in pieces.

use std::borrow::Cow;

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, ReadableStreamDefaultReader, RequestInit, Response};

use crate::address;
use crate::advice::{Page, unreachable};
use crate::clock::now_ms;
use crate::deadline::Deadline;
use crate::endpoint::Streaming;
use crate::error::{EndpointError, EndpointErrorCode};
use crate::retry_after;
use crate::server::Server;

#[wasm_bindgen]
extern "C" {
    // By the name alone, because a window, a worker and Node share no type that has it.
    #[wasm_bindgen(catch)]
    fn fetch(url: &str, init: &RequestInit) -> Result<Promise, JsValue>;
}

/// What an answer says before its body.
pub(crate) struct Head {
    pub(crate) status: u16,
    /// What the body is, where the server says so.
    pub(crate) format: Option<Format>,
    pub(crate) retry_after_ms: Option<u64>,
}

/// How a body is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Events,
    Json,
    Html,
}

/// The body of an answer, as it arrives.
pub(crate) struct Body {
    reader: Option<ReadableStreamDefaultReader>,
}

/// Where a request goes, and how the key goes along.
pub(crate) struct Route {
    /// Behind the address.
    pub(crate) path: Cow<'static, str>,
    /// The header of the key, and what stands before it there.
    pub(crate) key: (&'static str, &'static str),
    /// A header that the server wants besides.
    pub(crate) version: Option<(&'static str, &'static str)>,
}

impl Route {
    /// Chat completions.
    pub(crate) const COMPLETIONS: Self = Self::bearing(Cow::Borrowed(address::PATH));

    /// A path, with the key as most servers take it.
    pub(crate) const fn bearing(path: Cow<'static, str>) -> Self {
        Self { path, key: ("authorization", "Bearer "), version: None }
    }
}

/// Sends a request, and settles when the head of the answer is there.
pub(crate) async fn post(
    server: Server<'_>,
    route: &Route,
    request: &str,
    deadline: &Deadline,
) -> Result<(Head, Body), EndpointError> {
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_headers(headers(server, route)?.as_ref());
    init.set_body(&JsValue::from_str(request));
    init.set_signal(Some(&deadline.signal()));
    let failed = |error: JsValue| {
        let no_connection = || unreachable(server, &page(&error));
        deadline.cause().unwrap_or_else(no_connection)
    };
    let promise = fetch(&server.address.at(&route.path), &init).map_err(failed)?;
    let response = JsFuture::from(promise).await.map_err(failed)?;
    let response: Response = response.unchecked_into();
    let header = |name: &str| response.headers().get(name).ok().flatten();
    let head = Head {
        status: response.status(),
        format: header("content-type").and_then(|value| Format::of_type(&value)),
        retry_after_ms: retry_after::from_headers(
            header("retry-after-ms").as_deref(),
            header("retry-after").as_deref(),
            now_ms(),
            |date| Some(js_sys::Date::parse(date)).filter(|time| time.is_finite()),
        ),
    };
    let reader = response.body().map(|body| body.get_reader().unchecked_into());
    Ok((head, Body { reader }))
}

/// Only what must be: every further header makes a browser ask for permission first.
fn headers(server: Server<'_>, route: &Route) -> Result<Headers, EndpointError> {
    let endpoint = server.endpoint;
    let refuse = |name: &str| {
        let message = format!("the header `{name}` cannot be sent as it is written");
        EndpointError::new(EndpointErrorCode::Misconfigured, message)
    };
    let headers = Headers::new().map_err(|_| refuse("content-type"))?;
    let set = |name: &str, value: &str| headers.set(name, value).map_err(|_| refuse(name));
    set("content-type", "application/json")?;
    if let Some(key) = endpoint.key() {
        let (name, before) = route.key;
        set(name, &format!("{before}{key}"))?;
    }
    if let Some((name, value)) = route.version {
        set(name, value)?;
    }
    for (name, value) in &endpoint.headers {
        set(name, value)?;
    }
    Ok(headers)
}

impl Format {
    fn of_type(content_type: &str) -> Option<Self> {
        let content_type = content_type.to_ascii_lowercase();
        if content_type.contains("event-stream") {
            Some(Self::Events)
        } else if content_type.contains("json") {
            Some(Self::Json)
        } else if content_type.contains("html") {
            Some(Self::Html)
        } else {
            None
        }
    }
}

/// A server that does not say what it sends is taken to send what was asked for.
impl From<Streaming> for Format {
    fn from(stream: Streaming) -> Self {
        match stream {
            Streaming::Streamed => Self::Events,
            Streaming::Plain => Self::Json,
        }
    }
}

impl Body {
    /// The next piece, or nothing at the end. Each piece gives the next one its full time.
    pub(crate) async fn next_piece(
        &self,
        deadline: &mut Deadline,
    ) -> Result<Option<Vec<u8>>, EndpointError> {
        let piece = self.read(deadline).await?;
        deadline.await_next_piece();
        Ok(piece)
    }

    /// The whole body as text. Stops reading once it is longer than the limit.
    pub(crate) async fn text(
        &self,
        limit_bytes: usize,
        deadline: &mut Deadline,
    ) -> Result<String, EndpointError> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next_piece(deadline).await? {
            bytes.extend(piece);
            if bytes.len() > limit_bytes {
                break;
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads to the end for the connection's sake alone, until the deadline stops it.
    pub(crate) async fn drain(&self, deadline: &Deadline) {
        while let Ok(Some(_)) = self.read(deadline).await {}
    }

    async fn read(&self, deadline: &Deadline) -> Result<Option<Vec<u8>>, EndpointError> {
        let Some(reader) = &self.reader else { return Ok(None) };
        let lost = |_: JsValue| {
            let message = "the connection was lost in the middle of the answer";
            let cut = || EndpointError::new(EndpointErrorCode::CutOff, message);
            deadline.cause().unwrap_or_else(cut)
        };
        let result = JsFuture::from(reader.read()).await.map_err(lost)?;
        Ok(field(&result, "value").dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec()))
    }
}

/// Where this code runs, and what the platform says about the failure.
fn page(error: &JsValue) -> Page {
    let global = js_sys::global();
    Page {
        origin: field(&global, "origin").as_string(),
        offline: field(&field(&global, "navigator"), "onLine") == false,
        cause: field(&field(error, "cause"), "code").as_string(),
    }
}

/// A field of a value that may be no object at all.
fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}
