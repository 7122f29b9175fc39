//! `cargo xtask vocab`: packs the vocabularies for exact counting from the rank files of a pinned package.

mod merges;
mod packed;
mod rank_file;
mod shard;

use std::fs;

use crate::command;
use crate::failure::{Failure, Result};
use crate::node;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// The folder of the packed files. All files in it are generated, and none is in git.
const FOLDER: &str = "crates/epitome-wasm/npm/encodings";
/// The package whose rank files are packed; the workspace's `package.json` pins its version.
const PACKAGE: &str = "node_modules/tiktoken";

/// Each encoding, and the number of its way to pre-tokenize.
const ENCODINGS: [(&str, u8); 2] = [("cl100k_base", 1), ("o200k_base", 2)];

const NOTICE: &str = include_str!("vocab/NOTICE.txt");

const SIZES: &str = r#"
const { readFileSync } = require("node:fs");
const { brotliCompressSync, gzipSync } = require("node:zlib");
for (const name of process.argv.slice(1)) {
  const bytes = readFileSync(name);
  const cells = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
  console.log(cells.map((cell) => String(cell).padStart(11)).join("") + "  " + name);
}
"#;

/// Installs the pinned packages, packs every encoding, and prints bytes, gzip and brotli of each.
pub(crate) fn run(workspace: &Workspace, steps: &Steps) -> Result {
    node::check_version(workspace)?;
    node::install_packages(workspace, steps)?;
    pack(workspace, steps)?;
    let whole = ENCODINGS.iter().map(|(name, _)| format!("{FOLDER}/{name}.vocab"));
    let shards = ["ascii", "rest"].map(|part| format!("{FOLDER}/{DIVIDED}.{part}.vocab"));
    let files = whole.chain(shards);
    command::run(workspace.command("node").arg("--eval").arg(SIZES).arg("--").args(files))
}

/// The encoding that is also in two shards: of the other one, text of ASCII needs 95 %.
const DIVIDED: &str = "o200k_base";

/// Packs every encoding as one file, and one of them also as two shards that can be loaded separately. The npm packages must be
/// installed.
///
/// The same package gives the same bytes.
pub(crate) fn pack(workspace: &Workspace, steps: &Steps) -> Result {
    steps.run("vocabularies", || {
        let folder = workspace.path(FOLDER);
        fs::create_dir_all(&folder)
            .map_err(|error| Failure::new(format!("cannot make {FOLDER}: {error}")))?;
        let write = |name: &str, bytes: &[u8]| {
            fs::write(folder.join(name), bytes)
                .map_err(|error| Failure::new(format!("cannot write {FOLDER}/{name}: {error}")))
        };
        for (name, splitter) in ENCODINGS {
            let source = format!("{PACKAGE}/encoders/{name}.json");
            let text = fs::read_to_string(workspace.path(&source)).map_err(|error| {
                Failure::new(format!("cannot read {source}: {error}; `npm ci` installs it"))
            })?;
            let named = |failure: Failure| Failure::new(format!("{source}: {failure}"));
            let tokens = rank_file::tokens(&text).map_err(named)?;
            let merges = merges::Merges::of(&tokens).map_err(named)?;
            write(&format!("{name}.vocab"), &packed::file(splitter, &merges))?;
            if name == DIVIDED {
                let (ascii, rest) = shard::split(&merges);
                write(&format!("{name}.ascii.vocab"), &packed::file(splitter, &ascii))?;
                write(&format!("{name}.rest.vocab"), &rest)?;
            }
        }
        write("NOTICE.txt", NOTICE.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_that_is_packed_is_installed_with_those_that_pages_are_built_from() {
        let manifest = include_str!("../../../package.json");
        let name = PACKAGE.trim_start_matches("node_modules/");
        assert!(manifest.contains(&format!("\"{name}\": \"")), "{manifest}");
    }
}
