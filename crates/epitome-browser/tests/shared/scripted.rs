//! A client of the scripted server, which also reads the server's log of requests.

use epitome_browser::{AbortSignal, Completion, Endpoint, EndpointError, Keys, Prompt, complete};
use js_sys::{Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    fn fetch(url: &str) -> Promise;
}

pub(crate) fn server() -> &'static str {
    option_env!("EPITOME_TEST_SERVER").unwrap_or("http://127.0.0.1:18431")
}

/// An endpoint of the scripted server that behaves as a scenario says and has its own log.
pub(crate) struct Scripted {
    pub(crate) endpoint: Endpoint,
    key: String,
}

impl Scripted {
    pub(crate) fn new(scenario: &str) -> Self {
        let key = format!("k{}", js_sys::Math::random() * 1e17);
        let base_url = format!("{}/{scenario}/{key}/v1", server());
        Self { endpoint: Endpoint::new(base_url, "scripted"), key }
    }

    pub(crate) fn with(scenario: &str, change: impl FnOnce(&mut Endpoint)) -> Self {
        let mut scripted = Self::new(scenario);
        change(&mut scripted.endpoint);
        scripted
    }

    pub(crate) fn with_key(scenario: &str, api_key: &str) -> Self {
        Self::with(scenario, |endpoint| {
            endpoint.keys = Keys::new(&endpoint.base_url).with_api_key(api_key);
        })
    }

    pub(crate) async fn ask(
        &self,
        signal: Option<&AbortSignal>,
        on_delta: &mut dyn FnMut(&str),
    ) -> Result<Completion, EndpointError> {
        complete(&self.endpoint, &prompt(), signal, on_delta).await
    }

    pub(crate) async fn text(&self) -> String {
        self.ask(None, &mut |_| {}).await.unwrap().text
    }

    pub(crate) async fn error(&self) -> EndpointError {
        self.ask(None, &mut |_| {}).await.unwrap_err()
    }

    pub(crate) async fn log(&self) -> Value {
        self.read_log("").await
    }

    /// The log of the server that this one redirects to.
    pub(crate) async fn log_of_redirects(&self) -> Value {
        Self { endpoint: self.endpoint.clone(), key: format!("{}-2", self.key) }.log().await
    }

    /// The log, as soon as the server has seen this many connections closed by the client.
    pub(crate) async fn log_after_aborts(&self, count: u32) -> Value {
        self.read_log(&format!("&aborted={count}")).await
    }

    /// The log, as soon as the server has this many requests in progress.
    pub(crate) async fn log_when_open(&self, count: u32) -> Value {
        for _ in 0..1000 {
            let log = self.log().await;
            if log["open"] == count {
                return log;
            }
        }
        panic!("there were never {count} open requests");
    }

    async fn read_log(&self, condition: &str) -> Value {
        let url = format!("{}/log?key={}{condition}", server(), self.key);
        let response = JsFuture::from(fetch(&url)).await.unwrap();
        let response: web_sys::Response = response.unchecked_into();
        let text = JsFuture::from(response.text().unwrap()).await.unwrap();
        serde_json::from_str(&text.as_string().unwrap()).unwrap()
    }
}

pub(crate) fn prompt() -> Prompt {
    Prompt {
        system: "Summarize.".into(),
        user: "[1] user:\nThe order is 4711 – für Zoë 😀".into(),
        max_tokens: 200,
        ..Prompt::default()
    }
}

/// The scripted server's summary of [`prompt`].
pub(crate) const SUMMARY: &str = "Scripted summary – résumé ✓\n- The order is 4711 – für Zoë 😀";

/// The page's origin; `None` in Node.
pub(crate) fn origin() -> Option<String> {
    Reflect::get(&js_sys::global(), &JsValue::from_str("origin")).unwrap().as_string()
}
