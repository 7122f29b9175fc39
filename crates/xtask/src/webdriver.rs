//! The settings by which the wasm test runner finds and starts the browsers.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::failure::{Failure, Result};
use crate::installed_browser::{BrowserKind, on_path};
use crate::server::Server;
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
    tests.env(driver, browser.driver());
    request(tests, workspace, &capabilities)
}

/// Makes `tests` use Firefox by this driver.
pub(crate) fn configure_firefox(
    tests: &mut Command,
    workspace: &Workspace,
    driver: &Path,
) -> Result {
    let firefox = on_path("firefox-esr").next();
    tests.env("GECKODRIVER", driver);
    request(tests, workspace, &json!({ "moz:firefoxOptions": { "binary": firefox } }))
}

/// Makes `tests` use WebKit as Linux has it, WebKitGTK, on this screen. Its driver speaks the protocol of Safari's, and the
/// sandbox cannot be started by root.
pub(crate) fn configure_webkit(
    tests: &mut Command,
    workspace: &Workspace,
    screen: &Server,
) -> Result {
    tests.env("SAFARIDRIVER", "WebKitWebDriver");
    tests.env("DISPLAY", format!(":{}", screen.address()));
    tests.env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1");
    tests.env("WEBKIT_DISABLE_COMPOSITING_MODE", "1");
    request(tests, workspace, &json!({}))
}

/// A screen in memory, if this machine has the program for it and a WebKit that needs one. Dropping it ends it.
pub(crate) fn webkit_screen(workspace: &Workspace) -> Result<Option<Server>> {
    if on_path("WebKitWebDriver").next().is_none() || on_path("Xvfb").next().is_none() {
        return Ok(None);
    }
    let mut screen = workspace.command("Xvfb");
    screen.args(["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
    Server::start_saying(&mut screen, "").map(Some)
}

/// What a session of the browser is asked for, and how long the tests wait for it.
fn request(tests: &mut Command, workspace: &Workspace, capabilities: &Value) -> Result {
    let path = workspace.target("webdriver.json");
    fs::write(&path, capabilities.to_string())
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    tests
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", path)
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
    Ok(())
}

fn arguments(workspace: &Workspace) -> Result<Vec<String>> {
    let text = fs::read_to_string(workspace.path(ARGUMENTS))
        .map_err(|error| Failure::new(format!("cannot read {ARGUMENTS}: {error}")))?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("{ARGUMENTS}: {error}")))
}
