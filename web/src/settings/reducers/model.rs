//! What saves tokens without a model: which of it, when, and how much.

use epitome::Policy;
use epitome::policy::{
    ClearToolInputs, Fill, OffloadToolResults, Phase, Reducer, ReducerRule, Trigger,
    TruncateToolResults, TruncationStep,
};

use super::amount::{percent, percentage, whole};
use super::entry::{Choice, Entry, OTHER, Switch};

/// The kinds of reducer, in the order in which they work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ReducerKind {
    Deduplicate,
    TruncateToolResults,
    ClearToolInputs,
    OffloadToolResults,
    DropOldest,
}

const WHEN: [(&str, &str); 6] = [
    ("compaction", "As part of a compaction"),
    ("share", "From a share of the window on"),
    ("loop", "After each round of tools"),
    ("turnEnd", "When a turn ends"),
    ("requestStart", "When a request begins"),
    ("always", "Whenever it is looked at"),
];

impl ReducerKind {
    /// Every kind, in the order shown.
    pub(crate) const ALL: [Self; 5] = [
        Self::Deduplicate,
        Self::TruncateToolResults,
        Self::ClearToolInputs,
        Self::OffloadToolResults,
        Self::DropOldest,
    ];

    /// The kind's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Deduplicate => "deduplicate",
            Self::TruncateToolResults => "truncateToolResults",
            Self::ClearToolInputs => "clearToolInputs",
            Self::OffloadToolResults => "offloadToolResults",
            Self::DropOldest => "dropOldest",
        }
    }

    /// The kind of a reducer.
    pub(super) fn of(reducer: &Reducer) -> Self {
        match reducer {
            Reducer::Deduplicate => Self::Deduplicate,
            Reducer::TruncateToolResults(_) => Self::TruncateToolResults,
            Reducer::ClearToolInputs(_) => Self::ClearToolInputs,
            Reducer::OffloadToolResults(_) => Self::OffloadToolResults,
            Reducer::DropOldest => Self::DropOldest,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Deduplicate => "Trim repetitions",
            Self::TruncateToolResults => "Truncate by age",
            Self::ClearToolInputs => "Prune arguments",
            Self::OffloadToolResults => "Put large results aside",
            Self::DropOldest => "Drop the oldest",
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Deduplicate => "Leaves out health checks and repeated machine-made messages.",
            Self::TruncateToolResults => "The older a tool result, the less of it stays.",
            Self::ClearToolInputs => "Shortens the arguments of old tool calls.",
            Self::OffloadToolResults => "Large tool results are shortened and can be read back.",
            Self::DropOldest => "The last resort, where nobody summarizes.",
        }
    }

    /// What it begins with.
    fn usual(self) -> ReducerRule {
        let fill = |fraction| Trigger::Fill(Fill { fraction, max_tokens: 0 });
        match self {
            Self::Deduplicate => ReducerRule::when(Reducer::Deduplicate, fill(0.5)),
            Self::TruncateToolResults => ReducerRule::when(
                Reducer::TruncateToolResults(TruncateToolResults::default()),
                Trigger::Always,
            ),
            Self::ClearToolInputs => {
                ReducerRule::in_compactions(Reducer::ClearToolInputs(ClearToolInputs::default()))
            }
            Self::OffloadToolResults => ReducerRule::in_compactions(Reducer::OffloadToolResults(
                OffloadToolResults::default(),
            )),
            Self::DropOldest => ReducerRule::when(Reducer::DropOldest, fill(1.0)),
        }
    }

    fn find(self, policy: &Policy) -> Option<&ReducerRule> {
        policy.reducers.iter().find(|one| Self::of(&one.reducer) == self)
    }

    fn find_mut(self, policy: &mut Policy) -> Option<&mut ReducerRule> {
        policy.reducers.iter_mut().find(|one| Self::of(&one.reducer) == self)
    }

    /// Whether it works at all.
    pub(crate) fn switch(self) -> Switch {
        let read = move |policy: &Policy| self.find(policy).is_some();
        Switch::new(self.as_str(), self.label(), self.hint(), read, move |policy, on| {
            policy.reducers.retain(|one| Self::of(&one.reducer) != self);
            if on {
                let later = |one: &ReducerRule| Self::of(&one.reducer) > self;
                let place = policy.reducers.iter().position(later);
                policy.reducers.insert(place.unwrap_or(policy.reducers.len()), self.usual());
            }
        })
    }

    /// When it works.
    pub(crate) fn when(self) -> Choice {
        let name = format!("{}.when", self.as_str());
        let read = move |policy: &Policy| {
            self.find(policy).map_or(OTHER, |one| when_name(one.when.as_ref()))
        };
        Choice::new(name, "When", &WHEN, read, move |policy, name| {
            if let Some(one) = self.find_mut(policy) {
                one.when = match name {
                    "share" => Some(Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 })),
                    "loop" => Some(Trigger::at(Phase::Loop, Trigger::Always)),
                    "turnEnd" => Some(Trigger::at(Phase::TurnEnd, Trigger::Always)),
                    "requestStart" => Some(Trigger::at(Phase::RequestStart, Trigger::Always)),
                    "always" => Some(Trigger::Always),
                    _ => None,
                };
            }
        })
    }

    /// True where it works at a share of the window.
    pub(crate) fn has_share(self, policy: &Policy) -> bool {
        self.find(policy).is_some_and(|one| matches!(one.when, Some(Trigger::Fill(_))))
    }

    /// That share.
    pub(crate) fn share(self) -> Entry {
        let read = move |policy: &Policy| match self.find(policy).and_then(|one| one.when.as_ref())
        {
            Some(Trigger::Fill(fill)) => percentage(fill.fraction),
            _ => String::new(),
        };
        let name = format!("{}.when.share", self.as_str());
        Entry::new(name, "From", "%", read, move |policy, text| {
            let share = percent(text)?;
            if let Some(Trigger::Fill(fill)) =
                self.find_mut(policy).and_then(|one| one.when.as_mut())
            {
                fill.fraction = share;
            }
            Ok(())
        })
    }

    /// Its numbers.
    pub(crate) fn entries(self) -> Vec<Entry> {
        let own = match self {
            Self::Deduplicate | Self::DropOldest => Vec::new(),
            Self::TruncateToolResults => vec![steps()],
            Self::ClearToolInputs => vec![
                prune_share(),
                self.number("argThresholdTokens", "Longer than", |reducer| match reducer {
                    Reducer::ClearToolInputs(prune) => Some(&mut prune.arg_threshold_tokens),
                    _ => None,
                }),
            ],
            Self::OffloadToolResults => vec![
                offload_share(),
                self.number("maxTokens", "Longer than", |reducer| match reducer {
                    Reducer::OffloadToolResults(offload) => Some(&mut offload.max_tokens),
                    _ => None,
                }),
                self.number("keepTokens", "What stays", |reducer| match reducer {
                    Reducer::OffloadToolResults(offload) => Some(&mut offload.keep_tokens),
                    _ => None,
                }),
            ],
        };
        own.into_iter().chain([self.min_saving()]).collect()
    }

    fn number(
        self,
        name: &str,
        label: &'static str,
        part: fn(&mut Reducer) -> Option<&mut u32>,
    ) -> Entry {
        let read = move |policy: &Policy| {
            let reducer = self.find(policy).map(|one| one.reducer.clone());
            let number = reducer.and_then(|mut reducer| part(&mut reducer).map(|part| *part));
            number.map(|number| number.to_string()).unwrap_or_default()
        };
        let name = format!("{}.{name}", self.as_str());
        Entry::new(name, label, "tokens", read, move |policy, text| {
            let number = whole(text)?;
            if let Some(part) = self.find_mut(policy).and_then(|one| part(&mut one.reducer)) {
                *part = number;
            }
            Ok(())
        })
    }

    fn min_saving(self) -> Entry {
        let read = move |policy: &Policy| {
            self.find(policy).map(|one| one.min_saving_tokens.to_string()).unwrap_or_default()
        };
        let name = format!("{}.minSavingTokens", self.as_str());
        Entry::new(name, "Only if it saves", "tokens", read, move |policy, text| {
            let number = whole(text)?;
            if let Some(one) = self.find_mut(policy) {
                one.min_saving_tokens = number;
            }
            Ok(())
        })
    }
}

fn when_name(when: Option<&Trigger>) -> &'static str {
    match when {
        None => "compaction",
        Some(Trigger::Fill(_)) => "share",
        Some(Trigger::Always) => "always",
        Some(Trigger::At { phase, trigger }) if **trigger == Trigger::Always => match phase {
            Phase::Loop => "loop",
            Phase::TurnEnd => "turnEnd",
            Phase::RequestStart => "requestStart",
            Phase::TurnStart | Phase::Overflow => OTHER,
        },
        Some(_) => OTHER,
    }
}

fn prune_share() -> Entry {
    let read =
        |policy: &Policy| match ReducerKind::ClearToolInputs.find(policy).map(|one| &one.reducer) {
            Some(Reducer::ClearToolInputs(prune)) => percentage(prune.protect_fraction),
            _ => String::new(),
        };
    Entry::new("prune.protectFraction", "Spare the newest", "%", read, |policy, text| {
        let share = percent(text)?;
        if let Some(Reducer::ClearToolInputs(prune)) =
            ReducerKind::ClearToolInputs.find_mut(policy).map(|one| &mut one.reducer)
        {
            prune.protect_fraction = share;
        }
        Ok(())
    })
}

fn offload_share() -> Entry {
    let read = |policy: &Policy| match ReducerKind::OffloadToolResults
        .find(policy)
        .map(|one| &one.reducer)
    {
        Some(Reducer::OffloadToolResults(offload)) => percentage(offload.protect_fraction),
        _ => String::new(),
    };
    let name = "offload.protectFraction";
    Entry::new(name, "Spare the newest", "%", read, |policy, text| {
        let share = percent(text)?;
        if let Some(Reducer::OffloadToolResults(offload)) =
            ReducerKind::OffloadToolResults.find_mut(policy).map(|one| &mut one.reducer)
        {
            offload.protect_fraction = share;
        }
        Ok(())
    })
}

/// Ages and what they may take, as `11: 2000, 21: 1000`.
fn steps() -> Entry {
    let read = |policy: &Policy| match ReducerKind::TruncateToolResults
        .find(policy)
        .map(|one| &one.reducer)
    {
        Some(Reducer::TruncateToolResults(age)) => {
            let steps = age.steps.iter();
            let steps: Vec<String> =
                steps.map(|step| format!("{}: {}", step.from_messages, step.max_tokens)).collect();
            steps.join(", ")
        }
        _ => String::new(),
    };
    Entry::new("age.steps", "Messages ago: longest result", "tokens", read, |policy, text| {
        let steps = text.split(',').filter(|step| !step.trim().is_empty()).map(step);
        let steps: Vec<TruncationStep> = steps.collect::<Result<_, _>>()?;
        if let Some(Reducer::TruncateToolResults(age)) =
            ReducerKind::TruncateToolResults.find_mut(policy).map(|one| &mut one.reducer)
        {
            age.steps = steps;
        }
        Ok(())
    })
    .wide()
}

fn step(text: &str) -> Result<TruncationStep, String> {
    let wanted = || format!("has {:?}; give steps such as 11: 2000, 21: 1000", text.trim());
    let (from, most) = text.split_once(':').ok_or_else(wanted)?;
    let (Ok(from_messages), Ok(max_tokens)) = (whole(from), whole(most)) else {
        return Err(wanted());
    };
    Ok(TruncationStep { from_messages, max_tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reducer_is_turned_on_in_its_place_and_off_again() {
        let mut policy = Policy { reducers: Vec::new(), ..Policy::recommended(100_000) };
        for kind in ReducerKind::ALL.into_iter().rev() {
            kind.switch().write(&mut policy, true);
            assert!(kind.entries().iter().all(|entry| !entry.read(&policy).is_empty()));
        }
        let order: Vec<_> =
            policy.reducers.iter().map(|one| ReducerKind::of(&one.reducer)).collect();
        assert_eq!(order, ReducerKind::ALL);
        assert_eq!(policy.check(), Ok(()));
        ReducerKind::TruncateToolResults.switch().write(&mut policy, false);
        assert_eq!(policy.reducers.len(), 4);
    }

    #[test]
    fn every_time_to_work_is_read_as_it_was_written() {
        let mut policy = Policy { reducers: Vec::new(), ..Policy::recommended(100_000) };
        ReducerKind::ClearToolInputs.switch().write(&mut policy, true);
        for (name, _) in WHEN {
            ReducerKind::ClearToolInputs.when().write(&mut policy, name);
            assert_eq!(ReducerKind::ClearToolInputs.when().read(&policy), name);
        }
    }

    #[test]
    fn ages_are_typed_as_steps() {
        let mut policy = Policy::team(100_000, None);
        assert_eq!(steps().read(&policy), "11: 2000, 21: 1000, 41: 500");
        steps().write(&mut policy, "5: 100").unwrap();
        let Some(Reducer::TruncateToolResults(age)) =
            policy.reducers.first().map(|one| &one.reducer)
        else {
            panic!("no age");
        };
        assert_eq!((age.limit(4), age.limit(5)), (None, Some(100)));
        assert!(steps().write(&mut policy, "5 100").is_err());
    }
}
