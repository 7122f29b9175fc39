//! `cargo xtask fidelity`: measures what conversations still say after a compaction.

use std::fs;

use crate::command;
use crate::failure::{Failure, Result};
use crate::node;
use crate::steps::Steps;
use crate::vocab;
use crate::workspace::Workspace;

/// What stands before the tables.
const HEAD: &str = "# What survives a compaction

Made by `cargo xtask fidelity`. Means over recorded conversations; in brackets the 95 % bootstrap interval, over
conversations, of the paired difference to the method that has no brackets. The columns are shares of the tokens of
the conversation (`o200k_base`). AG: the share of the words of a reference answer that are still there in the sentence
that says them. E: the share of the sentences that prove the answer. I_need: the share of the identifiers that the
assistant uses later; labelled: only those in whose clause a word says what they are. F_zh and F_ja: the share of what
the user of a booking chat wanted that is still there. Decisions and next steps of a recorded summary: the share of the words of
each line, of those that the messages before it have, that are in the one line of a text of 4,000 tokens that has most of them.

The strategies of LangChain (`@langchain/core`, `langchain`) and of context-chef (`@context-chef/core`) run in Node, from
npm, with the messages as they are and with the same count of tokens. Two need no model: `trimMessages` with the strategy
`last`, and the overflow strategy of context-chef without a summarizer, which discards. Two ask a model for a summary: the
summarization middleware and `summarize`. In place of a model they get the extractive summarizer of epitome, without
the facts that epitome appends to a summary, so that the rows compare what a summarizer gets and what is kept beside it. Half of the budget is for the last messages as in
the other rows that keep half of it, and the summary may have what these leave. LangChain's summarizer is shown all earlier
messages here; by default it would be shown their last 4,000 tokens. A result over the budget is cut off at its beginning:
both packages keep the last message even if it alone is too long, and context-chef writes 80 tokens of its own around a
summary, which at 5 % of a booking chat is more than the budget. *Live*: the messages come one by one, and the view is
shortened to the budget each time that it has twice as many tokens.

Constraints: the templates of CompactBench with names of our own, and 28 messages about other things before each of ten
compactions. A check holds if the context has the text word for word, and of a decision that was replaced the newest last.
epitome is the preset `recommended` in a window of 2,000 tokens, and the packages may keep 1,000. They send their last summary
to the summarizer as one of the messages, and epitome as the state that it goes on from.

Instructions and preferences for all turns: 80 cases written for this (`bench/fidelity/standing.jsonl`), six at a time said in the
first part of a recorded conversation of 60,000 tokens, whose window has 16,000. A case is there if a later request to which it
applies finds it in the view, or in what one recall of 1,000 tokens with that request brings. The lists of words were written with
60 of them at hand; of the other 20, 15 and 16 were found before four more phrases were added for these.

No rows: LangChain's context editing has no budget, it only clears results of tools, so it stands in the tables of chats
with tools only, with `trimMessages` after it; context-chef's `anchored` tells a model how to merge a document, and has
nothing to tell an extractive summarizer; its `reset` keeps no message; its `server` compacts at the provider.

![The means of the tables with several methods, by budget](fidelity.svg)
";

/// Packs the vocabularies that count the budgets, installs the other packages of the bench, and measures. Prints one table for each measure.
///
/// Without `parts` everything is measured, `bench/FIDELITY.md` has the tables, and `bench/fidelity.svg` draws them.
pub(crate) fn run(workspace: &Workspace, steps: &Steps, parts: Option<&str>) -> Result {
    vocab::run(workspace, steps)?;
    node::install_in(workspace, steps, "bench")?;
    steps.run_long("measure", "2 to 7 minutes", || {
        let mut measure = workspace.cargo(["run", "--release", "--package=epitome-fidelity", "--"]);
        measure.args(parts.unwrap_or_default().split(',').filter(|part| !part.is_empty()));
        let mut tables = Vec::new();
        command::run_and_read(&mut measure, |line| tables.push(line.trim_end().to_owned()))?;
        if parts.is_none() && !tables.is_empty() {
            let text = format!("{HEAD}{}\n", tables.join("\n"));
            let path = workspace.path("bench/FIDELITY.md");
            let failed =
                |error| Failure::new(format!("{} cannot be written: {error}", path.display()));
            fs::write(&path, text).map_err(failed)?;
        }
        Ok(())
    })
}
