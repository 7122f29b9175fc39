//! Writes compressed copies beside the files of the pages, which the demo server sends to browsers that read brotli.

use std::path::PathBuf;

use crate::command;
use crate::effort::Effort;
use crate::failure::Result;
use crate::steps::Steps;
use crate::workspace::Workspace;

/// Removes the copies of an earlier build first: their files may be gone.
const SCRIPT: &str = r#"
const { readFileSync, readdirSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { brotliCompressSync, constants } = require("node:zlib");
const smallest = 1_000;
const worthwhile = /\.(wasm|js|css|html|json|svg|vocab|webmanifest)$/;
// Hundreds of pages, of which few are ever read.
const reference = /[\\/]docs[\\/]/;
const [quality, ...folders] = process.argv.slice(1);
for (const folder of folders) {
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, name));
  for (const path of paths.filter((path) => path.endsWith(".br"))) rmSync(path);
  for (const path of paths.filter((path) => worthwhile.test(path) && !reference.test(path) && statSync(path).size > smallest)) {
    const bytes = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: Number(quality), [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  }
}
"#;

/// Compresses the files in `folders`, at any depth.
pub(crate) fn write(
    workspace: &Workspace,
    steps: &Steps,
    folders: &[PathBuf],
    effort: Effort,
) -> Result {
    let quality = match effort {
        Effort::Shipped => "11",
        Effort::Quick => "5",
    };
    steps.run("compressed copies", || {
        let mut node = workspace.command("node");
        command::run(node.arg("--eval").arg(SCRIPT).args(["--", quality]).args(folders))
    })
}
