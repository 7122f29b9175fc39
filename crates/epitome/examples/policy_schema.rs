//! Writes the JSON Schema of a policy into the npm package.

#![allow(
    clippy::disallowed_methods,
    reason = "an example may write a file, which the engine must not"
)]

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../epitome-wasm/npm/policy.schema.json");
    let text = serde_json::to_string_pretty(&epitome::policy::schema())?;
    fs::write(file, text + "\n")
}
