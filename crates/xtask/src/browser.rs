//! The browser of the tests and its driver: found in the usual places, or installed.

use std::env;
use std::path::{Path, PathBuf};

use crate::chrome_for_testing;
use crate::debian;
use crate::failure::{Failure, Result};
use crate::installed_browser::{self, BrowserKind, InstalledBrowser};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// A browser and the driver for exactly its version.
#[derive(Debug)]
pub(crate) struct Browser {
    kind: BrowserKind,
    binary: PathBuf,
    driver: PathBuf,
}

impl Browser {
    /// The kind, which decides how the driver is configured.
    pub(crate) fn kind(&self) -> BrowserKind {
        self.kind
    }

    /// The browser itself.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Its driver.
    pub(crate) fn driver(&self) -> &Path {
        &self.driver
    }
}

/// Finds a browser with its driver, or installs what is missing: the distribution's packages as root on Debian and systems
/// based on it, otherwise Chrome for Testing into the cache folder.
pub(crate) fn obtain(workspace: &Workspace, steps: &Steps) -> Result<Browser> {
    if let Some(chosen) = env::var_os("EPITOME_BROWSER").filter(|chosen| !chosen.is_empty()) {
        let chosen = PathBuf::from(chosen);
        let browser = InstalledBrowser::at(&chosen).ok_or_else(|| {
            Failure::new(format!("EPITOME_BROWSER={} is not a browser that runs", chosen.display()))
        })?;
        return match find_driver(&browser) {
            Some(driver) => Ok(browser.with_driver(driver)),
            None => fetch_driver(workspace, steps, browser).map_err(|failure| explain(&failure)),
        };
    }
    if let Some(browser) = find() {
        return Ok(browser);
    }
    let mut tried = Vec::new();
    if debian::can_install(workspace) {
        match steps.run_long("install chromium", "1 minute, once", || {
            debian::install(workspace, &["chromium", "chromium-driver"])
        }) {
            Ok(()) => match find() {
                Some(browser) => return Ok(browser),
                None => tried.push("the distribution's chromium does not run".to_owned()),
            },
            Err(failure) => tried.push(failure.to_string()),
        }
    }
    let fetched = match installed_browser::find_all(BrowserKind::Chrome).into_iter().next() {
        Some(browser) => fetch_driver(workspace, steps, browser),
        None => fetch_browser(workspace, steps),
    };
    fetched.map_err(|failure| {
        tried.push(failure.to_string());
        explain(&Failure::new(tried.join("; ")))
    })
}

/// The first browser on this machine that has its driver.
fn find() -> Option<Browser> {
    [BrowserKind::Chrome, BrowserKind::Edge]
        .into_iter()
        .flat_map(installed_browser::find_all)
        .find_map(|browser| find_driver(&browser).map(|driver| browser.with_driver(driver)))
}

impl InstalledBrowser {
    fn with_driver(self, driver: PathBuf) -> Browser {
        Browser { kind: self.kind, binary: self.binary, driver }
    }
}

/// A driver for the version of this browser, if this machine has one.
fn find_driver(browser: &InstalledBrowser) -> Option<PathBuf> {
    let (variable, name) = match browser.kind {
        BrowserKind::Chrome => ("CHROMEDRIVER", "chromedriver"),
        BrowserKind::Edge => ("MSEDGEDRIVER", "msedgedriver"),
    };
    let chosen = env::var_os(variable).filter(|chosen| !chosen.is_empty()).map(PathBuf::from);
    let usual = installed_browser::on_path(name).chain([
        PathBuf::from("/usr/bin").join(name),
        PathBuf::from("/usr/lib/chromium").join(name),
    ]);
    chosen
        .into_iter()
        .chain(usual)
        .find(|driver| installed_browser::printed_major(driver) == Some(browser.major))
}

fn fetch_driver(
    workspace: &Workspace,
    steps: &Steps,
    browser: InstalledBrowser,
) -> Result<Browser> {
    if browser.kind == BrowserKind::Edge {
        let major = browser.major;
        return Err(Failure::new(format!("msedgedriver {major} is not on PATH")));
    }
    let build = browser.major.to_string();
    let driver = chrome_for_testing::fetch(workspace, steps, "chromedriver", &build)?;
    Ok(browser.with_driver(driver))
}

fn fetch_browser(workspace: &Workspace, steps: &Steps) -> Result<Browser> {
    let binary = chrome_for_testing::fetch(workspace, steps, "chrome", "stable")?;
    let browser = InstalledBrowser::at(&binary).ok_or_else(|| {
        let binary = binary.display();
        Failure::new(format!("{binary} does not run; libraries of the system may be missing"))
    })?;
    match find_driver(&browser) {
        Some(driver) => Ok(browser.with_driver(driver)),
        None => fetch_driver(workspace, steps, browser),
    }
}

fn explain(failure: &Failure) -> Failure {
    Failure::new(format!(
        "no browser with its driver: {failure}; install Chrome or Chromium and the chromedriver of the \
         same version (Debian: `apt-get install chromium chromium-driver`), or set EPITOME_BROWSER and \
         CHROMEDRIVER to where they are"
    ))
}
