//! The fields of the reducers: which ones run, when, and with which limits.

use epitome::Policy;
use epitome::policy::{
    ClearToolInputs, ClearToolResults, Fill, OffloadToolResults, Phase, Reducer, ReducerRule,
    Trigger, TruncateToolResults, TruncationStep,
};

use super::field::number::{percent, percentage, whole};
use super::field::{Choice, Extent, Options, Switch, TextField, options};
use crate::language::t;

/// The kinds of reducer, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReducerKind {
    Deduplicate,
    TruncateToolResults,
    ClearToolInputs,
    ClearToolResults,
    OffloadToolResults,
    ExcerptLastRequest,
    DropOldest,
}

options!(ReducerKind {
    Deduplicate: "deduplicate", t!("Deduplicate");
    TruncateToolResults: "truncateToolResults", t!("Truncate tool results");
    ClearToolInputs: "clearToolInputs", t!("Clear tool inputs");
    ClearToolResults: "clearToolResults", t!("Clear tool results");
    OffloadToolResults: "offloadToolResults", t!("Offload tool results");
    ExcerptLastRequest: "excerptLastRequest", t!("Excerpt last request");
    DropOldest: "dropOldest", t!("Drop oldest");
});

/// When a reducer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReducerCondition {
    Compaction,
    Share,
    Loop,
    TurnEnd,
    RequestStart,
    Always,
}

options!(ReducerCondition {
    Compaction: "compaction", t!("In every compaction");
    Share: "share", t!("Above a share of the window");
    Loop: "loop", t!("In the tool loop");
    TurnEnd: "turnEnd", t!("At turn end");
    RequestStart: "requestStart", t!("At request start");
    Always: "always", t!("At every check");
});

impl ReducerCondition {
    /// The condition of a rule; `None` if only the JSON can express it.
    fn of(when: Option<&Trigger>) -> Option<Self> {
        match when {
            None => Some(Self::Compaction),
            Some(Trigger::Fill(_)) => Some(Self::Share),
            Some(Trigger::Always) => Some(Self::Always),
            Some(Trigger::At { phase, trigger }) if **trigger == Trigger::Always => match phase {
                Phase::Loop => Some(Self::Loop),
                Phase::TurnEnd => Some(Self::TurnEnd),
                Phase::RequestStart => Some(Self::RequestStart),
                Phase::TurnStart | Phase::Overflow => None,
            },
            Some(_) => None,
        }
    }

    fn trigger(self) -> Option<Trigger> {
        match self {
            Self::Compaction => None,
            Self::Share => Some(above(0.5)),
            Self::Loop => Some(Trigger::at(Phase::Loop, Trigger::Always)),
            Self::TurnEnd => Some(Trigger::at(Phase::TurnEnd, Trigger::Always)),
            Self::RequestStart => Some(Trigger::at(Phase::RequestStart, Trigger::Always)),
            Self::Always => Some(Trigger::Always),
        }
    }
}

fn above(fraction: f64) -> Trigger {
    Trigger::Fill(Fill { fraction, max_tokens: 0 })
}

impl ReducerKind {
    /// The kind of a reducer.
    pub(super) fn of(reducer: &Reducer) -> Self {
        match reducer {
            Reducer::Deduplicate => Self::Deduplicate,
            Reducer::TruncateToolResults(_) => Self::TruncateToolResults,
            Reducer::ClearToolInputs(_) => Self::ClearToolInputs,
            Reducer::ClearToolResults(_) => Self::ClearToolResults,
            Reducer::OffloadToolResults(_) => Self::OffloadToolResults,
            Reducer::ExcerptLastRequest => Self::ExcerptLastRequest,
            Reducer::DropOldest => Self::DropOldest,
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Deduplicate => {
                t!("Removes heartbeats and automatic messages that a later one repeats.")
            }
            Self::TruncateToolResults => t!("The older a tool result is, the less of it is kept."),
            Self::ClearToolInputs => t!("Shortens the arguments of old tool calls."),
            Self::ClearToolResults => {
                t!("Replaces all but the newest tool results by a placeholder.")
            }
            Self::OffloadToolResults => {
                t!("Shortens large tool results, which can be read back in full.")
            }
            Self::ExcerptLastRequest => {
                t!(
                    "Shortens the last request if it alone exceeds the target; it stays whole in the history."
                )
            }
            Self::DropOldest => t!("The last resort if nothing is summarized."),
        }
    }

    /// The rule that turning it on adds.
    fn usual(self) -> ReducerRule {
        match self {
            Self::Deduplicate => ReducerRule::when(Reducer::Deduplicate, above(0.5)),
            Self::TruncateToolResults => ReducerRule::when(
                Reducer::TruncateToolResults(TruncateToolResults::default()),
                Trigger::Always,
            ),
            Self::ClearToolInputs => {
                ReducerRule::in_compactions(Reducer::ClearToolInputs(ClearToolInputs::default()))
            }
            Self::ClearToolResults => {
                ReducerRule::in_compactions(Reducer::ClearToolResults(ClearToolResults::default()))
            }
            Self::OffloadToolResults => ReducerRule::in_compactions(Reducer::OffloadToolResults(
                OffloadToolResults::default(),
            )),
            Self::ExcerptLastRequest => ReducerRule::in_compactions(Reducer::ExcerptLastRequest),
            Self::DropOldest => ReducerRule::when(Reducer::DropOldest, above(1.0)),
        }
    }

    fn find(self, policy: &Policy) -> Option<&ReducerRule> {
        policy.reducers.iter().find(|rule| Self::of(&rule.reducer) == self)
    }

    fn find_mut(self, policy: &mut Policy) -> Option<&mut ReducerRule> {
        policy.reducers.iter_mut().find(|rule| Self::of(&rule.reducer) == self)
    }

    /// Whether it runs at all.
    pub(super) fn switch(self) -> Switch {
        let read = move |policy: &Policy| self.find(policy).is_some();
        Switch::new(self.name(), self.label(), self.about(), read, move |policy, on| {
            policy.reducers.retain(|rule| Self::of(&rule.reducer) != self);
            if on {
                let later = |rule: &ReducerRule| Self::of(&rule.reducer) > self;
                let index = policy.reducers.iter().position(later);
                policy.reducers.insert(index.unwrap_or(policy.reducers.len()), self.usual());
            }
        })
    }

    /// When it runs.
    pub(super) fn when(self) -> Choice {
        let name = format!("{}.when", self.name());
        let read = move |policy: &Policy| ReducerCondition::of(self.find(policy)?.when.as_ref());
        Choice::new(name, t!("When"), read, move |policy, condition: ReducerCondition| {
            if let Some(rule) = self.find_mut(policy) {
                rule.when = condition.trigger();
            }
        })
        .about(t!("When it is done; it is part of every compaction too."))
    }

    /// True if it runs above a share of the window.
    pub(super) fn has_share(self, policy: &Policy) -> bool {
        self.find(policy).is_some_and(|rule| matches!(rule.when, Some(Trigger::Fill(_))))
    }

    /// That share.
    pub(super) fn share(self) -> TextField {
        let read = move |policy: &Policy| match self.find(policy).map(|rule| &rule.when) {
            Some(Some(Trigger::Fill(fill))) => percentage(fill.fraction),
            _ => String::new(),
        };
        let name = format!("{}.when.share", self.name());
        TextField::new(name, t!("Above"), "%", read, move |policy, text| {
            let share = percent(text)?;
            if let Some(Some(Trigger::Fill(fill))) =
                self.find_mut(policy).map(|rule| &mut rule.when)
            {
                fill.fraction = share;
            }
            Ok(())
        })
        .about(t!("From how full a window on, as a share of it."))
    }

    /// Its limits.
    pub(super) fn fields(self) -> Vec<TextField> {
        let own =
            match self {
                Self::Deduplicate | Self::ExcerptLastRequest | Self::DropOldest => Vec::new(),
                Self::TruncateToolResults => vec![steps()],
                Self::ClearToolInputs => vec![
                    self.protected(|reducer| match reducer {
                        Reducer::ClearToolInputs(clear) => Some(&mut clear.protect_fraction),
                        _ => None,
                    }),
                    self.tokens("argThresholdTokens", t!("Longer than"), |reducer| match reducer {
                        Reducer::ClearToolInputs(clear) => Some(&mut clear.arg_threshold_tokens),
                        _ => None,
                    })
                    .about(t!("Shorter arguments stay as they are.")),
                ],
                Self::ClearToolResults => vec![
                    self.number("keep", t!("Keep the newest"), t!("results"), |reducer| {
                        match reducer {
                            Reducer::ClearToolResults(clear) => Some(&mut clear.keep),
                            _ => None,
                        }
                    })
                    .about(t!("How many results stay as they are.")),
                    placeholder(),
                ],
                Self::OffloadToolResults => vec![
                    self.protected(|reducer| match reducer {
                        Reducer::OffloadToolResults(offload) => Some(&mut offload.protect_fraction),
                        _ => None,
                    }),
                    self.tokens("maxTokens", t!("Longer than"), |reducer| match reducer {
                        Reducer::OffloadToolResults(offload) => Some(&mut offload.max_tokens),
                        _ => None,
                    })
                    .about(t!("Shorter results stay as they are.")),
                    self.tokens("keepTokens", t!("Shorten to"), |reducer| match reducer {
                        Reducer::OffloadToolResults(offload) => Some(&mut offload.keep_tokens),
                        _ => None,
                    })
                    .about(t!("How much of a longer result stays: its beginning and its end.")),
                ],
            };
        own.into_iter().chain([self.min_saving()]).collect()
    }

    /// The share of the window whose newest messages it leaves alone.
    fn protected(self, part: fn(&mut Reducer) -> Option<&mut f64>) -> TextField {
        let read = move |policy: &Policy| {
            let reducer = self.find(policy).map(|rule| rule.reducer.clone());
            let share = reducer.and_then(|mut reducer| part(&mut reducer).map(|part| *part));
            share.map(percentage).unwrap_or_default()
        };
        let name = format!("{}.protectFraction", self.name());
        TextField::new(name, t!("Protect the newest"), "%", read, move |policy, text| {
            let share = percent(text)?;
            if let Some(part) = self.find_mut(policy).and_then(|rule| part(&mut rule.reducer)) {
                *part = share;
            }
            Ok(())
        })
        .about(t!("The newest messages that fill this share of the window stay as they are."))
    }

    /// A number of tokens of the reducer.
    fn tokens(
        self,
        name: &str,
        label: &'static str,
        part: fn(&mut Reducer) -> Option<&mut u32>,
    ) -> TextField {
        self.number(name, label, t!("tokens"), part)
    }

    /// A number of the reducer, of anything.
    fn number(
        self,
        name: &str,
        label: &'static str,
        unit: &'static str,
        part: fn(&mut Reducer) -> Option<&mut u32>,
    ) -> TextField {
        let read = move |policy: &Policy| {
            let reducer = self.find(policy).map(|rule| rule.reducer.clone());
            let number = reducer.and_then(|mut reducer| part(&mut reducer).map(|part| *part));
            number.map(|number| number.to_string()).unwrap_or_default()
        };
        let name = format!("{}.{name}", self.name());
        TextField::new(name, label, unit, read, move |policy, text| {
            let number = whole(text)?;
            if let Some(part) = self.find_mut(policy).and_then(|rule| part(&mut rule.reducer)) {
                *part = number;
            }
            Ok(())
        })
    }

    /// What it has to save to run.
    fn min_saving(self) -> TextField {
        let read = move |policy: &Policy| {
            self.find(policy).map(|rule| rule.clear_at_least.to_string()).unwrap_or_default()
        };
        let name = format!("{}.clearAtLeast", self.name());
        TextField::new(name, t!("Only if it saves"), t!("tokens"), read, move |policy, text| {
            let number = whole(text)?;
            if let Some(rule) = self.find_mut(policy) {
                rule.clear_at_least = number;
            }
            Ok(())
        })
        .about(t!(
            "Old messages stay as they are, and in the cache of the provider, if less is saved."
        ))
    }
}

/// What stands in place of a result that `ClearToolResults` clears.
fn placeholder() -> TextField {
    const KIND: ReducerKind = ReducerKind::ClearToolResults;
    let read = |policy: &Policy| match KIND.find(policy).map(|rule| &rule.reducer) {
        Some(Reducer::ClearToolResults(clear)) => clear.placeholder.clone(),
        _ => String::new(),
    };
    let name = format!("{}.placeholder", KIND.name());
    TextField::new(name, t!("Placeholder"), "", read, |policy, text| {
        if let Some(Reducer::ClearToolResults(clear)) =
            KIND.find_mut(policy).map(|rule| &mut rule.reducer)
        {
            text.clone_into(&mut clear.placeholder);
        }
        Ok(())
    })
    .about(t!("What stands in place of a result."))
}

/// The steps of `TruncateToolResults`, as `11: 2000, 21: 1000`: from this age, at most so many tokens.
fn steps() -> TextField {
    const KIND: ReducerKind = ReducerKind::TruncateToolResults;
    let read = |policy: &Policy| match KIND.find(policy).map(|rule| &rule.reducer) {
        Some(Reducer::TruncateToolResults(truncate)) => {
            let steps = truncate.steps.iter();
            let steps: Vec<String> =
                steps.map(|step| format!("{}: {}", step.from_messages, step.max_tokens)).collect();
            steps.join(", ")
        }
        _ => String::new(),
    };
    let name = format!("{}.steps", KIND.name());
    let field = TextField::new(
        name,
        t!("Messages ago: tokens to keep"),
        t!("tokens"),
        read,
        |policy, text| {
            let steps = text.split(',').filter(|step| !step.trim().is_empty()).map(step);
            let steps: Vec<TruncationStep> = steps.collect::<Result<_, _>>()?;
            if let Some(Reducer::TruncateToolResults(truncate)) =
                KIND.find_mut(policy).map(|rule| &mut rule.reducer)
            {
                truncate.steps = steps;
            }
            Ok(())
        },
    );
    field
        .showing(Extent::Line)
        .about(t!("From so many messages ago on, so many tokens of a result stay."))
}

fn step(text: &str) -> Result<TruncationStep, String> {
    let expected = || {
        let text = format!("{:?}", text.trim());
        t!("has {text}; give steps such as 11: 2000, 21: 1000", text)
    };
    let (from, most) = text.split_once(':').ok_or_else(expected)?;
    let (Ok(from_messages), Ok(max_tokens)) = (whole(from), whole(most)) else {
        return Err(expected());
    };
    Ok(TruncationStep { from_messages, max_tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reducers_are_turned_on_in_their_order_and_off_again() {
        let mut policy = Policy { reducers: Vec::new(), ..Policy::recommended(100_000) };
        for kind in ReducerKind::ALL.iter().rev() {
            kind.switch().write(&mut policy, true);
            assert!(kind.fields().iter().all(|field| !field.read(&policy).is_empty()));
        }
        let order: Vec<_> =
            policy.reducers.iter().map(|rule| ReducerKind::of(&rule.reducer)).collect();
        assert_eq!(order, ReducerKind::ALL);
        assert_eq!(policy.check(), Ok(()));
        ReducerKind::TruncateToolResults.switch().write(&mut policy, false);
        assert_eq!(policy.reducers.len(), ReducerKind::ALL.len() - 1);
    }

    #[test]
    fn every_condition_is_read_as_it_was_written() {
        let mut policy = Policy { reducers: Vec::new(), ..Policy::recommended(100_000) };
        ReducerKind::ClearToolInputs.switch().write(&mut policy, true);
        for name in ReducerCondition::ALL.iter().map(|condition| condition.name()) {
            ReducerKind::ClearToolInputs.when().write(&mut policy, name);
            assert_eq!(ReducerKind::ClearToolInputs.when().read(&policy), name);
        }
    }

    #[test]
    fn truncation_steps_are_typed_as_a_list() {
        let mut policy = Policy::team(100_000, Some((17, 15)));
        assert_eq!(steps().read(&policy), "11: 2000, 21: 1000, 41: 500");
        steps().write(&mut policy, "5: 100").unwrap();
        let Some(Reducer::TruncateToolResults(truncate)) =
            policy.reducers.first().map(|rule| &rule.reducer)
        else {
            panic!("no truncation");
        };
        assert_eq!((truncate.limit(4), truncate.limit(5)), (None, Some(100)));
        assert!(steps().write(&mut policy, "5 100").is_err());
    }
}
