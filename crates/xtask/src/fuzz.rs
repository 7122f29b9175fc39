//! `cargo xtask fuzz`: inputs that reach as much of the code as possible, chosen by what they reach.
//!
//! The pinned compiler counts which branches an input takes, and libFuzzer, a crate, makes the inputs: neither a nightly
//! compiler nor a tool has to be installed.

use std::fs;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::arguments::FuzzOptions;
use crate::command;
use crate::failure::{Failure, Result};
use crate::steps::Steps;
use crate::workspace::Workspace;

/// One folder of inputs for each target. What the fuzzer begins with is in git, and so is what once failed.
const INPUTS: &str = "fuzz/inputs";

/// What makes the compiler count branches and comparisons for libFuzzer.
const COVERAGE: [&str; 6] = [
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// How many inputs of each target are tried in about a minute. A run is so many inputs long, not so many seconds: on a slow
/// machine it takes longer and tries the same.
const INPUTS_PER_MINUTE: [(&str, u32); 10] = [
    ("engine", 2_500),
    ("estimate", 250_000),
    ("formats", 12_000),
    ("policy", 60_000),
    ("snapshot", 60_000),
    ("sse", 500_000),
    ("texts", 20_000),
    ("tokenizer-json", 7_000),
    ("untouched", 100_000),
    ("vocabulary", 35_000),
];

/// A target, and how many inputs to try.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    name: String,
    inputs: u64,
}

/// Fuzzes each target for the minutes, as many at a time as the machine has cores, and fails if something does not hold.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, options: &FuzzOptions) -> Result {
    if cfg!(windows) {
        eprintln!("skipped: the fuzzer needs Linux or macOS");
        return Ok(());
    }
    let targets = targets(workspace, options)?;
    let host = host(workspace)?;
    let folder = workspace.target("fuzz");
    steps.run_long("compile the fuzzer", "2 minutes the first time", || {
        let mut build = workspace.cargo(["build", "--locked", "--profile=fuzz"]);
        build.args(["--package=epitome-fuzz", "--target", &host, "--target-dir"]).arg(&folder);
        // The target is named, so that the flags are not for build scripts and macros.
        command::run(build.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1F}")))
    })?;
    let program = folder.join(host).join("fuzz/epitome-fuzz");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let minutes = targets.len().div_ceil(cores) * options.minutes as usize;
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    steps.run_long("fuzz", &format!("{minutes} minutes"), || {
        thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(failure) = fuzz(workspace, &program, &folder, target, options) {
                            failures.lock().unwrap_or_else(PoisonError::into_inner).push(failure);
                        }
                    }
                });
            }
        });
        let failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failures.into_iter().next().map_or(Ok(()), Err)
    })
}

/// Fuzzes one target.
fn fuzz(
    workspace: &Workspace,
    program: &Path,
    folder: &Path,
    target: &Target,
    options: &FuzzOptions,
) -> Result {
    let Target { name, inputs } = target;
    let failed = folder.join("failed").join(name);
    // What was found is kept, and the next run continues with it. With a seed, a run begins with the stored inputs alone, so
    // that it tries the same again.
    let found = match options.seed {
        None => folder.join("found").join(name),
        Some(_) => folder.join("found-with-seed").join(name),
    };
    if options.seed.is_some() && found.exists() {
        fs::remove_dir_all(&found).map_err(|error| Failure::new(format!("{error}")))?;
    }
    for folder in [&failed, &found] {
        fs::create_dir_all(folder).map_err(|error| Failure::new(format!("{error}")))?;
    }
    let log = folder.join(format!("{name}.log"));
    let output = File::create(&log).map_err(|error| Failure::new(format!("{error}")))?;
    let mut fuzz = workspace.command(program);
    fuzz.env("EPITOME_FUZZ_TARGET", name).stderr(output);
    fuzz.arg(format!("-runs={inputs}"));
    fuzz.args(["-max_len=4096", "-timeout=60", "-rss_limit_mb=2048", "-print_final_stats=1"]);
    fuzz.arg(format!("-artifact_prefix={}/", failed.display()));
    fuzz.args(options.seed.map(|seed| format!("-seed={seed}")));
    // New inputs are stored in the first folder.
    let outcome = command::run(fuzz.arg(&found).arg(workspace.path(INPUTS).join(name)));
    let text = fs::read(&log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    outcome.map_err(|_| failure(&text, name))?;
    print_summary(&text, name);
    Ok(())
}

/// The targets, or those of them that `only` names, separated by commas.
fn targets(workspace: &Workspace, options: &FuzzOptions) -> Result<Vec<Target>> {
    let folder = workspace.path(INPUTS);
    let entries = fs::read_dir(&folder)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", folder.display())))?;
    let mut folders: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    folders.sort();
    let known = INPUTS_PER_MINUTE.map(|(name, _)| name);
    if folders != known {
        return Err(Failure::new(format!(
            "{INPUTS} has the targets {}, and INPUTS_PER_MINUTE in fuzz.rs has {}",
            folders.join(", "),
            known.join(", ")
        )));
    }
    let wanted: Option<Vec<&str>> = options.only.as_deref().map(|only| only.split(',').collect());
    if let Some(unknown) = wanted.iter().flatten().find(|name| !known.contains(name)) {
        let known = known.join(", ");
        return Err(Failure::new(format!("there is no target `{unknown}`, but {known}")));
    }
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted.contains(&name));
    let chosen = INPUTS_PER_MINUTE.into_iter().filter(|(name, _)| is_wanted(name));
    let inputs = |per_minute: u32| u64::from(per_minute) * u64::from(options.minutes);
    Ok(chosen
        .map(|(name, per_minute)| Target { name: name.to_owned(), inputs: inputs(per_minute) })
        .collect())
}

/// The target of this machine, such as `x86_64-unknown-linux-gnu`.
fn host(workspace: &Workspace) -> Result<String> {
    let version = command::quiet_output(workspace.command("rustc").arg("-vV"));
    let version = version.ok_or_else(|| Failure::new("rustc cannot be run"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc does not name its host"))
}

/// Prints how many inputs were tried, and how many branches and values they reached.
fn print_summary(log: &str, target: &str) {
    let done = log.lines().rev().find(|line| line.contains("DONE"));
    println!("    {target}: {}", done.unwrap_or("the fuzzer has not said what it did"));
}

/// The message of what failed, and the input with which it did.
fn failure(log: &str, target: &str) -> Failure {
    let lines: Vec<&str> = log.lines().collect();
    let began = lines.iter().position(|line| line.contains("panicked at"));
    let began = began.unwrap_or_else(|| lines.len().saturating_sub(30));
    let said: Vec<&str> = lines.iter().skip(began).take(30).copied().collect();
    let input = lines.iter().rev().find_map(|line| line.split("written to ").nth(1));
    Failure::new(format!(
        "{}\n\nThe input is {}. Copy it to {INPUTS}/{target}/ with a name that says what it shows: \
         `cargo test -p epitome-fuzz` then fails until that is repaired.",
        said.join("\n"),
        input.unwrap_or("not known")
    ))
}
