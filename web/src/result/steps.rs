//! What was tried because the summarizer failed or wrote no summary.

use epitome::SummarizerStep;
use epitome::policy::Summarizer;
use leptos::prelude::*;

use crate::number::{plural, thousands};

/// The steps of a compaction's summarizer in words, closed at first. Nothing if its first answer was good.
#[component]
pub(super) fn Steps(steps: Vec<SummarizerStep>) -> impl IntoView {
    (!steps.is_empty()).then(|| {
        let times = plural(crate::number::count(steps.len()), "time", "times");
        let rows = steps.iter().map(|step| view! { <li>{described(step)}</li> }).collect_view();
        view! {
            <details class="hint">
                <summary>{format!("The summarizer was asked otherwise, {times}")}</summary>
                <ol aria-label="What was tried">{rows}</ol>
            </details>
        }
    })
}

/// A step, and why it was taken.
fn described(step: &SummarizerStep) -> String {
    let (what, because) = match step {
        SummarizerStep::AskAgain { because } => ("Once more".to_owned(), because),
        SummarizerStep::Transcript { because } => {
            ("With a transcript in place of messages".to_owned(), because)
        }
        SummarizerStep::SmallerChunks { because, chunk_characters } => {
            (format!("In chunks of at most {} characters", thousands(*chunk_characters)), because)
        }
        SummarizerStep::NextSummarizer { because, summarizer } => {
            (format!("By {}", named(summarizer)), because)
        }
    };
    format!("{what}: {}", super::sentence(because))
}

fn named(summarizer: &Summarizer) -> String {
    match summarizer {
        Summarizer::Own { prompt } => format!("the same model with the prompt {prompt}"),
        Summarizer::Agent { name } => name.clone(),
        Summarizer::Extractive => "quotes of the messages, without a model".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn i36_a_step_says_what_was_tried_and_why() {
        let because = "the prompt has 900 tokens".to_owned();
        let smaller = SummarizerStep::SmallerChunks { because, chunk_characters: 1_200 };
        let words = "In chunks of at most 1,200 characters: the prompt has 900 tokens.";
        assert_eq!(described(&smaller), words);
        let because = "the answer is no summary".to_owned();
        let summarizer = Summarizer::Extractive;
        let words = "By quotes of the messages, without a model: the answer is no summary.";
        assert_eq!(described(&SummarizerStep::NextSummarizer { because, summarizer }), words);
    }
}
