//! Chrome for Testing and its driver, downloaded by npm into the cache folder.

use std::fs;
use std::path::PathBuf;

use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Downloads `product` (`chrome` or `chromedriver`) of a `build` (`stable`, or a major version) unless it was downloaded
/// before, and returns the path of its program.
pub(crate) fn fetch(
    workspace: &Workspace,
    steps: &Steps,
    product: &str,
    build: &str,
) -> Result<PathBuf> {
    let name = format!("{product}@{build}");
    // npx prints the path only when it installs, so the path is stored in a file.
    let note = workspace.cache(&format!("browsers/{name}.path"));
    if let Ok(path) = fs::read_to_string(&note) {
        let path = PathBuf::from(path);
        if path.exists() {
            return Ok(path);
        }
    }
    steps.run_long(&format!("install {name}"), "1 minute, once", || {
        let browsers = workspace.cache("browsers");
        let installer = format!("@puppeteer/browsers@{}", workspace.pins().puppeteer_browsers);
        let mut npx = workspace.command(if cfg!(windows) { "npx.cmd" } else { "npx" });
        npx.args(["--yes", &installer, "install", &name, "--path"]).arg(&browsers);
        let printed = command::output(&mut npx)?;
        let path = printed_path(&printed, product).ok_or_else(|| {
            Failure::new(format!("`{}` did not print the path of {name}", command::line(&npx)))
        })?;
        fs::write(&note, path)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", note.display())))?;
        Ok(PathBuf::from(path))
    })
}

/// The path in the line `chrome@131.0.6778.85 /path/of/chrome`; it may have spaces.
fn printed_path<'a>(printed: &'a str, product: &str) -> Option<&'a str> {
    let named = |line: &'a str| line.strip_prefix(product)?.strip_prefix('@')?.split_once(' ');
    printed.lines().rev().find_map(named).map(|(_, path)| path.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_the_rest_of_the_line_that_names_the_product() {
        let printed = "Downloading\nchrome@131.0.6778.85 /a/Google Chrome for Testing\n";
        assert_eq!(printed_path(printed, "chrome"), Some("/a/Google Chrome for Testing"));
        assert_eq!(printed_path(printed, "chromedriver"), None);
        assert_eq!(printed_path("chromedriver@131 /d", "chrome"), None);
    }
}
