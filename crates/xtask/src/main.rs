//! `cargo xtask`: takes a bare checkout to a running demo or a green test run.

mod agreement;
mod arguments;
mod artifacts;
mod behaviours;
mod bench;
mod browser;
mod cargo_tool;
mod chrome_for_testing;
mod command;
mod compressed;
mod debian;
mod demo;
mod effort;
mod failure;
mod fidelity;
mod fuzz;
mod glue;
mod installed_browser;
mod lint;
mod llm;
mod mutants;
mod node;
mod pins;
mod programs;
mod record;
mod reproduce;
mod sbom;
mod server;
mod shots;
mod size;
mod sizes;
mod source_paths;
mod source_tree;
mod steps;
mod supply;
mod test;
mod tidy;
mod toolchain;
mod vocab;
mod webdriver;
mod workspace;

use std::process::ExitCode;

use arguments::Task;
use effort::Effort;
use failure::Result;
use steps::Steps;
use workspace::Workspace;

fn main() -> ExitCode {
    let task = match arguments::parse(std::env::args_os().skip(1)) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("error: {error}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    let steps = Steps::start();
    let outcome = perform(&task, &steps);
    eprint!("{steps}");
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task, steps: &Steps) -> Result {
    if matches!(task, Task::Help) {
        println!("{}", arguments::USAGE);
        return Ok(());
    }
    let workspace = Workspace::open()?;
    match task {
        Task::Help => Ok(()),
        Task::Demo(options) => demo::run(&workspace, steps, options),
        Task::Test => test::run(&workspace, steps),
        Task::Bench(options) => bench::run(&workspace, steps, options),
        Task::Fidelity(parts) => fidelity::run(&workspace, steps, parts.as_deref()),
        Task::Lint => lint::run(&workspace, steps),
        Task::Supply => supply::run(&workspace, steps),
        Task::Fuzz(options) => fuzz::run(&workspace, steps, options),
        Task::Mutants(options) => mutants::run(&workspace, steps, options),
        Task::Tidy => tidy::run(&workspace, steps),
        Task::Behaviours => behaviours::run(&workspace, steps),
        Task::Vocab => vocab::run(&workspace, steps),
        Task::Llm(task) => llm::run(&workspace, steps, *task),
        Task::Setup => toolchain::install(&workspace, steps)
            .and_then(|()| browser::obtain(&workspace, steps))
            .map(|_| programs::obtain(&workspace, steps))
            .map(|()| llm::obtain(&workspace, steps)),
        Task::Reproduce => reproduce::run(&workspace, steps),
        Task::Shots => shots::run(&workspace, steps),
        Task::Size => {
            toolchain::install(&workspace, steps)?;
            size::run(&workspace, steps)
        }
        Task::Package => {
            toolchain::install(&workspace, steps)?;
            artifacts::build_package(&workspace, steps, Effort::Shipped)?;
            artifacts::write_reference(&workspace, steps)
        }
        Task::Build => {
            toolchain::install(&workspace, steps)?;
            artifacts::build(&workspace, steps, Effort::Shipped)
        }
    }
}
