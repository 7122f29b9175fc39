//! The lines that `cargo test` prints, on the host and through the runner for wasm.

use std::process::Command;

use super::{Outcome, Record};
use crate::command;
use crate::failure::Result;

/// Runs `tests`, shows its output while it runs, and records every test.
pub(crate) fn run(tests: &mut Command, record: &mut Record) -> Result {
    command::run_and_read(tests, |line| {
        if let Some((name, outcome)) = parse(line) {
            record.add(name, None, outcome);
        }
    })
}

/// The name and the end of the test in a line such as `test module::name ... ok`; `None` for any other line.
fn parse(line: &str) -> Option<(&str, Outcome)> {
    let (name, end) = line.trim_end().strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = if end == "ok" {
        Outcome::Passed
    } else if end.starts_with("FAIL") {
        Outcome::Failed
    } else {
        let reason = end.strip_prefix("ignored")?.trim_start_matches([',', ' ']);
        Outcome::Skipped(if reason.is_empty() { "ignored".into() } else { reason.into() })
    };
    Some((name.strip_suffix(" - should panic").unwrap_or(name), outcome))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_test_and_its_end() {
        let skipped = |reason: &str| Outcome::Skipped(reason.into());
        let cases = [
            ("test m::b2_x ... ok", Some(("m::b2_x", Outcome::Passed))),
            ("test b2_x ... FAILED", Some(("b2_x", Outcome::Failed))),
            ("test b2_x ... FAIL", Some(("b2_x", Outcome::Failed))),
            ("test b2_x ... ignored", Some(("b2_x", skipped("ignored")))),
            ("test b2_x ... ignored, slow", Some(("b2_x", skipped("slow")))),
            ("test b2_x - should panic ... ok", Some(("b2_x", Outcome::Passed))),
            ("test a/b.rs - c (line 3) ... ok", Some(("a/b.rs - c (line 3)", Outcome::Passed))),
            ("test result: ok. 3 passed; 0 failed", None),
            ("running 3 tests", None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
