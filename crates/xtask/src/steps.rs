//! The steps of a task: each is announced, timed, and listed at the end.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// The steps so far.
#[derive(Debug)]
pub(crate) struct Steps {
    started: Instant,
    done: Mutex<Vec<Step>>,
}

#[derive(Debug)]
struct Step {
    name: String,
    took: Duration,
    passed: bool,
}

impl Steps {
    /// No steps; starts the clock.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), done: Mutex::new(Vec::new()) }
    }

    /// Runs `work` as a step called `name`. A failure is returned with the name in front.
    pub(crate) fn run<T>(&self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("==> {name}");
        self.time(name, work)
    }

    /// Like [`Self::run`], for a step that takes long: `usually` says how long.
    pub(crate) fn run_long<T>(
        &self,
        name: &str,
        usually: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        eprintln!("==> {name} (usually {usually})");
        self.time(name, work)
    }

    fn time<T>(&self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let started = Instant::now();
        let outcome = work();
        let took = started.elapsed();
        let passed = outcome.is_ok();
        // With the name, since steps may run side by side.
        eprintln!("    {} in {}: {name}", if passed { "done" } else { "FAILED" }, seconds(took));
        self.done().push(Step { name: name.to_owned(), took, passed });
        outcome.map_err(|failure| Failure::new(format!("{name}: {failure}")))
    }

    fn done(&self) -> MutexGuard<'_, Vec<Step>> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs both side by side, each with steps of its own. A failure is returned once both have ended.
pub(crate) fn both<A, B: Send>(
    one: impl FnOnce() -> Result<A>,
    other: impl FnOnce() -> Result<B> + Send,
) -> Result<(A, B)> {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let one = one();
        let other = other.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok((one?, other?))
    })
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = self.done();
        if done.is_empty() {
            return Ok(());
        }
        let width = done.iter().map(|step| step.name.chars().count()).max().unwrap_or(0);
        writeln!(f)?;
        for Step { name, took, passed } in done.iter() {
            let mark = if *passed { "" } else { "  FAILED" };
            writeln!(f, "{name:width$} {:>9}{mark}", seconds(*took))?;
        }
        writeln!(f, "{:width$} {:>9}", "total", seconds(self.started.elapsed()))
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f32())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_that_run_side_by_side_both_end_and_a_failure_is_returned() {
        let steps = Steps::start();
        let both = both(
            || steps.run("first", || -> Result { Err(Failure::new("disk full")) }),
            || steps.run("second", || Ok(7)),
        );
        assert_eq!(both, Err(Failure::new("first: disk full")));
        assert_eq!(steps.done().iter().filter(|step| step.passed).count(), 1);
    }

    #[test]
    fn a_failing_step_is_named_in_the_failure_and_in_the_table() {
        let steps = Steps::start();
        assert_eq!(steps.run("first", || Ok(7)), Ok(7));
        let failed: Result = steps.run("second", || Err(Failure::new("disk full")));
        assert_eq!(failed, Err(Failure::new("second: disk full")));
        let table = steps.to_string();
        let marks: Vec<bool> = table.lines().map(|line| line.ends_with("FAILED")).collect();
        assert_eq!(marks, [false, false, true, false], "{table}");
    }
}
