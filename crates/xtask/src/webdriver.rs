//! The settings by which the wasm test runner finds and starts the browser.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::browser::Browser;
use crate::failure::{Failure, Result};
use crate::installed_browser::BrowserKind;
use crate::workspace::Workspace;

/// The arguments of Chromium, which all tests and measurements have: without network traffic of its own, sandbox and graphics.
const ARGUMENTS: &str = "tests/chromium.json";

/// Makes `tests` use this browser and its driver, with timeouts that suit a busy machine.
pub(crate) fn configure(tests: &mut Command, workspace: &Workspace, browser: &Browser) -> Result {
    let (driver, options) = match browser.kind() {
        BrowserKind::Chrome => ("CHROMEDRIVER", "goog:chromeOptions"),
        BrowserKind::Edge => ("MSEDGEDRIVER", "ms:edgeOptions"),
    };
    let mut arguments = arguments(workspace)?;
    arguments.push("--headless=new".to_owned());
    let capabilities = json!({ options: { "binary": browser.binary(), "args": arguments } });
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

fn arguments(workspace: &Workspace) -> Result<Vec<String>> {
    let text = fs::read_to_string(workspace.path(ARGUMENTS))
        .map_err(|error| Failure::new(format!("cannot read {ARGUMENTS}: {error}")))?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("{ARGUMENTS}: {error}")))
}
