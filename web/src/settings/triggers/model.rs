//! When to compact: the main trigger, the two for requests, and how far to come down.

use epitome::Policy;
use epitome::policy::{Budget, Fill, Phase, Reactive, RequestBoundary, Trigger};

use super::amount::{percent, percentage, signed, whole};
use super::entry::{Choice, Entry, OTHER, Switch};

/// The kinds of main trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriggerKind {
    /// A share of the window.
    Share,
    /// A number of tokens.
    Tokens,
    /// A share of the window, or the window without its reserves where that is less.
    Budget,
    /// A number of messages.
    Messages,
    /// Nothing.
    Manual,
    /// Something that the form does not show.
    Other,
}

const KINDS: [(&str, &str); 5] = [
    ("share", "A share of the window"),
    ("tokens", "A number of tokens"),
    ("budget", "What the reserves leave"),
    ("messages", "A number of messages"),
    ("manual", "Nothing: only by hand"),
];

const PHASES: [(&str, &str); 5] = [
    ("any", "At any phase"),
    ("requestStart", "When a request begins"),
    ("turnStart", "Before each turn"),
    ("loop", "After each round of tools"),
    ("turnEnd", "When a turn ends"),
];

/// A trigger without the phase it is tied to.
pub(super) fn bare(trigger: &Trigger) -> &Trigger {
    match trigger {
        Trigger::At { trigger, .. } => bare(trigger),
        other => other,
    }
}

fn bare_mut(trigger: &mut Trigger) -> &mut Trigger {
    match trigger {
        Trigger::At { trigger, .. } => bare_mut(trigger),
        other => other,
    }
}

fn is_main(trigger: &Trigger) -> bool {
    !matches!(bare(trigger), Trigger::RequestBoundary(_) | Trigger::Reactive(_))
}

fn main(policy: &Policy) -> Option<&Trigger> {
    policy.triggers.iter().find(|trigger| is_main(trigger))
}

fn main_mut(policy: &mut Policy) -> Option<&mut Trigger> {
    policy.triggers.iter_mut().find(|trigger| is_main(trigger)).map(bare_mut)
}

impl TriggerKind {
    /// The kind of a policy's main trigger.
    pub(crate) fn of(policy: &Policy) -> Self {
        match main(policy).map(bare) {
            Some(Trigger::Fill(_)) => Self::Share,
            Some(Trigger::Tokens(_)) => Self::Tokens,
            Some(Trigger::Budget(_)) => Self::Budget,
            Some(Trigger::Messages(_)) => Self::Messages,
            Some(Trigger::Manual) | None => Self::Manual,
            Some(_) => Self::Other,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Tokens => "tokens",
            Self::Budget => "budget",
            Self::Messages => "messages",
            Self::Manual => "manual",
            Self::Other => OTHER,
        }
    }
}

/// What calls for a compaction.
pub(crate) fn trigger_kind() -> Choice {
    let write = |policy: &mut Policy, name: &str| {
        let share = match main(policy).map(bare) {
            Some(Trigger::Fill(fill)) => fill.fraction,
            Some(Trigger::Budget(budget)) => budget.fraction,
            _ => 0.75,
        };
        let tokens = i64::from(policy.window) * 3 / 4;
        let trigger = match name {
            "tokens" => Trigger::Tokens(tokens),
            "budget" => Trigger::Budget(Budget { fraction: share, ..Budget::default() }),
            "messages" => Trigger::Messages(17),
            "manual" => Trigger::Manual,
            _ => Trigger::Fill(Fill { fraction: share, max_tokens: 0 }),
        };
        match main_mut(policy) {
            Some(main) => *main = trigger,
            None => policy.triggers.insert(0, trigger),
        }
    };
    let read = |policy: &Policy| TriggerKind::of(policy).as_str();
    Choice::new("triggers", "Compact at", &KINDS, read, write)
}

/// When the main trigger is looked at.
pub(crate) fn phase() -> Choice {
    let read = |policy: &Policy| match main(policy) {
        Some(Trigger::At { phase, .. }) => match phase {
            Phase::RequestStart => "requestStart",
            Phase::TurnStart => "turnStart",
            Phase::Loop => "loop",
            Phase::TurnEnd => "turnEnd",
            Phase::Overflow => OTHER,
        },
        _ => "any",
    };
    Choice::new("triggers.at", "Looked at", &PHASES, read, |policy, name| {
        let Some(main) = policy.triggers.iter_mut().find(|trigger| is_main(trigger)) else {
            return;
        };
        let own = bare(main).clone();
        let phase = match name {
            "requestStart" => Phase::RequestStart,
            "turnStart" => Phase::TurnStart,
            "loop" => Phase::Loop,
            "turnEnd" => Phase::TurnEnd,
            _ => return *main = own,
        };
        *main = Trigger::at(phase, own);
    })
}

/// The main trigger's share of the window.
pub(crate) fn at_share() -> Entry {
    let read = |policy: &Policy| match main(policy).map(bare) {
        Some(Trigger::Fill(fill)) => percentage(fill.fraction),
        Some(Trigger::Budget(budget)) => percentage(budget.fraction),
        _ => String::new(),
    };
    Entry::new("triggers", "Threshold", "%", read, |policy, text| {
        let share = percent(text)?;
        match main_mut(policy) {
            Some(Trigger::Fill(fill)) => fill.fraction = share,
            Some(Trigger::Budget(budget)) => budget.fraction = share,
            _ => {}
        }
        Ok(())
    })
}

/// The main trigger's number of tokens.
pub(crate) fn at_tokens() -> Entry {
    let read = |policy: &Policy| match main(policy).map(bare) {
        Some(Trigger::Tokens(tokens)) => tokens.to_string(),
        _ => String::new(),
    };
    Entry::new("triggers", "Threshold", "tokens", read, |policy, text| {
        let number = signed(text)?;
        if let Some(Trigger::Tokens(tokens)) = main_mut(policy) {
            *tokens = number;
        }
        Ok(())
    })
}

/// The main trigger's number of messages.
pub(crate) fn at_messages() -> Entry {
    let read = |policy: &Policy| match main(policy).map(bare) {
        Some(Trigger::Messages(messages)) => messages.to_string(),
        _ => String::new(),
    };
    Entry::new("triggers", "Threshold", "messages", read, |policy, text| {
        let number = whole(text)?;
        if let Some(Trigger::Messages(messages)) = main_mut(policy) {
            *messages = number;
        }
        Ok(())
    })
}

/// A number of tokens that counts instead of the share.
pub(crate) fn instead_tokens() -> Entry {
    let read = |policy: &Policy| match main(policy).map(bare) {
        Some(Trigger::Fill(fill)) => fill.max_tokens.to_string(),
        _ => String::new(),
    };
    Entry::new("triggers.maxTokens", "Or, above 0, at", "tokens", read, |policy, text| {
        let number = whole(text)?;
        if let Some(Trigger::Fill(fill)) = main_mut(policy) {
            fill.max_tokens = number;
        }
        Ok(())
    })
}

/// What the main trigger keeps free for the answer.
pub(crate) fn output_reserve() -> Entry {
    reserve("outputReserve", "Room for the answer", |budget| &mut budget.output_reserve)
}

/// What the main trigger keeps free for what the count may be wrong by.
pub(crate) fn safety_margin() -> Entry {
    reserve("safetyMargin", "Safety margin", |budget| &mut budget.safety_margin)
}

fn reserve(name: &str, label: &'static str, part: fn(&mut Budget) -> &mut u32) -> Entry {
    let read = move |policy: &Policy| match main(policy).map(bare) {
        Some(Trigger::Budget(budget)) => part(&mut budget.clone()).to_string(),
        _ => String::new(),
    };
    Entry::new(name, label, "tokens", read, move |policy, text| {
        let number = whole(text)?;
        if let Some(Trigger::Budget(budget)) = main_mut(policy) {
            *part(budget) = number;
        }
        Ok(())
    })
}

/// How far to come down.
pub(crate) fn target() -> Entry {
    let read = |policy: &Policy| percentage(policy.target);
    Entry::new("target", "Come down to", "%", read, |policy, text| {
        policy.target = percent(text)?;
        Ok(())
    })
}

/// The window of the model.
pub(crate) fn window() -> Entry {
    let read = |policy: &Policy| policy.window.to_string();
    Entry::new("window", "Window of the model", "tokens", read, |policy, text| {
        policy.window = whole(text)?;
        Ok(())
    })
}

fn has(policy: &Policy, wanted: fn(&Trigger) -> bool) -> bool {
    policy.triggers.iter().any(|trigger| wanted(bare(trigger)))
}

fn turn(policy: &mut Policy, on: bool, wanted: fn(&Trigger) -> bool, trigger: Trigger) {
    policy.triggers.retain(|trigger| !wanted(bare(trigger)));
    if on {
        policy.triggers.push(trigger);
    } else if policy.triggers.is_empty() {
        policy.triggers.push(Trigger::Manual);
    }
}

/// The trigger at the border of a request.
pub(crate) fn request_boundary() -> Switch {
    const IS: fn(&Trigger) -> bool = |trigger| matches!(trigger, Trigger::RequestBoundary(_));
    let hint = "Where a request begins with a long history.";
    let read = |policy: &Policy| has(policy, IS);
    Switch::new("requestBoundary", "When a request begins", hint, read, |policy, on| {
        // As large as fits the window.
        let usual = RequestBoundary::default();
        let trigger_tokens = usual.trigger_tokens.min(policy.window / 2);
        turn(policy, on, IS, Trigger::RequestBoundary(RequestBoundary { trigger_tokens, ..usual }));
    })
}

/// Its numbers.
pub(crate) fn request_entries() -> [Entry; 2] {
    let field = |name: &str, label, unit, part: fn(&mut RequestBoundary) -> &mut u32| {
        let read = move |policy: &Policy| {
            let found = policy.triggers.iter().find_map(|trigger| match bare(trigger) {
                Trigger::RequestBoundary(boundary) => Some(*boundary),
                _ => None,
            });
            found.map(|mut boundary| part(&mut boundary).to_string()).unwrap_or_default()
        };
        Entry::new(format!("requestBoundary.{name}"), label, unit, read, move |policy, text| {
            let number = whole(text)?;
            for trigger in &mut policy.triggers {
                if let Trigger::RequestBoundary(boundary) = bare_mut(trigger) {
                    *part(boundary) = number;
                }
            }
            Ok(())
        })
    };
    [
        field("triggerTokens", "History above", "tokens", |boundary| &mut boundary.trigger_tokens),
        field("minMessages", "And at least", "messages", |boundary| &mut boundary.min_messages),
    ]
}

/// The trigger in the tool loop.
pub(crate) fn reactive() -> Switch {
    const IS: fn(&Trigger) -> bool = |trigger| matches!(trigger, Trigger::Reactive(_));
    let hint = "In the tool loop, by what the last prompt really took, and when one is refused.";
    let read = |policy: &Policy| has(policy, IS);
    Switch::new("reactive", "In the tool loop", hint, read, |policy, on| {
        turn(policy, on, IS, Trigger::Reactive(Reactive::default()));
    })
}

/// Its numbers.
pub(crate) fn reactive_entries() -> [Entry; 5] {
    let of = |policy: &Policy| {
        policy.triggers.iter().find_map(|trigger| match bare(trigger) {
            Trigger::Reactive(reactive) => Some(*reactive),
            _ => None,
        })
    };
    let each = |policy: &mut Policy, change: &dyn Fn(&mut Reactive)| {
        for trigger in &mut policy.triggers {
            if let Trigger::Reactive(reactive) = bare_mut(trigger) {
                change(reactive);
            }
        }
    };
    let share = |name: &str, label, part: fn(&mut Reactive) -> &mut f64| {
        let read = move |policy: &Policy| {
            of(policy).map(|mut reactive| percentage(*part(&mut reactive))).unwrap_or_default()
        };
        Entry::new(format!("reactive.{name}"), label, "%", read, move |policy, text| {
            let share = percent(text)?;
            each(policy, &|reactive| *part(reactive) = share);
            Ok(())
        })
    };
    let number = |name: &str, label, unit, part: fn(&mut Reactive) -> &mut u32| {
        let read = move |policy: &Policy| {
            of(policy).map(|mut reactive| part(&mut reactive).to_string()).unwrap_or_default()
        };
        Entry::new(format!("reactive.{name}"), label, unit, read, move |policy, text| {
            let number = whole(text)?;
            each(policy, &|reactive| *part(reactive) = number);
            Ok(())
        })
    };
    [
        share("microFraction", "A little at", |reactive| &mut reactive.micro_fraction),
        share("fullFraction", "All of it at", |reactive| &mut reactive.full_fraction),
        number("microBatchRounds", "A little is", "rounds", |r| &mut r.micro_batch_rounds),
        number("keepRounds", "The latest stay", "rounds", |r| &mut r.keep_rounds),
        number("maxPerRequest", "At most", "per request", |r| &mut r.max_per_request),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_trigger_changes_its_kind_and_the_others_stay() {
        let mut policy = Policy::recommended(100_000);
        trigger_kind().write(&mut policy, "tokens");
        assert_eq!(policy.triggers.first(), Some(&Trigger::Tokens(75_000)));
        assert!(policy.reactive().is_some());
        at_tokens().write(&mut policy, "60,000").unwrap();
        assert_eq!(policy.threshold(), Some(60_000));
        trigger_kind().write(&mut policy, "messages");
        at_messages().write(&mut policy, "7").unwrap();
        assert_eq!(at_messages().read(&policy), "7");
    }

    #[test]
    fn a_main_trigger_is_tied_to_a_phase_and_freed_of_it() {
        let mut policy = Policy::workstream(200_000);
        assert_eq!(
            (TriggerKind::of(&policy), phase().read(&policy)),
            (TriggerKind::Budget, "turnEnd")
        );
        safety_margin().write(&mut policy, "9000").unwrap();
        phase().write(&mut policy, "any");
        let budget = Budget { safety_margin: 9_000, ..Budget::default() };
        assert_eq!(policy.triggers, [Trigger::Budget(budget)]);
    }

    #[test]
    fn what_the_form_does_not_show_it_leaves_alone() {
        let both = Trigger::All(vec![Trigger::Tokens(10), Trigger::Messages(3)]);
        let mut policy = Policy { triggers: vec![both.clone()], ..Policy::recommended(100) };
        assert_eq!(trigger_kind().read(&policy), OTHER);
        trigger_kind().write(&mut policy, OTHER);
        reactive().write(&mut policy, true);
        assert_eq!(policy.triggers.first(), Some(&both));
    }

    #[test]
    fn turning_the_last_trigger_off_leaves_compacting_by_hand() {
        let mut policy = Policy::request(200_000);
        request_boundary().write(&mut policy, false);
        reactive().write(&mut policy, false);
        assert_eq!(policy.triggers, [Trigger::Manual]);
        let [share, ..] = reactive_entries();
        reactive().write(&mut policy, true);
        share.write(&mut policy, "60").unwrap();
        assert_eq!(policy.reactive().map(|reactive| reactive.micro_fraction), Some(0.6));
    }
}
