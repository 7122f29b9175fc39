//! The checkout with its folders, and commands that run in it with the pinned tools.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Failure, Result};
use crate::pins::Pins;

/// The folders of this checkout, and the versions of its tools.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
    cache: PathBuf,
    pins: Pins,
}

impl Workspace {
    /// The checkout from which this xtask was built. Fails if Cargo.toml does not pin the tools, or if there is no folder for
    /// them.
    pub(crate) fn open() -> Result<Self> {
        let manifest_dir = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest_dir
            .ancestors()
            .nth(2)
            .ok_or_else(|| Failure::new("xtask is not inside its workspace; run `cargo xtask`"))?
            .to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| root.join("target"), |target| root.join(target));
        let pins = Pins::read(&root)?;
        Ok(Self { root, target, cache: cache_folder()?, pins })
    }

    /// The root of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the checkout; `relative` is written with `/`.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// A path in Cargo's target folder.
    pub(crate) fn target(&self, relative: &str) -> PathBuf {
        self.target.join(relative)
    }

    /// A path in the cache folder, which all checkouts of this user share.
    pub(crate) fn cache(&self, relative: &str) -> PathBuf {
        self.cache.join(relative)
    }

    /// The pinned versions of tools.
    pub(crate) fn pins(&self) -> &Pins {
        &self.pins
    }

    /// A command that starts in the root and finds the pinned tools before all others.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut folders = vec![
            self.cache(&format!("tools/wasm-bindgen-{}/bin", self.pins.wasm_bindgen)),
            self.cache(&format!("tools/wasm-split-{}/bin", self.pins.wasm_split)),
            self.path("node_modules/.bin"),
        ];
        folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        // A folder with the separator in its name cannot be on PATH. The tools are then not found, and the step that needs
        // them says so.
        if let Ok(path) = env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }

    /// Cargo with `arguments`.
    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = self.command("cargo");
        command.args(arguments);
        command
    }

    /// npm with `arguments`.
    pub(crate) fn npm<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = self.command(if cfg!(windows) { "npm.cmd" } else { "npm" });
        command.args(arguments);
        command
    }
}

/// `EPITOME_CACHE`, or `epitome` in this platform's folder for caches.
fn cache_folder() -> Result<PathBuf> {
    let folder =
        |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(chosen) = folder("EPITOME_CACHE") {
        return std::path::absolute(&chosen)
            .map_err(|error| Failure::new(format!("EPITOME_CACHE={}: {error}", chosen.display())));
    }
    let caches = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    };
    caches.map(|caches| caches.join("epitome")).ok_or_else(|| {
        Failure::new("no folder to keep tools in; set EPITOME_CACHE to one you can write to")
    })
}
