//! Prints the sizes of the wasm modules, uncompressed and compressed.

use std::path::PathBuf;

use crate::command;
use crate::failure::Result;
use crate::workspace::Workspace;

const SCRIPT: &str = r#"
const { readFileSync, readdirSync } = require("node:fs");
const { join } = require("node:path");
const { brotliCompressSync, gzipSync } = require("node:zlib");
const row = (raw, gzip, brotli, name) =>
  console.log([raw, gzip, brotli].map((cell) => String(cell).padStart(11)).join("") + "  " + name);
row("bytes", "gzip", "brotli", "");
for (const folder of process.argv.slice(1)) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".wasm"))) {
    const bytes = readFileSync(join(folder, name));
    row(bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length, name);
  }
}
"#;

/// Prints the bytes, in gzip and in brotli too, of each wasm module directly in `folders`.
pub(crate) fn print(workspace: &Workspace, folders: &[PathBuf]) -> Result {
    command::run(workspace.command("node").arg("--eval").arg(SCRIPT).arg("--").args(folders))
}
