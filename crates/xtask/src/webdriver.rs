//! The settings by which the wasm test runner finds and starts the browser.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::browser::Browser;
use crate::failure::{Failure, Result};
use crate::installed_browser::BrowserKind;
use crate::workspace::Workspace;

/// Without network traffic of its own, sandbox and graphics.
const ARGUMENTS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Makes `tests` use this browser and its driver, with timeouts that suit a busy machine.
pub(crate) fn configure(tests: &mut Command, workspace: &Workspace, browser: &Browser) -> Result {
    let (driver, options) = match browser.kind() {
        BrowserKind::Chrome => ("CHROMEDRIVER", "goog:chromeOptions"),
        BrowserKind::Edge => ("MSEDGEDRIVER", "ms:edgeOptions"),
    };
    let capabilities = json!({ options: { "binary": browser.binary(), "args": ARGUMENTS } });
    let path = workspace.target("webdriver.json");
    fs::write(&path, capabilities.to_string())
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    tests
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", path)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60")
        .env(driver, browser.driver());
    Ok(())
}
