//! A server that tests talk to: started, waited for, and stopped whatever happens.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::command;
use crate::failure::{Failure, Result};

const GREETING: &str = "listening ";
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts `command` and waits for its first line, `listening http://…`.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let line = command::line(command);
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::new(format!("`{line}` cannot be started: {error}")))?;
        let stdout = child.stdout.take();
        let mut server = Self { child, address: String::new() };

        // A thread of its own, so that waiting ends, and so that the pipe never fills up afterwards.
        let (sender, first_line) = mpsc::channel();
        thread::spawn(move || {
            let Some(stdout) = stdout else { return };
            for line in BufReader::new(stdout).lines().map_while(std::io::Result::ok) {
                // Only the first line has a receiver.
                let _ = sender.send(line);
            }
        });
        let first = first_line.recv_timeout(PATIENCE).map_err(|_| {
            Failure::new(format!(
                "`{line}` did not say where it listens; start it by hand to see why"
            ))
        })?;
        let Some(address) = first.strip_prefix(GREETING) else {
            return Err(Failure::new(format!(
                "`{line}` said `{first}` instead of `{GREETING}http://…`"
            )));
        };
        address.trim().clone_into(&mut server.address);
        Ok(server)
    }

    /// Where it listens: `http://127.0.0.1:18431`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
