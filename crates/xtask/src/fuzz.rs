//! `cargo xtask fuzz`: inputs that reach as much of the code as possible, chosen by what they reach.
//!
//! The pinned compiler counts which branches an input takes, and libFuzzer, a crate, makes the inputs: neither a nightly
//! compiler nor a tool has to be installed.

use std::fs;
use std::fs::File;

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

/// Divides the minutes among the targets, and fails at the first input with which something does not hold.
pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, options: &FuzzOptions) -> Result {
    if cfg!(windows) {
        eprintln!("skipped: the fuzzer needs Linux or macOS");
        return Ok(());
    }
    let targets = targets(workspace, options.only.as_deref())?;
    let host = host(workspace)?;
    let folder = workspace.target("fuzz");
    steps.run_long("compile the fuzzer", "2 minutes the first time", || {
        let mut build = workspace.cargo(["build", "--locked", "--profile=fuzz"]);
        build.args(["--package=epitome-fuzz", "--target", &host, "--target-dir"]).arg(&folder);
        // The target is named, so that the flags are not for build scripts and macros.
        command::run(build.env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\u{1F}")))
    })?;
    let program = folder.join(host).join("fuzz/epitome-fuzz");
    let seconds = (u64::from(options.minutes) * 60 / targets.len().max(1) as u64).max(1);
    for target in &targets {
        let failed = folder.join("failed").join(target);
        // What was found is kept, and the next run continues with it.
        let found = folder.join("found").join(target);
        let log = folder.join(format!("{target}.log"));
        for folder in [&failed, &found] {
            fs::create_dir_all(folder).map_err(|error| Failure::new(format!("{error}")))?;
        }
        steps.run_long(&format!("fuzz {target}"), &format!("{seconds} seconds"), || {
            let output = File::create(&log).map_err(|error| Failure::new(format!("{error}")))?;
            let mut fuzz = workspace.command(&program);
            fuzz.env("EPITOME_FUZZ_TARGET", target).stderr(output);
            fuzz.arg(format!("-max_total_time={seconds}"));
            fuzz.args(options.seed.map(|seed| format!("-seed={seed}")));
            fuzz.args([
                "-max_len=4096",
                "-timeout=20",
                "-rss_limit_mb=2048",
                "-print_final_stats=1",
            ]);
            fuzz.arg(format!("-artifact_prefix={}/", failed.display()));
            let outcome = command::run(fuzz.arg(&found).arg(workspace.path(INPUTS).join(target)));
            let text = fs::read(&log).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            match outcome {
                Ok(()) => print_summary(&text),
                Err(_) => return Err(failure(&text, target)),
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The names of the targets, or those of them that are in `only`, separated by commas.
fn targets(workspace: &Workspace, only: Option<&str>) -> Result<Vec<String>> {
    let folder = workspace.path(INPUTS);
    let entries = fs::read_dir(&folder)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", folder.display())))?;
    let mut all: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect();
    all.sort();
    let Some(only) = only else { return Ok(all) };
    let wanted: Vec<&str> = only.split(',').collect();
    if let Some(unknown) = wanted.iter().find(|name| !all.iter().any(|known| known == *name)) {
        let known = all.join(", ");
        return Err(Failure::new(format!("there is no target `{unknown}`, but {known}")));
    }
    all.retain(|target| wanted.contains(&target.as_str()));
    Ok(all)
}

/// The target of this machine, such as `x86_64-unknown-linux-gnu`.
fn host(workspace: &Workspace) -> Result<String> {
    let version = command::quiet_output(workspace.command("rustc").arg("-vV"));
    let version = version.ok_or_else(|| Failure::new("rustc cannot be run"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| Failure::new("rustc does not name its host"))
}

/// Prints how many inputs were tried, and how many branches and values they reached.
fn print_summary(log: &str) {
    let done = log.lines().rev().find(|line| line.contains("DONE"));
    println!("    {}", done.unwrap_or("the fuzzer has not said what it did"));
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
