//! A server for tests. Dropping it stops it, also after a failure.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::command;
use crate::failure::{Failure, Result};

const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts `command` and waits for its first line, `listening http://…`.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        Self::start_saying(command, "listening ")
    }

    /// Starts `command` and waits for its first line, which has its address behind `begin`.
    pub(crate) fn start_saying(command: &mut Command, begin: &str) -> Result<Self> {
        let line = command::line(command);
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::new(format!("`{line}` cannot be started: {error}")))?;
        let stdout = child.stdout.take();
        let mut server = Self { child, address: String::new() };

        // A thread reads the output, so that waiting for the first line can time out, and the pipe never fills up later.
        let (sender, first_line) = mpsc::channel();
        thread::spawn(move || {
            let Some(stdout) = stdout else { return };
            for line in BufReader::new(stdout).lines().map_while(std::io::Result::ok) {
                // Nothing receives the lines after the first.
                let _ = sender.send(line);
            }
        });
        let first = first_line.recv_timeout(START_TIMEOUT).map_err(|_| {
            Failure::new(format!(
                "`{line}` did not print its address; start it manually to see why"
            ))
        })?;
        let Some(address) = first.strip_prefix(begin) else {
            return Err(Failure::new(format!(
                "`{line}` printed `{first}` instead of `{begin}` and its address"
            )));
        };
        address.trim().clone_into(&mut server.address);
        Ok(server)
    }

    /// Its address, such as `http://127.0.0.1:18431`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail if the server has already ended. This is not an error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
