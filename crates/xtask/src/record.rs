//! The tests that ran, how each ended, and which were skipped and why.

mod libtest;
mod node_report;
mod playwright_report;
mod skipped_file;

use std::fmt;

pub(crate) use libtest::run as run_cargo_test;
pub(crate) use node_report::run as run_node_tests;
pub(crate) use playwright_report::run as run_playwright;
pub(crate) use skipped_file::{
    VARIABLE as SKIPPED_FILE, begin as begin_skipped_file, read as read_skipped_file,
};

/// Every test of one `cargo xtask test`.
#[derive(Debug, Default)]
pub(crate) struct Record {
    tests: Vec<RanTest>,
}

/// One test. A test that runs in several places is there several times.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RanTest {
    /// The title, or the function with its modules.
    pub(crate) name: String,
    /// The file from the root of the checkout, if the reporter knows it.
    pub(crate) file: Option<String>,
    /// How it ended.
    pub(crate) outcome: Outcome,
}

/// How a test ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All of its assertions held.
    Passed,
    /// It failed, which stops `cargo xtask test`.
    Failed,
    /// It did not check anything, for this reason.
    Skipped(String),
}

impl RanTest {
    /// The name without modules.
    pub(crate) fn short_name(&self) -> &str {
        // Titles of scripts may hold `::` as well, but not without a space.
        match self.name.rsplit_once("::") {
            Some((_, name)) if !self.name.contains(' ') => name,
            _ => &self.name,
        }
    }
}

impl Record {
    /// Adds one test.
    pub(crate) fn add(&mut self, name: &str, file: Option<String>, outcome: Outcome) {
        self.tests.push(RanTest { name: name.into(), file, outcome });
    }

    /// All tests, in the order in which they ended.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &RanTest> {
        self.tests.iter()
    }

    /// Notes that `name` was skipped, or skipped itself: cargo test takes such a test for one that passed.
    pub(crate) fn skip(&mut self, name: &str, reason: &str) {
        let mut is_known = false;
        for test in &mut self.tests {
            if test.name == name || test.short_name() == name {
                test.outcome = Outcome::Skipped(reason.into());
                is_known = true;
            }
        }
        if !is_known {
            self.add(name, None, Outcome::Skipped(reason.into()));
        }
    }
}

/// The number of tests, then each skipped test with its reason.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skipped: Vec<(&RanTest, &str)> = self
            .tests()
            .filter_map(|test| match &test.outcome {
                Outcome::Skipped(reason) => Some((test, reason.as_str())),
                Outcome::Passed | Outcome::Failed => None,
            })
            .collect();
        writeln!(f, "tests: {} ran, {} skipped", self.tests.len() - skipped.len(), skipped.len())?;
        for (test, reason) in skipped {
            match &test.file {
                Some(file) => writeln!(f, "  {} ({file}): {reason}", test.name)?,
                None => writeln!(f, "  {}: {reason}", test.name)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_tests_are_listed_with_their_reasons() {
        let mut record = Record::default();
        record.add("m::n::a1_x", None, Outcome::Passed);
        record.add("m::b", None, Outcome::Passed);
        record.add("c: d", Some("tests/c.mjs".into()), Outcome::Skipped("no server".into()));
        record.skip("a1_x", "no data");
        record.skip("unknown", "no vocabulary");
        assert_eq!(
            record.to_string(),
            "tests: 1 ran, 3 skipped\n  m::n::a1_x: no data\n  c: d (tests/c.mjs): no server\n  \
             unknown: no vocabulary\n"
        );
    }

    #[test]
    fn a_short_name_has_no_modules() {
        let short = |name: &str| {
            let mut record = Record::default();
            record.add(name, None, Outcome::Passed);
            record.tests().map(|test| test.short_name().to_owned()).collect::<String>()
        };
        assert_eq!(short("a::b::c"), "c");
        assert_eq!(short("c"), "c");
        assert_eq!(short("a1: `x::y` is kept"), "a1: `x::y` is kept");
    }
}
