//! `cargo xtask bench`: measures the npm package against other packages, and writes the results to `bench/`.

mod bpe_openai;

use std::env;
use std::path::PathBuf;

use crate::arguments::BenchOptions;
use crate::artifacts;
use crate::browser;
use crate::command;
use crate::effort::Effort;
use crate::failure::{Failure, Result};
use crate::node;
use crate::steps::Steps;
use crate::toolchain;
use crate::workspace::Workspace;

/// The folder of the bench. Its packages have a separate lock file, so that other tasks do not install them.
const FOLDER: &str = "bench";
const COLLECTOR: &str = "crates/epitome-tokens/fit/collect.mjs";

/// Builds and installs what is missing, measures, and reports. Fails if a part is broken; a missed target is a failure only
/// if `options` are strict.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, options: &BenchOptions) -> Result {
    for part in options.only.iter().flat_map(|parts| parts.split(',')) {
        // An unknown part is reported now, not after minutes of building.
        if !workspace.path(&format!("{FOLDER}/src/parts/{part}.mjs")).exists() {
            return Err(Failure::new(format!("the bench has no part `{part}`")));
        }
    }
    toolchain::install(workspace, steps)?;
    artifacts::build_package(workspace, steps, Effort::Shipped)?;
    node::install_in(workspace, steps, FOLDER)?;
    let browser = browser::obtain(workspace, steps)?;
    let bpe_openai = bpe_openai::build(workspace, steps)?;
    let texts = collect_texts(workspace, steps)?;
    let usually = if options.quick { "3 minutes" } else { "10 to 20 minutes" };
    steps.run_long("measure", usually, || {
        let mut measure = workspace.command("node");
        measure.arg(workspace.path(FOLDER).join("src/run.mjs")).args(arguments(options));
        measure.env("BENCH_TEXTS", &texts).env("BENCH_BPE_OPENAI", &bpe_openai);
        command::run(measure.env("EPITOME_BROWSER", browser.binary()))
    })
}

fn arguments(options: &BenchOptions) -> Vec<String> {
    let flags = [
        (options.quick, "--quick"),
        (options.full_peers, "--full-peers"),
        (options.strict, "--strict"),
    ];
    let flags = flags.iter().filter(|(given, _)| *given).map(|(_, flag)| (*flag).to_owned());
    let only = options.only.iter().map(|only| format!("--only={only}"));
    let date = options.date.iter().map(|date| format!("--date={date}"));
    flags.chain(only).chain(date).collect()
}

/// The texts that the estimator was never fitted on, in a folder that all checkouts share. Sources that cannot be loaded
/// are named and left out.
fn collect_texts(workspace: &Workspace, steps: &Steps) -> Result<PathBuf> {
    let texts = workspace.cache("bench-texts");
    let recordings =
        env::var_os("EPITOME_DATA").map_or_else(|| workspace.path("../shared/data"), PathBuf::from);
    steps.run_long("texts to count", "1 minute, once", || {
        let mut collect = workspace.command("node");
        collect.arg(workspace.path(COLLECTOR)).arg(&texts);
        if recordings.join("openai").exists() {
            collect.arg(&recordings);
        } else {
            collect.arg("");
        }
        command::run(collect.arg("held-out"))
    })?;
    Ok(texts)
}
