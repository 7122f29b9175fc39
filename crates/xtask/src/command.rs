//! Runs programs, and describes their failures.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};

use crate::failure::{Failure, Result};

/// Runs `command` with its output on the terminal.
pub(crate) fn run(command: &mut Command) -> Result {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    expect_success(command, status)
}

/// Runs `command` with its output on the terminal, and gives each line of standard output to `read` as well.
pub(crate) fn run_and_read(command: &mut Command, mut read: impl FnMut(&str)) -> Result {
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    let broken = |error: io::Error| Failure::new(format!("the output cannot be read: {error}"));
    if let Some(stdout) = child.stdout.take() {
        let mut stdout = BufReader::new(stdout);
        let mut bytes = Vec::new();
        while stdout.read_until(b'\n', &mut bytes).map_err(broken)? > 0 {
            io::stdout().write_all(&bytes).map_err(broken)?;
            read(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
            bytes.clear();
        }
    }
    let status = child.wait().map_err(broken)?;
    expect_success(command, status)
}

fn expect_success(command: &Command, status: ExitStatus) -> Result {
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!("`{}` ended with {status}; its output above says why", line(command))))
}

/// Runs `command` as the last action of this program. On Unix it replaces this process, so that stopping this process stops
/// the command.
pub(crate) fn replace_process(command: &mut Command) -> Result {
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(command);
        Err(not_started(command, &error))
    }
    #[cfg(not(unix))]
    run(command)
}

/// Runs `command` and returns its standard output; its standard error goes to the terminal.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().map_err(|error| not_started(command, &error))?;
    if !output.status.success() {
        return Err(Failure::new(format!("`{}` ended with {}", line(command), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The standard output of `command`, if it can be started and succeeds.
pub(crate) fn quiet_output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// `command` as a line in a shell.
pub(crate) fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    Failure::new(format!("`{program}` cannot be started: {error}; is it installed and on PATH?"))
}
