//! The command line: one task and its options.

use std::ffi::OsString;

use lexopt::prelude::*;
use lexopt::{Error, Parser};

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask <task>

  demo [--port N] [--build-only]   build everything and serve the page (port 8080)
  test                             everything: checks, native, wasm, Node and browser tests
  build                            the npm package in crates/epitome-wasm/npm, the page in dist/
  package                          the npm package alone
  size                             build the package, and print what apps fetch of it; fails above a limit
  reproduce                        build the package of this commit in two places, and compare the bytes
  vocab                            pack the vocabularies of exact counting
  bench [--quick] [--only PARTS] [--full-peers] [--strict] [--date DAY]
                                   measure against other packages, results in bench/; PARTS as sizes,start
  fidelity [PARTS]                 what conversations still say after a compaction; PARTS as meetings,tools
  lint                             formatting and clippy, warnings denied, and supply
  supply                           licences, versions, sources and use of the dependencies
  shots                            pictures of every state of the page, in target/shots
  fuzz [MINUTES] [--only TARGETS] [--seed N]  inputs chosen by the code they reach, 1 minute for each target; TARGETS as engine,sse
  mutants [FILES] [--shard K/N]    small changes of the code, and whether a test notices each of them
  tidy                             shape of the source tree and direction of dependencies
  behaviours                       how many rules of docs/behaviours.md are proven, and which are open
  llm install|start|stop           a small real model on port 18080, for tests and by hand
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
    /// Build the npm package.
    Package,
    /// Take pictures of the page.
    Shots,
    /// Measure what apps fetch of the npm package.
    Size,
    /// Build the npm package twice, and compare.
    Reproduce,
    /// Pack the vocabularies.
    Vocab,
    /// Measure against other packages.
    Bench(BenchOptions),
    /// Measure what survives a compaction, in these parts, separated by commas; `None` measures all.
    Fidelity(Option<String>),
    /// Check formatting and lints.
    Lint,
    /// Check the dependencies.
    Supply,
    /// Look for inputs with which something does not hold.
    Fuzz(FuzzOptions),
    /// Test whether small changes of the code are noticed.
    Mutants(MutantsOptions),
    /// Check the source tree.
    Tidy,
    /// Count the rules that are proven.
    Behaviours,
    /// A small real model.
    Llm(Llm),
    /// Install the tools.
    Setup,
}

/// What to do with the small real model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Llm {
    /// Install it.
    Install,
    /// Install it if it is missing, and start its server.
    Start,
    /// Stop the server.
    Stop,
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
    /// The names of the parts to measure, separated by commas; `None` measures all.
    pub(crate) only: Option<String>,
    /// Whether to include the measurements of other packages that take minutes.
    pub(crate) full_peers: bool,
    /// Whether a missed target is a failure.
    pub(crate) strict: bool,
    /// The day to write above the results.
    pub(crate) date: Option<String>,
}

/// Which inputs to look for, and how long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    /// Minutes for each target; a minute is a number of inputs.
    pub(crate) minutes: u32,
    /// The names of the targets, separated by commas; `None` runs all.
    pub(crate) only: Option<String>,
    /// The seed of the random inputs. With `None` it differs in each run, which continues with what earlier runs have found.
    pub(crate) seed: Option<u32>,
}

/// Which mutants to test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MutantsOptions {
    /// Patterns of the files that are changed; empty for all.
    pub(crate) files: Vec<String>,
    /// One of several parts of the mutants, as `1/10`: every tenth of them.
    pub(crate) shard: Option<String>,
}

/// Reads the words after `cargo xtask`.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Task, Error> {
    let mut parser = Parser::from_args(words);
    let task = match parser.next()? {
        None | Some(Long("help") | Short('h')) => Task::Help,
        Some(Value(task)) => match task.string()?.as_str() {
            "help" => Task::Help,
            "demo" => Task::Demo(demo_options(&mut parser)?),
            "test" => Task::Test,
            "build" => Task::Build,
            "package" => Task::Package,
            "shots" => Task::Shots,
            "size" => Task::Size,
            "reproduce" => Task::Reproduce,
            "vocab" => Task::Vocab,
            "bench" => Task::Bench(bench_options(&mut parser)?),
            "fidelity" => Task::Fidelity(optional_word(&mut parser)?),
            "lint" => Task::Lint,
            "supply" => Task::Supply,
            "fuzz" => Task::Fuzz(fuzz_options(&mut parser)?),
            "mutants" => Task::Mutants(mutants_options(&mut parser)?),
            "tidy" => Task::Tidy,
            "behaviours" => Task::Behaviours,
            "setup" => Task::Setup,
            "llm" => Task::Llm(llm(&mut parser)?),
            unknown => return Err(format!("there is no task '{unknown}'").into()),
        },
        Some(option) => return Err(option.unexpected()),
    };
    match parser.next()? {
        Some(surplus) => Err(surplus.unexpected()),
        None => Ok(task),
    }
}

fn demo_options(parser: &mut Parser) -> Result<DemoOptions, Error> {
    let mut options = DemoOptions { port: 8080, build_only: false };
    while let Some(argument) = parser.next()? {
        match argument {
            Long("build-only") => options.build_only = true,
            Long("port") => options.port = parser.value()?.parse()?,
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(options)
}

fn bench_options(parser: &mut Parser) -> Result<BenchOptions, Error> {
    let mut options = BenchOptions::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("quick") => options.quick = true,
            Long("full-peers") => options.full_peers = true,
            Long("strict") => options.strict = true,
            Long("only") => options.only = Some(text_value(parser, "--only")?),
            Long("date") => options.date = Some(text_value(parser, "--date")?),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(options)
}

fn fuzz_options(parser: &mut Parser) -> Result<FuzzOptions, Error> {
    let mut options = FuzzOptions { minutes: 1, only: None, seed: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Value(minutes) => options.minutes = minutes.parse()?,
            Long("only") => options.only = Some(text_value(parser, "--only")?),
            Long("seed") => options.seed = Some(parser.value()?.parse()?),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(options)
}

fn mutants_options(parser: &mut Parser) -> Result<MutantsOptions, Error> {
    let mut options = MutantsOptions::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Value(file) => options.files.push(file.string()?),
            Long("shard") => options.shard = Some(text_value(parser, "--shard")?),
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(options)
}

fn llm(parser: &mut Parser) -> Result<Llm, Error> {
    match optional_word(parser)?.as_deref() {
        Some("install") => Ok(Llm::Install),
        Some("start") => Ok(Llm::Start),
        Some("stop") => Ok(Llm::Stop),
        _ => Err("llm: say install, start or stop".into()),
    }
}

/// The next word, if there is one.
fn optional_word(parser: &mut Parser) -> Result<Option<String>, Error> {
    match parser.next()? {
        None => Ok(None),
        Some(Value(word)) => Ok(Some(word.string()?)),
        Some(option) => Err(option.unexpected()),
    }
}

/// The text after `option`. lexopt would take the next option as the text if the text was forgotten.
fn text_value(parser: &mut Parser, option: &str) -> Result<String, Error> {
    let value = parser.value()?.string()?;
    if value.starts_with('-') {
        return Err(format!("missing argument for option '{option}'").into());
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<Task, &str>) {
        let found = parse(line.split_whitespace().map(OsString::from));
        assert_eq!(
            found.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned),
            "{line}"
        );
    }

    #[test]
    fn the_demo_listens_on_8080_unless_another_port_is_given() {
        check("demo", Ok(Task::Demo(DemoOptions { port: 8080, build_only: false })));
        check(
            "demo --port 9000 --build-only",
            Ok(Task::Demo(DemoOptions { port: 9000, build_only: true })),
        );
    }

    #[test]
    fn the_usage_is_printed_on_demand_and_without_a_task() {
        for line in ["", "help", "--help", "-h"] {
            check(line, Ok(Task::Help));
        }
    }

    #[test]
    fn the_bench_measures_everything_unless_parts_are_named() {
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
    fn the_fuzzer_runs_for_one_minute_unless_more_are_given() {
        check("fuzz", Ok(Task::Fuzz(FuzzOptions { minutes: 1, only: None, seed: None })));
        check(
            "fuzz 60 --only engine,sse --seed 7",
            Ok(Task::Fuzz(FuzzOptions {
                minutes: 60,
                only: Some("engine,sse".into()),
                seed: Some(7),
            })),
        );
    }

    #[test]
    fn mutants_are_those_of_the_files_and_of_the_shard() {
        check("mutants", Ok(Task::Mutants(MutantsOptions::default())));
        let files =
            vec!["crates/epitome/src/plan.rs".into(), "crates/epitome/src/plan/*.rs".into()];
        let options = MutantsOptions { files, shard: Some("3/40".into()) };
        check(
            "mutants crates/epitome/src/plan.rs crates/epitome/src/plan/*.rs --shard 3/40",
            Ok(Task::Mutants(options)),
        );
    }

    #[test]
    fn fidelity_measures_everything_unless_parts_are_named() {
        check("fidelity", Ok(Task::Fidelity(None)));
        check("fidelity meetings,tools", Ok(Task::Fidelity(Some("meetings,tools".into()))));
    }

    #[test]
    fn the_model_is_installed_started_or_stopped() {
        check("llm install", Ok(Task::Llm(Llm::Install)));
        check("llm start", Ok(Task::Llm(Llm::Start)));
        check("llm stop", Ok(Task::Llm(Llm::Stop)));
        check("llm", Err("llm: say install, start or stop"));
    }

    #[test]
    fn an_unknown_word_is_named() {
        check("bench --fast", Err("invalid option '--fast'"));
        check("bench --only --quick", Err("missing argument for option '--only'"));
        check("bench --only", Err("missing argument for option '--only'"));
        check("dmo", Err("there is no task 'dmo'"));
        check("test --fast", Err("invalid option '--fast'"));
        check("test fast", Err("unexpected argument \"fast\""));
        check("behaviours --short", Err("invalid option '--short'"));
        check("demo --prot 1", Err("invalid option '--prot'"));
        check("demo --port x", Err("cannot parse argument \"x\": invalid digit found in string"));
        check("demo --port", Err("missing argument for option '--port'"));
    }
}
