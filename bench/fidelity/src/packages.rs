//! The strategies of other npm packages, which a script in Node runs: messages go in, and what they keep comes out.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::{baselines, data, engine, tokens};

/// The strategies that need no summarizer.
pub(crate) const WITHOUT_SUMMARIZER: [&str; 2] =
    ["LangChain, trimMessages", "context-chef, no summarizer"];
/// The strategies that ask for a summary, and get the one of our extractive summarizer.
pub(crate) const WITH_SUMMARIZER: [&str; 2] =
    ["LangChain, summarization", "context-chef, summarize"];
/// The strategy that shortens results of tools first.
pub(crate) const OF_TOOLS: &str = "LangChain, clear tool uses";

/// The running script.
pub(crate) struct Packages {
    script: RefCell<Script>,
}

struct Script {
    process: Child,
    /// `None` after the last request.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Packages {
    /// Starts the script. `cargo xtask fidelity` installs the packages.
    pub(crate) fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/strategies.mjs");
        let mut node = Command::new("node");
        let mut process = node
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Node is installed");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("the output is a pipe"));
        Self { script: RefCell::new(Script { process, input, output }) }
    }

    /// The messages that a strategy leaves of `messages` if it may keep so many tokens.
    pub(crate) fn keep(&self, strategy: &str, messages: &[Value], budget: usize) -> Vec<Value> {
        let mut script = self.script.borrow_mut();
        script.write(&json!({ "strategy": strategy, "messages": messages, "tokens": budget }));
        loop {
            let answer = script.read();
            if let Some(shown) = answer["summarize"].as_array() {
                let limit = answer["tokens"].as_u64().unwrap_or(0) as usize;
                let summary = match limit {
                    0 => String::new(),
                    _ => engine::alone(shown, limit),
                };
                script.write(&json!({ "summary": summary }));
                continue;
            }
            let kept = answer["kept"].as_array().expect("a list of what is kept");
            let message = |kept: &Value| match kept.as_u64() {
                Some(number) => messages[number as usize].clone(),
                None => kept.clone(),
            };
            return kept.iter().map(message).collect();
        }
    }

    /// The text of what a strategy leaves. A package keeps its last message even if that is too long, and writes sentences
    /// of its own around a summary: what is over the budget is cut off at the beginning.
    pub(crate) fn once(&self, strategy: &str, messages: &[Value], budget: usize) -> String {
        fitting(&self.keep(strategy, messages, budget), budget)
    }

    /// The same if the messages come one by one, and each time that the view has twice the budget it is shortened.
    pub(crate) fn live(&self, strategy: &str, messages: &[Value], budget: usize) -> String {
        let mut view = Vec::new();
        let mut used = 0;
        for message in messages {
            used += tokens_of(message);
            view.push(message.clone());
            if used > 2 * budget {
                view = self.keep(strategy, &view, budget);
                used = view.iter().map(tokens_of).sum();
            }
        }
        if used > budget {
            view = self.keep(strategy, &view, budget);
        }
        fitting(&view, budget)
    }
}

impl Drop for Packages {
    fn drop(&mut self) {
        let script = self.script.get_mut();
        // The script ends where its input does.
        script.input = None;
        let ended = script.process.wait();
        debug_assert!(ended.is_ok_and(|status| status.success()), "the script ends well");
    }
}

impl Script {
    fn write(&mut self, line: &Value) {
        let input = self.input.as_mut().expect("the last request was not made yet");
        writeln!(input, "{line}").expect("the script reads");
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the script writes text");
        serde_json::from_str(&line).expect("the script answers; it has said above why it ended")
    }
}

fn tokens_of(message: &Value) -> usize {
    tokens::count(&data::text_of(message))
}

fn fitting(messages: &[Value], budget: usize) -> String {
    let texts: Vec<String> = messages.iter().map(data::text_of).collect();
    match texts.iter().map(|text| tokens::count(text)).sum::<usize>() <= budget {
        true => texts.join("\n"),
        false => baselines::tail(&texts, budget),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples;

    /// A conversation of many short messages, with a room in the first one.
    fn messages() -> Vec<Value> {
        let talk = "\nassistant: Good, we go on with the next topic of today.\nuser: Fine with me.";
        examples::messages(&format!("user: We meet in room 4711 on Friday.{}", talk.repeat(40)))
    }

    #[test]
    fn each_strategy_keeps_the_last_message_and_those_with_a_summarizer_the_room() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node_modules/langchain");
        if !folder.is_dir() || !tokens::are_packed() {
            epitome_tests::skipped(
                "no packages of the bench or no vocabulary; see `cargo xtask fidelity`",
            );
            return;
        }
        let packages = Packages::start();
        let messages = messages();
        let check = |strategy: &str, has_summary: bool| {
            let kept = packages.keep(strategy, &messages, 300);
            assert_eq!(kept.last(), messages.last(), "{strategy}");
            let tokens: usize = kept.iter().map(tokens_of).sum();
            assert!((100..=300).contains(&tokens), "{strategy}: {tokens}");
            let text = packages.once(strategy, &messages, 300);
            assert_eq!(text.contains("4711"), has_summary, "{strategy}: {text}");
            let text = packages.live(strategy, &messages, 300);
            assert_eq!(text.contains("4711"), has_summary, "{strategy}, live: {text}");
        };
        WITHOUT_SUMMARIZER.iter().for_each(|strategy| check(strategy, false));
        check(OF_TOOLS, false);
        WITH_SUMMARIZER.iter().for_each(|strategy| check(strategy, true));
    }
}
