//! The command line: one task and its options.

use crate::behaviours::Detail;
use crate::failure::{Failure, Result};

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask <task>

  demo [--port N] [--build-only]   build everything and serve the page (port 8080)
  test                             everything: checks, native, wasm, Node and browser tests
  build                            the npm package in crates/epitome-wasm/npm, the page in dist/
  vocab                            pack the vocabularies of exact counting
  bench [--quick] [--only PARTS] [--full-peers] [--strict] [--date DAY]
                                   measure against other packages, results in bench/; PARTS as sizes,start
  lint                             formatting and clippy, warnings denied
  tidy                             shape of the source tree and direction of dependencies
  behaviours [--brief]             every behaviour and the tests that prove it
  setup                            install what the other tasks would install, and stop
  help                             this text

Tools are kept in the user's cache folder; EPITOME_CACHE=<folder> puts them elsewhere.
EPITOME_BROWSER=<chrome> and CHROMEDRIVER=<driver> choose the browser of the tests.";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Print the usage.
    Help,
    /// Build and serve the page.
    Demo(DemoOptions),
    /// Run every test.
    Test,
    /// Build the npm package and the page.
    Build,
    /// Pack the vocabularies.
    Vocab,
    /// Measure against other packages.
    Bench(BenchOptions),
    /// Check formatting and lints.
    Lint,
    /// Check the source tree.
    Tidy,
    /// List the behaviours and their tests.
    Behaviours(Detail),
    /// Install the tools.
    Setup,
}

/// How to run the demo.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DemoOptions {
    /// Port to serve on.
    pub(crate) port: u16,
    /// Whether to stop before serving.
    pub(crate) build_only: bool,
}

/// What to measure, and how thoroughly.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BenchOptions {
    /// Fewer texts and passes.
    pub(crate) quick: bool,
    /// The names of the parts to measure, with commas; all where absent.
    pub(crate) only: Option<String>,
    /// Whether to measure what takes other packages minutes.
    pub(crate) full_peers: bool,
    /// Whether a missed target is a failure.
    pub(crate) strict: bool,
    /// The day to write above the results.
    pub(crate) date: Option<String>,
}

/// Reads the words after `cargo xtask`.
pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Task> {
    let mut words = words.into_iter();
    let task = match words.next().as_deref() {
        None | Some("help" | "--help" | "-h") => Task::Help,
        Some("demo") => return parse_demo(words).map(Task::Demo),
        Some("test") => Task::Test,
        Some("bench") => return parse_bench(words).map(Task::Bench),
        Some("behaviours") => return parse_behaviours(words).map(Task::Behaviours),
        Some("build") => Task::Build,
        Some("vocab") => Task::Vocab,
        Some("lint") => Task::Lint,
        Some("tidy") => Task::Tidy,
        Some("setup") => Task::Setup,
        Some(word) => return Err(Failure::new(format!("there is no task `{word}`"))),
    };
    match words.next() {
        Some(word) => Err(Failure::new(format!("this task takes no `{word}`"))),
        None => Ok(task),
    }
}

fn parse_behaviours(words: impl Iterator<Item = String>) -> Result<Detail> {
    let mut detail = Detail::Tests;
    for word in words {
        match word.as_str() {
            "--brief" => detail = Detail::Rows,
            _ => return Err(Failure::new(format!("behaviours takes no `{word}`"))),
        }
    }
    Ok(detail)
}

fn parse_demo(mut words: impl Iterator<Item = String>) -> Result<DemoOptions> {
    let mut options = DemoOptions { port: 8080, build_only: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--build-only" => options.build_only = true,
            "--port" => {
                let value = words.next().unwrap_or_default();
                options.port = value.parse().map_err(|_| {
                    Failure::new(format!("--port takes a number up to 65535, not `{value}`"))
                })?;
            }
            _ => return Err(Failure::new(format!("demo takes no `{word}`"))),
        }
    }
    Ok(options)
}

fn parse_bench(mut words: impl Iterator<Item = String>) -> Result<BenchOptions> {
    let mut options = BenchOptions::default();
    while let Some(word) = words.next() {
        let mut value = || {
            let value = words.next().filter(|value| !value.starts_with("--"));
            value.ok_or_else(|| Failure::new(format!("{word} takes a value")))
        };
        match word.as_str() {
            "--quick" => options.quick = true,
            "--full-peers" => options.full_peers = true,
            "--strict" => options.strict = true,
            "--only" => options.only = Some(value()?),
            "--date" => options.date = Some(value()?),
            _ => return Err(Failure::new(format!("bench takes no `{word}`"))),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: std::result::Result<Task, &str>) {
        let found = parse(line.split_whitespace().map(str::to_owned));
        assert_eq!(found, expected.map_err(Failure::new), "{line}");
    }

    #[test]
    fn the_demo_listens_on_8080_unless_told_otherwise() {
        check("demo", Ok(Task::Demo(DemoOptions { port: 8080, build_only: false })));
        check(
            "demo --port 9000 --build-only",
            Ok(Task::Demo(DemoOptions { port: 9000, build_only: true })),
        );
    }

    #[test]
    fn behaviours_come_with_their_tests_unless_told_otherwise() {
        check("behaviours", Ok(Task::Behaviours(Detail::Tests)));
        check("behaviours --brief", Ok(Task::Behaviours(Detail::Rows)));
    }

    #[test]
    fn the_bench_measures_everything_unless_told_otherwise() {
        check("bench", Ok(Task::Bench(BenchOptions::default())));
        check(
            "bench --quick --only sizes,start --strict",
            Ok(Task::Bench(BenchOptions {
                quick: true,
                only: Some("sizes,start".into()),
                strict: true,
                ..BenchOptions::default()
            })),
        );
    }

    #[test]
    fn an_unknown_word_is_named() {
        check("bench --fast", Err("bench takes no `--fast`"));
        check("bench --only --quick", Err("--only takes a value"));
        check("dmo", Err("there is no task `dmo`"));
        check("test --fast", Err("this task takes no `--fast`"));
        check("behaviours --short", Err("behaviours takes no `--short`"));
        check("demo --prot 1", Err("demo takes no `--prot`"));
        check("demo --port x", Err("--port takes a number up to 65535, not `x`"));
        check("demo --port", Err("--port takes a number up to 65535, not ``"));
    }
}
