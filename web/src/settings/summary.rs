//! The fields of the summary.

use epitome::Policy;
use epitome::policy::{LastRequest, Shape, SummaryInput, SummarySettings, ToolFilter, Unsupported};

use super::field::number::{list, optional, whole};
use super::field::{Choice, Extent, Switch, TextField, options};
use crate::language::t;

/// Who summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// The app's default summarizer.
    Default,
    /// An agent by name.
    Agent,
    /// The conversation's model, with a prompt of the user.
    OwnModel,
    /// Nothing is summarized; only reducers run.
    NoSummary,
}

options!(Writer {
    Default: "default", t!("The app’s summarizer");
    Agent: "agent", t!("An agent by name");
    OwnModel: "own", t!("The conversation’s model, with your prompt");
    NoSummary: "none", t!("No summary: only savings without a model");
});

options!(Shape {
    ThreeSections: "threeSections", t!("Three: facts, course, open points");
    SevenSections: "sevenSections", t!("Seven: from goals to the next step");
    Conclusions: "conclusions", t!("Conclusions and results, not how they came about");
});

options!(SummaryInput {
    Transcript: "transcript", t!("A transcript");
    Messages: "messages", t!("The older messages themselves");
    Conversation: "conversation", t!("The whole conversation, which is cached");
});

options!(LastRequest {
    Keep: "keep", t!("Kept as a message");
    Append: "append", t!("Appended to the summary, word for word");
});

options!(Unsupported {
    Report: "report", t!("They are listed beside it");
    Annotate: "annotate", t!("They are marked in it");
    Remove: "remove", t!("Their sentences are taken out");
    AskAgain: "askAgain", t!("The summarizer is asked once more");
});

/// The first text of the user's prompt.
const PROMPT: &str =
    "Condense the conversation. Keep names, numbers, decisions and open questions.";
/// The name of the prompt that the form adds.
const OWN_PROMPT: &str = "own";
/// The name of the app's default summarizer.
const SUMMARIZER: &str = "summarizer";
/// The first fallback levels: limits for tool results, in characters.
const FALLBACK_LEVELS: [u32; 4] = [150, 100, 50, 0];

impl Writer {
    /// Who summarizes with this policy.
    pub(super) fn of(policy: &Policy) -> Self {
        let SummarySettings { prompt, agent, default_agent, .. } = &policy.summary;
        match (prompt, agent, default_agent) {
            (Some(_), ..) => Self::OwnModel,
            (None, Some(_), _) => Self::Agent,
            (None, None, Some(_)) => Self::Default,
            (None, None, None) => Self::NoSummary,
        }
    }
}

/// Who summarizes.
pub(super) fn writer() -> Choice {
    let read = |policy: &Policy| Some(Writer::of(policy));
    Choice::new("summary.agent", t!("Written by"), read, |policy, writer| {
        let summary = &mut policy.summary;
        let agent = summary.agent.take();
        let prompt = summary.prompt.take();
        match writer {
            Writer::OwnModel => {
                let name = prompt.or_else(|| summary.prompts.keys().next().cloned());
                let name = name.unwrap_or_else(|| OWN_PROMPT.to_owned());
                summary.prompts.entry(name.clone()).or_insert_with(|| PROMPT.to_owned());
                summary.prompt = Some(name);
            }
            Writer::Agent => {
                summary.agent = Some(agent.unwrap_or_else(|| SUMMARIZER.to_owned()));
            }
            Writer::NoSummary => summary.default_agent = None,
            Writer::Default => {
                summary.default_agent.get_or_insert_with(|| SUMMARIZER.to_owned());
            }
        }
    })
    .about(t!("This page always asks the summarizer beside the bar; an app can have several."))
}

/// The agent's name.
pub(super) fn named_agent() -> TextField {
    let read = |policy: &Policy| policy.summary.agent.clone().unwrap_or_default();
    TextField::new("summary.agent.name", t!("Agent name"), "", read, |policy, text| {
        match text.trim() {
            "" => Err(t!("is empty; give the agent’s name").to_owned()),
            name => {
                policy.summary.agent = Some(name.to_owned());
                Ok(())
            }
        }
    })
    .about(t!("The name under which your app knows the agent that summarizes."))
}

/// The text of the user's prompt.
pub(super) fn own_prompt() -> TextField {
    let read = |policy: &Policy| {
        let SummarySettings { prompt, prompts, .. } = &policy.summary;
        let text = prompt.as_ref().and_then(|name| prompts.get(name));
        text.cloned().unwrap_or_default()
    };
    TextField::new("summary.prompt", t!("Your prompt"), "", read, |policy, text| {
        let SummarySettings { prompt, prompts, .. } = &mut policy.summary;
        if let Some(name) = prompt {
            prompts.insert(name.clone(), text.to_owned());
        }
        Ok(())
    })
    .about(t!("What the model is asked for; the conversation follows."))
    .showing(Extent::Lines(4))
}

/// The sections of a summary.
pub(super) fn shape() -> Choice {
    let read = |policy: &Policy| Some(policy.summary.shape);
    Choice::new("summary.shape", t!("Sections"), read, |policy, shape| policy.summary.shape = shape)
        .about(t!("The headings of a summary."))
}

/// What the summarizer gets.
pub(super) fn input() -> Choice {
    let read = |policy: &Policy| Some(policy.summary.input);
    Choice::new("summary.input", t!("The summarizer gets"), read, |policy, input| {
        policy.summary.input = input;
    })
    .about(t!("Only an endpoint gets messages, in the format of OpenAI’s chat completions."))
}

/// What happens to the last user request.
pub(super) fn last_request() -> Choice {
    let read = |policy: &Policy| Some(policy.summary.last_request);
    Choice::new("summary.lastRequest", t!("The last user request"), read, |policy, last_request| {
        policy.summary.last_request = last_request;
    })
    .about(t!("What happens to your latest request if it is among the older messages."))
}

/// A number that may be left out; an empty field is no limit.
fn limit(
    name: &str,
    label: &'static str,
    unit: &'static str,
    part: fn(&mut SummarySettings) -> &mut Option<u32>,
) -> TextField {
    let read = move |policy: &Policy| {
        part(&mut policy.summary.clone()).map(|number| number.to_string()).unwrap_or_default()
    };
    TextField::new(format!("summary.{name}"), label, unit, read, move |policy, text| {
        *part(&mut policy.summary) = optional(text)?;
        Ok(())
    })
}

/// A text that may be missing; an empty field is none.
fn optional_text(
    name: &str,
    label: &'static str,
    part: fn(&mut SummarySettings) -> &mut Option<String>,
) -> TextField {
    let read = move |policy: &Policy| part(&mut policy.summary.clone()).clone().unwrap_or_default();
    TextField::new(format!("summary.{name}"), label, "", read, move |policy, text| {
        *part(&mut policy.summary) = Some(text.to_owned()).filter(|text| !text.trim().is_empty());
        Ok(())
    })
    .showing(Extent::Line)
}

/// The line in front of a summary.
pub(super) fn label() -> TextField {
    optional_text("label", t!("Label in front of a summary"), |summary| &mut summary.label)
        .about(t!("A line that stands before the summary; the summarizer does not read it."))
}

/// The text that ends the message with a summary.
pub(super) fn closing() -> TextField {
    optional_text("closing", t!("Closing request behind a summary"), |summary| &mut summary.closing)
        .about(t!("A text that stands behind the summary, such as a request to go on."))
}

fn number(
    name: &str,
    label: &'static str,
    unit: &'static str,
    part: fn(&mut SummarySettings) -> &mut u32,
) -> TextField {
    let read = move |policy: &Policy| part(&mut policy.summary.clone()).to_string();
    TextField::new(format!("summary.{name}"), label, unit, read, move |policy, text| {
        *part(&mut policy.summary) = whole(text)?;
        Ok(())
    })
}

/// The maximum length of a summary.
pub(super) fn max_tokens() -> TextField {
    limit("maxTokens", t!("Maximum summary"), t!("tokens"), |summary| &mut summary.max_tokens)
        .about(t!("The longest summary; empty: what the target leaves."))
}

/// The part of a summary that lists facts which the summarizer left out.
pub(super) fn ledger() -> TextField {
    number("ledgerTokens", t!("Of that, for lost facts"), t!("tokens"), |summary| {
        &mut summary.ledger_tokens
    })
    .about(t!(
        "Facts that the summary has lost are added to it word for word, up to this many tokens."
    ))
}

/// How many tokens of checklists and acceptance criteria are kept whole.
pub(super) fn checklists() -> TextField {
    number("checklistTokens", t!("Checklists kept whole up to"), t!("tokens"), |summary| {
        &mut summary.checklist_tokens
    })
    .about(t!(
        "Checklists that the summary has lost are added to it whole, up to this many tokens."
    ))
}

/// The length above which a summary is summarized again.
pub(super) fn rollup() -> TextField {
    number("rollupTokens", t!("Summarize it again above"), t!("tokens"), |summary| {
        &mut summary.rollup_tokens
    })
    .about(t!("A summary that is longer than this is shortened by another request; 0: never."))
}

/// The maximum length of a summarizer request.
pub(super) fn chunk_characters() -> TextField {
    limit("chunkCharacters", t!("Maximum request"), t!("characters"), |summary| {
        &mut summary.chunk_characters
    })
    .about(t!("What is longer is summarized in several requests; empty: in one, but in this page at most 20,000 in each."))
}

/// The minimum number of summarizer requests.
pub(super) fn chunks() -> TextField {
    number("chunks", t!("Minimum number of"), t!("requests"), |summary| &mut summary.chunks)
        .about(t!("Into how many parts a conversation is divided at least."))
}

/// The maximum length of a tool result in the transcript.
pub(super) fn tool_results() -> TextField {
    limit("toolResultMaxCharacters", t!("Maximum tool result"), t!("characters"), |summary| {
        &mut summary.tool_result_max_characters
    })
    .about(t!("A longer tool result is cut for the summarizer; empty: it reads all of it."))
}

/// The maximum length of the arguments of a tool call in the transcript.
pub(super) fn tool_inputs() -> TextField {
    limit("toolInputMaxCharacters", t!("Maximum tool input"), t!("characters"), |summary| {
        &mut summary.tool_input_max_characters
    })
    .about(t!(
        "Longer arguments of a tool call are cut for the summarizer; empty: it reads all of them."
    ))
}

/// The summarizer's context window.
pub(super) fn summarizer_window() -> TextField {
    limit("windowTokens", t!("Summarizer’s window"), t!("tokens"), |summary| {
        &mut summary.window_tokens
    })
    .about(t!("How many tokens the summarizer can read at once; empty: not known."))
}

/// The tools whose calls and results are in the transcript.
pub(super) fn tools() -> TextField {
    let read = |policy: &Policy| match &policy.summary.tools {
        ToolFilter::All => "*".to_owned(),
        ToolFilter::Only(names) => names.join(", "),
    };
    TextField::new("summary.tools", t!("Tools in the transcript"), "", read, |policy, text| {
        policy.summary.tools = match text.trim() {
            "*" => ToolFilter::All,
            text => ToolFilter::Only(names(text)),
        };
        Ok(())
    })
    .showing(Extent::Line)
    .about(t!("Names with commas in between; linear* stands for all that begin with linear, * for all tools."))
}

/// Whether decisions, tasks and the like are kept as lists beside the summary.
pub(super) fn structured_state() -> Switch {
    let hint =
        t!("The summarizer says what has changed in them, and they stand behind the summary.");
    let label = t!("Keep lists of decisions, tasks and open questions");
    let read = |policy: &Policy| policy.summary.structured_state;
    Switch::new("summary.structuredState", label, hint, read, |policy, on| {
        policy.summary.structured_state = on;
    })
}

/// Who is asked if a summarizer fails.
pub(super) fn fallback_summarizers() -> TextField {
    let read = |policy: &Policy| policy.summary.fallback_summarizers.join(", ");
    let (name, label) = ("summary.fallbackSummarizers", t!("If the summarizer fails, ask"));
    TextField::new(name, label, "", read, |policy, text| {
        policy.summary.fallback_summarizers = names(text);
        Ok(())
    })
    .showing(Extent::Line)
    .about(t!("Agents in turn, with commas in between; extractive needs no model; empty: the compaction fails."))
}

/// What happens to names that no message has.
pub(super) fn unsupported() -> Choice {
    let read = |policy: &Policy| Some(policy.summary.unsupported);
    let label = t!("Names and numbers in no message");
    Choice::new("summary.unsupported", label, read, |policy, unsupported| {
        policy.summary.unsupported = unsupported;
    })
    .about(t!("What happens to names, dates, amounts and quotes that the summarizer has made up."))
}

/// Names with commas in between.
fn names(text: &str) -> Vec<String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Whether a compaction whose result is too large is repeated with fallback levels.
pub(super) fn fallback_levels_on() -> Switch {
    let hint = t!("Asks again with shorter tool results, then with less of the end kept.");
    let label = t!("Retry if the result is too large");
    let read = |policy: &Policy| !policy.summary.fallback_levels.is_empty();
    Switch::new("summary.fallbackLevels", label, hint, read, |policy, on| {
        policy.summary.fallback_levels = if on { FALLBACK_LEVELS.into() } else { Vec::new() };
    })
}

/// The fallback levels: limits for tool results, tried one after the other.
pub(super) fn fallback_levels() -> TextField {
    let read = |policy: &Policy| {
        let levels = policy.summary.fallback_levels.iter();
        levels.map(u32::to_string).collect::<Vec<String>>().join(", ")
    };
    let (name, label) = ("summary.fallbackLevels", t!("Fallback levels for tool results"));
    let field = TextField::new(name, label, t!("characters"), read, |policy, text| {
        let levels = list(text)?;
        if levels.is_empty() {
            return Err(t!("is empty; give limits such as 150, 100, 50, 0").to_owned());
        }
        policy.summary.fallback_levels = levels;
        Ok(())
    });
    field.showing(Extent::Line).about(t!("Limits for tool results, tried from left to right."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::field::Options as _;

    #[test]
    fn d11_every_writer_of_summaries_can_be_chosen_and_left_again() {
        let mut policy = Policy::recommended(100_000);
        let names = || Writer::ALL.iter().map(|writer| writer.name());
        for name in names().chain(names().rev()) {
            writer().write(&mut policy, name);
            assert_eq!(writer().read(&policy), name);
            assert_eq!(policy.check(), Ok(()));
        }
        writer().write(&mut policy, "own");
        own_prompt().write(&mut policy, "In one sentence.").unwrap();
        assert_eq!(
            policy.summary.prompts.values().next().map(String::as_str),
            Some("In one sentence.")
        );
    }

    #[test]
    fn tools_are_a_star_or_names() {
        let mut policy = Policy::recommended(100_000);
        assert_eq!(tools().read(&policy), "*");
        tools().write(&mut policy, "search, linear*").unwrap();
        assert!(policy.summary.tools.allows("linearIssue") && !policy.summary.tools.allows("read"));
        tools().write(&mut policy, "").unwrap();
        assert_eq!(policy.summary.tools, ToolFilter::Only(Vec::new()));
    }
}
