//! How the prefix is summarized, and by whom.

use epitome::Policy;
use epitome::policy::{LastRequest, Shape, SummarySettings, ToolFilter};

use super::amount::{list, optional, whole};
use super::entry::{Choice, Entry, Switch};

/// Who summarizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// Whoever the app has for that.
    Default,
    /// An agent of a name.
    Agent,
    /// The conversation's own model, with a prompt of the person's.
    Own,
    /// Nobody: only reducers work.
    Nobody,
}

const WRITERS: [(&str, &str); 4] = [
    ("default", "The app’s summarizer"),
    ("agent", "An agent by name"),
    ("own", "The own model, with your prompt"),
    ("nobody", "Nobody: reducers only"),
];

const SHAPES: [(&str, &str); 2] = [
    ("threeSections", "Three: facts, course, open points"),
    ("sevenSections", "Seven: from goals to the next step"),
];

const REQUESTS: [(&str, &str); 2] =
    [("keep", "Stays as a message"), ("append", "Goes into the summary, word for word")];

/// The prompt that somebody begins with.
const PROMPT: &str =
    "Condense the conversation. Keep names, numbers, decisions and open questions.";
/// The name of a prompt that the form makes.
const OWN: &str = "own";
/// The name of the app's summarizer.
const SUMMARIZER: &str = "summarizer";
/// Shorter tool results to begin with.
const FALLBACK_LEVELS: [u32; 4] = [150, 100, 50, 0];

impl Writer {
    /// Who summarizes by this policy.
    pub(crate) fn of(policy: &Policy) -> Self {
        let SummarySettings { prompt, agent, default_agent, .. } = &policy.summary;
        match (prompt, agent, default_agent) {
            (Some(_), ..) => Self::Own,
            (None, Some(_), _) => Self::Agent,
            (None, None, Some(_)) => Self::Default,
            (None, None, None) => Self::Nobody,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Agent => "agent",
            Self::Own => "own",
            Self::Nobody => "nobody",
        }
    }
}

/// Who summarizes.
pub(crate) fn writer() -> Choice {
    let read = |policy: &Policy| Writer::of(policy).as_str();
    Choice::new("summary.agent", "Written by", &WRITERS, read, |policy, name| {
        let summary = &mut policy.summary;
        let agent = summary.agent.take();
        let prompt = summary.prompt.take();
        match name {
            "own" => {
                let name = prompt.or_else(|| summary.prompts.keys().next().cloned());
                let name = name.unwrap_or_else(|| OWN.to_owned());
                summary.prompts.entry(name.clone()).or_insert_with(|| PROMPT.to_owned());
                summary.prompt = Some(name);
            }
            "agent" => summary.agent = Some(agent.unwrap_or_else(|| SUMMARIZER.to_owned())),
            "nobody" => summary.default_agent = None,
            _ => {
                summary.default_agent.get_or_insert_with(|| SUMMARIZER.to_owned());
            }
        }
    })
}

/// The agent's name.
pub(crate) fn named_agent() -> Entry {
    let read = |policy: &Policy| policy.summary.agent.clone().unwrap_or_default();
    Entry::new("summary.agent.name", "Its name", "", read, |policy, text| match text.trim() {
        "" => Err("is empty; give the agent’s name".to_owned()),
        name => {
            policy.summary.agent = Some(name.to_owned());
            Ok(())
        }
    })
}

/// The text of the person's own prompt.
pub(crate) fn own_prompt() -> Entry {
    let read = |policy: &Policy| {
        let SummarySettings { prompt, prompts, .. } = &policy.summary;
        let text = prompt.as_ref().and_then(|name| prompts.get(name));
        text.cloned().unwrap_or_default()
    };
    Entry::new("summary.prompt", "Your prompt", "", read, |policy, text| {
        let SummarySettings { prompt, prompts, .. } = &mut policy.summary;
        if let Some(name) = prompt {
            prompts.insert(name.clone(), text.to_owned());
        }
        Ok(())
    })
}

/// The sections of a summary.
pub(crate) fn shape() -> Choice {
    let read = |policy: &Policy| match policy.summary.shape {
        Shape::ThreeSections => "threeSections",
        Shape::SevenSections => "sevenSections",
    };
    Choice::new("summary.shape", "Sections", &SHAPES, read, |policy, name| {
        policy.summary.shape = match name {
            "sevenSections" => Shape::SevenSections,
            _ => Shape::ThreeSections,
        };
    })
}

/// What becomes of the last request.
pub(crate) fn last_request() -> Choice {
    let read = |policy: &Policy| match policy.summary.last_request {
        LastRequest::Keep => "keep",
        LastRequest::Append => "append",
    };
    Choice::new("summary.lastRequest", "The last request", &REQUESTS, read, |policy, name| {
        policy.summary.last_request = match name {
            "append" => LastRequest::Append,
            _ => LastRequest::Keep,
        };
    })
}

fn number(
    name: &str,
    label: &'static str,
    unit: &'static str,
    part: fn(&mut SummarySettings) -> &mut u32,
) -> Entry {
    let read = move |policy: &Policy| part(&mut policy.summary.clone()).to_string();
    Entry::new(format!("summary.{name}"), label, unit, read, move |policy, text| {
        *part(&mut policy.summary) = whole(text)?;
        Ok(())
    })
}

/// The longest summary.
pub(crate) fn max_tokens() -> Entry {
    number("maxTokens", "Longest summary", "tokens", |summary| &mut summary.max_tokens)
}

/// The longest list of facts that the summary lost.
pub(crate) fn ledger() -> Entry {
    number("ledgerTokens", "Of it for lost facts", "tokens", |summary| &mut summary.ledger_tokens)
}

/// Above which length a summary is summarized.
pub(crate) fn rollup() -> Entry {
    number("rollupTokens", "Roll up above", "tokens", |summary| &mut summary.rollup_tokens)
}

/// The longest request.
pub(crate) fn chunk_characters() -> Entry {
    number("chunkCharacters", "Longest request", "characters", |summary| {
        &mut summary.chunk_characters
    })
}

/// The number of requests.
pub(crate) fn chunks() -> Entry {
    number("chunks", "In at least", "parts", |summary| &mut summary.chunks)
}

/// The longest tool result in a transcript.
pub(crate) fn tool_results() -> Entry {
    number("toolResultMaxCharacters", "Tool results up to", "characters", |summary| {
        &mut summary.tool_result_max_characters
    })
}

/// The window of whoever summarizes.
pub(crate) fn summarizer_window() -> Entry {
    let read = |policy: &Policy| {
        policy.summary.window_tokens.map(|tokens| tokens.to_string()).unwrap_or_default()
    };
    Entry::new("summary.windowTokens", "Its own window", "tokens", read, |policy, text| {
        policy.summary.window_tokens = optional(text)?;
        Ok(())
    })
}

/// Which tools it reads about.
pub(crate) fn tools() -> Entry {
    let read = |policy: &Policy| match &policy.summary.tools {
        ToolFilter::All => "*".to_owned(),
        ToolFilter::Only(names) => names.join(", "),
    };
    Entry::new("summary.tools", "Tools it reads about", "", read, |policy, text| {
        policy.summary.tools = match text.trim() {
            "*" => ToolFilter::All,
            names => {
                let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                ToolFilter::Only(names.map(str::to_owned).collect())
            }
        };
        Ok(())
    })
    .wide()
}

/// Whether a result that is too large is tried again with less.
pub(crate) fn fallback_levels_on() -> Switch {
    let hint = "With shorter tool results, and then with a shorter tail.";
    let label = "Try again where the result is too large";
    let read = |policy: &Policy| !policy.summary.fallback_levels.is_empty();
    Switch::new("fallback_levels", label, hint, read, |policy, on| {
        policy.summary.fallback_levels = if on { FALLBACK_LEVELS.into() } else { Vec::new() };
    })
}

/// The limits to try.
pub(crate) fn fallback_levels() -> Entry {
    let read = |policy: &Policy| {
        let fallbacks: Vec<String> =
            policy.summary.fallback_levels.iter().map(u32::to_string).collect();
        fallbacks.join(", ")
    };
    Entry::new(
        "fallback_levels.fallbacks",
        "Tool results of",
        "characters",
        read,
        |policy, text| {
            let fallbacks = list(text)?;
            if fallbacks.is_empty() {
                return Err("is empty; give limits such as 150, 100, 50, 0".to_owned());
            }
            policy.summary.fallback_levels = fallbacks;
            Ok(())
        },
    )
    .wide()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d11_everybody_who_may_summarize_can_be_chosen_and_left_again() {
        let mut policy = Policy::recommended(100_000);
        for (name, _) in WRITERS.into_iter().chain(WRITERS.into_iter().rev()) {
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
