//! Reports the part of a test that did not run, since `cargo test` shows nothing of a test that passes.

use std::collections::BTreeSet;
use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What was reported already, so that a test that asks twice for the same data is listed once.
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Reports that the running test leaves something out, and why: on stderr, and as a line
/// `<test name>: <reason>` at the end of the file that `EPITOME_SKIPPED` names, if it is set.
#[expect(clippy::print_stderr, reason = "a test that checks less must say so")]
pub fn skipped(reason: &str) {
    // The test runner names the thread of a test after it.
    let line = format!("{}: {reason}\n", thread::current().name().unwrap_or("a test"));
    if !REPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(line.clone()) {
        return;
    }
    eprint!("SKIPPED {line}");
    let Some(path) = env::var_os("EPITOME_SKIPPED") else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    // In one write: other test binaries append to the same file.
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        eprintln!("cannot append to {}: {error}", path.display());
    }
}
