//! A running server for one test, and an HTTP client for it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};

/// A server on a free port. Dropping it stops it.
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_epitome-serve"))
            .args(["--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().strip_prefix("listening ").unwrap().to_owned();
        Self { child, address }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Response<Body> {
        agent().get(self.url(path)).call().unwrap()
    }

    pub(crate) fn complete(&self, request: impl AsRef<[u8]>) -> Response<Body> {
        let path = self.url("/v1/chat/completions");
        agent().post(path).content_type("application/json").send(request.as_ref()).unwrap()
    }

    pub(crate) fn complete_json(&self, request: &Value) -> Value {
        json(self.complete(request.to_string()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A client that returns responses of every status and follows no redirects.
pub(crate) fn agent() -> Agent {
    Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into()
}

pub(crate) fn json(mut response: Response<Body>) -> Value {
    response.body_mut().read_json().unwrap()
}

pub(crate) fn header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

/// A request for a summary of two messages.
pub(crate) fn envelope() -> &'static str {
    "<previous_summary>\n\n</previous_summary>\n<current_state>\n\n</current_state>\n<new_messages>\n\
     [1] user:\nThe invoice INV-4411 is due on 3 May 2026. Please pay 1,250 euros to Acme.\n\
     [2] assistant:\nI have scheduled the payment of INV-4411 for 2 May 2026.\n</new_messages>\n"
}
