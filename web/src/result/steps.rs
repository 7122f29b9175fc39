//! What was tried because the summarizer failed or wrote no summary.

use epitome::policy::Summarizer;
use epitome::{SummarizerStep, SummarizerStepKind};
use leptos::prelude::*;

use crate::label::engine_clause;
use crate::language::t;
use crate::number::{plural, thousands};

/// The steps of a compaction's summarizer in words, closed at first. Nothing if its first answer was good.
#[component]
pub(super) fn Steps(steps: Vec<SummarizerStep>) -> impl IntoView {
    (!steps.is_empty()).then(|| {
        let times = plural(crate::number::count(steps.len()), "time", "times");
        let rows =
            steps.into_iter().map(|step| view! { <li>{described(&step)}</li> }).collect_view();
        view! {
            <details class="hint">
                <summary>{t!("The summarizer was asked otherwise, {times}", times)}</summary>
                <ol aria-label=t!("What was tried")>{rows}</ol>
            </details>
        }
    })
}

/// A step, and why it was taken.
fn described(step: &SummarizerStep) -> String {
    let what = match step.step {
        SummarizerStepKind::AskAgain => t!("Once more").to_owned(),
        SummarizerStepKind::Transcript => t!("With a transcript in place of messages").to_owned(),
        SummarizerStepKind::SmallerChunks => {
            let most = thousands(step.chunk_characters.unwrap_or_default());
            t!("In chunks of at most {characters} characters", characters = most)
        }
        SummarizerStepKind::NextSummarizer => match step.summarizer.as_deref() {
            Some(Summarizer::EXTRACTIVE) => {
                t!("By quotes of the messages, without a model").to_owned()
            }
            name => t!("By {summarizer}", summarizer = name.unwrap_or_default()),
        },
    };
    format!("{what}: {}", engine_clause(&step.because))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i36_a_step_says_what_was_tried_and_why() {
        let smaller = SummarizerStep {
            step: SummarizerStepKind::SmallerChunks,
            because: "the prompt has 900 tokens".to_owned(),
            chunk_characters: Some(1_200),
            summarizer: None,
        };
        let words = "In chunks of at most 1,200 characters: the prompt has 900 tokens.";
        assert_eq!(described(&smaller), words);
        let quotes = SummarizerStep {
            step: SummarizerStepKind::NextSummarizer,
            because: "the answer is no summary".to_owned(),
            chunk_characters: None,
            summarizer: Some(Summarizer::EXTRACTIVE.to_owned()),
        };
        let words = "By quotes of the messages, without a model: the answer is no summary.";
        assert_eq!(described(&quotes), words);
    }
}
