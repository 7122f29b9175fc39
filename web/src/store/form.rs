//! The policy's settings as somebody types them.

use epitome::policy::{Budget, Fill, Keep, SummarySettings, Trigger};
use epitome::{Policy, PolicyError};

/// What calls for a compaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    /// A share of the window.
    #[default]
    Share,
    /// A number of tokens.
    Tokens,
    /// A share of the window, or the window without its reserves where that is less.
    Budget,
}

impl TriggerKind {
    /// Every kind, in the order shown.
    pub(crate) const ALL: [Self; 3] = [Self::Share, Self::Tokens, Self::Budget];

    /// The kind's name, for forms.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Tokens => "tokens",
            Self::Budget => "budget",
        }
    }

    /// The kind as a person reads it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Share => "A share of the window",
            Self::Tokens => "A number of tokens",
            Self::Budget => "What the reserves leave",
        }
    }
}

/// How the tail is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum KeepKind {
    /// By its share of the window.
    #[default]
    Share,
    /// By its messages.
    Messages,
    /// By its rounds.
    Rounds,
    /// By its tokens.
    Tokens,
}

impl KeepKind {
    /// Every kind, in the order shown.
    pub(crate) const ALL: [Self; 4] = [Self::Share, Self::Messages, Self::Rounds, Self::Tokens];

    /// The kind's name, for forms.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Messages => "messages",
            Self::Rounds => "rounds",
            Self::Tokens => "tokens",
        }
    }

    /// The kind as a person reads it.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Share => "% of the window",
            Self::Messages => "messages",
            Self::Rounds => "rounds",
            Self::Tokens => "tokens",
        }
    }

    /// An amount to begin with.
    pub(crate) fn usual(self) -> &'static str {
        match self {
            Self::Share => "20",
            Self::Messages => "12",
            Self::Rounds => "4",
            Self::Tokens => "8000",
        }
    }
}

/// Every field as typed. Shares are in percent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) window: String,
    pub(crate) trigger: TriggerKind,
    pub(crate) share: String,
    pub(crate) tokens: String,
    pub(crate) output_reserve: String,
    pub(crate) safety_margin: String,
    pub(crate) target: String,
    pub(crate) keep: KeepKind,
    pub(crate) keep_amount: String,
    pub(crate) tool_schemas: String,
    pub(crate) summary_tokens: String,
    pub(crate) chunk_characters: String,
}

impl Default for Form {
    fn default() -> Self {
        let keep = KeepKind::default();
        Self {
            window: "128000".to_owned(),
            trigger: TriggerKind::default(),
            share: "75".to_owned(),
            tokens: "96000".to_owned(),
            output_reserve: "32000".to_owned(),
            safety_margin: "8000".to_owned(),
            target: "50".to_owned(),
            keep,
            keep_amount: keep.usual().to_owned(),
            tool_schemas: "0".to_owned(),
            summary_tokens: "8000".to_owned(),
            chunk_characters: "120000".to_owned(),
        }
    }
}

impl Form {
    /// The policy that is meant, with chunks of at most `chunk_limit` characters.
    pub(crate) fn policy(&self, chunk_limit: Option<u32>) -> Result<Policy, PolicyError> {
        let window = whole("window", &self.window)?;
        let trigger = match self.trigger {
            TriggerKind::Share => {
                let fraction = percent("triggers", &self.share)?;
                Trigger::Fill(Fill { fraction, max_tokens: 0 })
            }
            TriggerKind::Tokens => Trigger::Tokens(whole("triggers", &self.tokens)?.into()),
            TriggerKind::Budget => Trigger::Budget(Budget {
                fraction: percent("triggers", &self.share)?,
                output_reserve: whole("outputReserve", &self.output_reserve)?,
                safety_margin: whole("safetyMargin", &self.safety_margin)?,
            }),
        };
        let keep = match self.keep {
            KeepKind::Share => Keep::Fraction(percent("keep", &self.keep_amount)?),
            KeepKind::Messages => Keep::Messages(whole("keep", &self.keep_amount)?),
            KeepKind::Rounds => Keep::Rounds(whole("keep", &self.keep_amount)?),
            KeepKind::Tokens => Keep::Tokens(whole("keep", &self.keep_amount)?),
        };
        let chunk_characters = whole("summary.chunkCharacters", &self.chunk_characters)?;
        let policy = Policy {
            triggers: vec![trigger],
            target: percent("target", &self.target)?,
            keep,
            tool_schema_tokens: whole("toolSchemaTokens", &self.tool_schemas)?,
            summary: SummarySettings {
                max_tokens: whole("summary.maxTokens", &self.summary_tokens)?,
                chunk_characters: chunk_characters.min(chunk_limit.unwrap_or(u32::MAX)),
                ..SummarySettings::default()
            },
            ..Policy::recommended(window)
        };
        policy.check()?;
        Ok(policy)
    }
}

fn whole(field: &'static str, text: &str) -> Result<u32, PolicyError> {
    let digits: String =
        text.chars().filter(|c| !matches!(c, ' ' | ',' | '_' | '\u{a0}')).collect();
    digits.parse().map_err(|_| {
        let problem = format!("is {text:?}; give a whole number of 0 or more");
        PolicyError { field, problem }
    })
}

fn percent(field: &'static str, text: &str) -> Result<f64, PolicyError> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number / 100.0),
        _ => {
            let problem = format!("is {text:?}; give a percentage from 0 to 100");
            Err(PolicyError { field, problem })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_begins_with_the_recommended_policy() {
        assert_eq!(Form::default().policy(None), Ok(Policy::recommended(128_000)));
    }

    #[test]
    fn numbers_may_be_grouped() {
        let form = Form { window: "64,000".to_owned(), ..Form::default() };
        assert_eq!(form.policy(None).map(|policy| policy.window), Ok(64_000));
    }

    #[test]
    fn what_is_no_number_is_refused_at_its_field() {
        let form = Form { target: "half".to_owned(), ..Form::default() };
        let error = form.policy(None).unwrap_err().to_string();
        assert_eq!(error, "policy.target: is \"half\"; give a percentage from 0 to 100");
        let form = Form { window: "-1".to_owned(), ..Form::default() };
        assert_eq!(form.policy(None).unwrap_err().field, "window");
    }

    #[test]
    fn a_summarizer_may_take_less_at_once() {
        let policy = Form::default().policy(Some(30_000)).unwrap();
        assert_eq!(policy.summary.chunk_characters, 30_000);
    }
}
