//! The steps of a task: each is announced, timed, and listed at the end.

use std::fmt;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// The steps so far.
#[derive(Debug)]
pub(crate) struct Steps {
    started: Instant,
    done: Vec<Step>,
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
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Runs `work` as a step called `name`. A failure is returned with the name in front.
    pub(crate) fn run<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        eprintln!("==> {name}");
        self.time(name, work)
    }

    /// Like [`Self::run`], for a step that takes long: `usually` says how long.
    pub(crate) fn run_long<T>(
        &mut self,
        name: &str,
        usually: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        eprintln!("==> {name} (usually {usually})");
        self.time(name, work)
    }

    fn time<T>(&mut self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let started = Instant::now();
        let outcome = work();
        let took = started.elapsed();
        let passed = outcome.is_ok();
        eprintln!("    {} in {}", if passed { "done" } else { "FAILED" }, seconds(took));
        self.done.push(Step { name: name.to_owned(), took, passed });
        outcome.map_err(|failure| Failure::new(format!("{name}: {failure}")))
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.done.is_empty() {
            return Ok(());
        }
        let width = self.done.iter().map(|step| step.name.chars().count()).max().unwrap_or(0);
        writeln!(f)?;
        for Step { name, took, passed } in &self.done {
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
    fn a_failing_step_is_named_in_the_failure_and_in_the_table() {
        let mut steps = Steps::start();
        assert_eq!(steps.run("first", || Ok(7)), Ok(7));
        let failed: Result = steps.run("second", || Err(Failure::new("disk full")));
        assert_eq!(failed, Err(Failure::new("second: disk full")));
        let table = steps.to_string();
        let marks: Vec<bool> = table.lines().map(|line| line.ends_with("FAILED")).collect();
        assert_eq!(marks, [false, false, true, false], "{table}");
    }
}
