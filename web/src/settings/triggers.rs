//! The fields of the triggers: the main trigger, the two triggers of requests, and the target.

use epitome::Policy;
use epitome::policy::{Budget, Fill, Phase, Reactive, RequestBoundary, Trigger};

use super::field::number::{percent, percentage, signed, whole};
use super::field::{Choice, Switch, TextField, options};
use crate::language::t;

/// The kinds of main trigger that the form can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TriggerKind {
    Fill,
    Tokens,
    Budget,
    Messages,
    Manual,
}

options!(TriggerKind {
    Fill: "share", t!("A share of the window");
    Tokens: "tokens", t!("A number of tokens");
    Budget: "budget", t!("A share, or the window minus reserves");
    Messages: "messages", t!("A number of messages");
    Manual: "manual", t!("Never automatically");
});

/// When the main trigger is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TriggerPhase {
    Any,
    RequestStart,
    TurnStart,
    Loop,
    TurnEnd,
}

options!(TriggerPhase {
    Any: "any", t!("Every phase");
    RequestStart: "requestStart", t!("Request start");
    TurnStart: "turnStart", t!("Turn start");
    Loop: "loop", t!("Tool loop");
    TurnEnd: "turnEnd", t!("Turn end");
});

/// What the form does with a trigger.
enum Role {
    /// It is the main trigger, of a kind that the form can write; `None`: only the JSON can.
    Main(Option<TriggerKind>),
    /// It has its own switch of this name, and this is the first of its fields.
    Switched(&'static str, &'static str),
}

/// The role of a trigger. Exhaustive, so that the form cannot forget a kind of trigger.
fn role(trigger: &Trigger) -> Role {
    match without_phase(trigger) {
        Trigger::Fill(_) => Role::Main(Some(TriggerKind::Fill)),
        Trigger::Tokens(_) => Role::Main(Some(TriggerKind::Tokens)),
        Trigger::Budget(_) => Role::Main(Some(TriggerKind::Budget)),
        Trigger::Messages(_) => Role::Main(Some(TriggerKind::Messages)),
        Trigger::Manual => Role::Main(Some(TriggerKind::Manual)),
        Trigger::All(_) | Trigger::Any(_) | Trigger::Always | Trigger::At { .. } => {
            Role::Main(None)
        }
        Trigger::RequestBoundary(_) => Role::Switched("requestBoundary", "triggerTokens"),
        Trigger::Reactive(_) => Role::Switched("reactive", "microFraction"),
    }
}

/// The name of the form field for an error in `rest` of a trigger, such as `.reactive.microFraction`.
pub(super) fn trigger_field(trigger: &Trigger, rest: &str) -> String {
    match role(trigger) {
        Role::Main(_) => "triggers".to_owned(),
        Role::Switched(name, first) => {
            let part = rest.strip_prefix(&format!(".{name}.")).unwrap_or(first);
            format!("{name}.{part}")
        }
    }
}

/// A trigger without the phase that it is tied to.
fn without_phase(trigger: &Trigger) -> &Trigger {
    match trigger {
        Trigger::At { trigger, .. } => without_phase(trigger),
        other => other,
    }
}

fn without_phase_mut(trigger: &mut Trigger) -> &mut Trigger {
    match trigger {
        Trigger::At { trigger, .. } => without_phase_mut(trigger),
        other => other,
    }
}

fn is_main(trigger: &Trigger) -> bool {
    matches!(role(trigger), Role::Main(_))
}

/// The main trigger: the first one without its own switch.
fn main(policy: &Policy) -> Option<&Trigger> {
    policy.triggers.iter().find(|trigger| is_main(trigger))
}

fn main_mut(policy: &mut Policy) -> Option<&mut Trigger> {
    policy.triggers.iter_mut().find(|trigger| is_main(trigger)).map(without_phase_mut)
}

/// The kind of the main trigger; `None` if only the JSON can express it.
pub(super) fn main_kind(policy: &Policy) -> Option<TriggerKind> {
    match main(policy).map(role) {
        Some(Role::Main(kind)) => kind,
        // A policy without a main trigger compacts like one with `Manual`.
        Some(Role::Switched(..)) | None => Some(TriggerKind::Manual),
    }
}

/// The main trigger's kind.
pub(super) fn trigger_kind() -> Choice {
    Choice::new("triggers", t!("Compact at"), main_kind, |policy, kind| {
        let fraction = match main(policy).map(without_phase) {
            Some(Trigger::Fill(fill)) => fill.fraction,
            Some(Trigger::Budget(budget)) => budget.fraction,
            _ => 0.75,
        };
        let trigger = match kind {
            TriggerKind::Fill => Trigger::Fill(Fill { fraction, max_tokens: 0 }),
            TriggerKind::Tokens => Trigger::Tokens(i64::from(policy.window) * 3 / 4),
            TriggerKind::Budget => Trigger::Budget(Budget { fraction, ..Budget::default() }),
            TriggerKind::Messages => Trigger::Messages(17),
            TriggerKind::Manual => Trigger::Manual,
        };
        match main_mut(policy) {
            Some(main) => *main = trigger,
            None => policy.triggers.insert(0, trigger),
        }
    })
    .about(t!("What has to be reached before a compaction is due."))
}

/// The phase at which the main trigger is checked.
pub(super) fn phase() -> Choice {
    let read = |policy: &Policy| match main(policy) {
        Some(Trigger::At { phase, .. }) => match phase {
            Phase::RequestStart => Some(TriggerPhase::RequestStart),
            Phase::TurnStart => Some(TriggerPhase::TurnStart),
            Phase::Loop => Some(TriggerPhase::Loop),
            Phase::TurnEnd => Some(TriggerPhase::TurnEnd),
            // A main trigger at an overflow would compact without looking at the window.
            Phase::Overflow => None,
        },
        _ => Some(TriggerPhase::Any),
    };
    Choice::new("triggers.at", t!("Checked at"), read, |policy, phase| {
        let Some(main) = policy.triggers.iter_mut().find(|trigger| is_main(trigger)) else {
            return;
        };
        let trigger = without_phase(main).clone();
        *main = match phase {
            TriggerPhase::Any => trigger,
            TriggerPhase::RequestStart => Trigger::at(Phase::RequestStart, trigger),
            TriggerPhase::TurnStart => Trigger::at(Phase::TurnStart, trigger),
            TriggerPhase::Loop => Trigger::at(Phase::Loop, trigger),
            TriggerPhase::TurnEnd => Trigger::at(Phase::TurnEnd, trigger),
        };
    })
    .about(t!("When in the work of an agent the threshold is compared."))
}

/// The main trigger's share of the window.
pub(super) fn threshold_share() -> TextField {
    let read = |policy: &Policy| match main(policy).map(without_phase) {
        Some(Trigger::Fill(fill)) => percentage(fill.fraction),
        Some(Trigger::Budget(budget)) => percentage(budget.fraction),
        _ => String::new(),
    };
    TextField::new("triggers", t!("Threshold"), "%", read, |policy, text| {
        let share = percent(text)?;
        match main_mut(policy) {
            Some(Trigger::Fill(fill)) => fill.fraction = share,
            Some(Trigger::Budget(budget)) => budget.fraction = share,
            _ => {}
        }
        Ok(())
    })
    .about(t!("How full the window may become, as a share of it."))
}

/// The main trigger's number of tokens.
pub(super) fn threshold_tokens() -> TextField {
    let read = |policy: &Policy| match main(policy).map(without_phase) {
        Some(Trigger::Tokens(tokens)) => tokens.to_string(),
        _ => String::new(),
    };
    TextField::new("triggers", t!("Threshold"), t!("tokens"), read, |policy, text| {
        let number = signed(text)?;
        if let Some(Trigger::Tokens(tokens)) = main_mut(policy) {
            *tokens = number;
        }
        Ok(())
    })
    .about(t!("How many tokens the conversation may have."))
}

/// The main trigger's number of messages.
pub(super) fn threshold_messages() -> TextField {
    let read = |policy: &Policy| match main(policy).map(without_phase) {
        Some(Trigger::Messages(messages)) => messages.to_string(),
        _ => String::new(),
    };
    TextField::new("triggers", t!("Threshold"), t!("messages"), read, |policy, text| {
        let number = whole(text)?;
        if let Some(Trigger::Messages(messages)) = main_mut(policy) {
            *messages = number;
        }
        Ok(())
    })
    .about(t!("How many messages the conversation may have."))
}

/// The number of tokens that replaces the share of the window.
pub(super) fn fixed_tokens() -> TextField {
    let read = |policy: &Policy| match main(policy).map(without_phase) {
        Some(Trigger::Fill(fill)) => fill.max_tokens.to_string(),
        _ => String::new(),
    };
    TextField::new(
        "triggers.maxTokens",
        t!("Fixed threshold"),
        t!("tokens"),
        read,
        |policy, text| {
            let number = whole(text)?;
            if let Some(Trigger::Fill(fill)) = main_mut(policy) {
                fill.max_tokens = number;
            }
            Ok(())
        },
    )
    .about(t!("A number of tokens in place of the share; 0 uses the share."))
}

/// Tokens that the main trigger reserves for the model's output.
pub(super) fn output_reserve() -> TextField {
    reserve("outputReserve", t!("Output reserve"), |budget| &mut budget.output_reserve)
        .about(t!("Tokens of the window that stay free for the answer of the model."))
}

/// Tokens that the main trigger reserves for counting errors.
pub(super) fn safety_margin() -> TextField {
    reserve("safetyMargin", t!("Safety margin"), |budget| &mut budget.safety_margin)
        .about(t!("Tokens of the window that stay free in case the count is too low."))
}

fn reserve(name: &str, label: &'static str, part: fn(&mut Budget) -> &mut u32) -> TextField {
    let read = move |policy: &Policy| match main(policy).map(without_phase) {
        Some(Trigger::Budget(budget)) => part(&mut budget.clone()).to_string(),
        _ => String::new(),
    };
    TextField::new(name, label, t!("tokens"), read, move |policy, text| {
        let number = whole(text)?;
        if let Some(Trigger::Budget(budget)) = main_mut(policy) {
            *part(budget) = number;
        }
        Ok(())
    })
}

/// Writes the main trigger's threshold, given as a share of the window; false if it is not one of tokens.
pub(super) fn write_threshold(policy: &mut Policy, share: f64) -> bool {
    let window = f64::from(policy.window);
    match main_mut(policy) {
        Some(Trigger::Fill(fill)) if fill.max_tokens == 0 => fill.fraction = share,
        Some(Trigger::Budget(budget)) => budget.fraction = share,
        #[expect(clippy::cast_possible_truncation, reason = "a share of a window of 32 bits")]
        Some(Trigger::Tokens(tokens)) => *tokens = (window * share) as i64,
        _ => return false,
    }
    true
}

/// The share of the window that a compaction reduces the conversation to.
pub(super) fn target() -> TextField {
    let read = |policy: &Policy| percentage(policy.target);
    TextField::new("target", t!("Compact down to"), "%", read, |policy, text| {
        policy.target = percent(text)?;
        Ok(())
    })
    .about(t!("How full the window is after a compaction, as a share of it."))
}

/// Turns a trigger on or off. A policy always has at least one trigger.
fn set_trigger(policy: &mut Policy, on: bool, wanted: fn(&Trigger) -> bool, trigger: Trigger) {
    policy.triggers.retain(|trigger| !wanted(without_phase(trigger)));
    if on {
        policy.triggers.push(trigger);
    } else if policy.triggers.is_empty() {
        policy.triggers.push(Trigger::Manual);
    }
}

/// The trigger at the start of a user request.
pub(super) fn request_boundary() -> Switch {
    const IS: fn(&Trigger) -> bool = |trigger| matches!(trigger, Trigger::RequestBoundary(_));
    let hint = t!("Compacts if a user request starts with a long history.");
    let read = |policy: &Policy| policy.triggers.iter().any(|trigger| IS(without_phase(trigger)));
    Switch::new("requestBoundary", t!("At request start"), hint, read, |policy, on| {
        // The default threshold may be larger than the window, which is not valid.
        let usual = RequestBoundary::default();
        let trigger_tokens = usual.trigger_tokens.min(policy.window / 2);
        let trigger = Trigger::RequestBoundary(RequestBoundary { trigger_tokens, ..usual });
        set_trigger(policy, on, IS, trigger);
    })
}

/// The thresholds of the trigger at the start of a user request.
pub(super) fn request_boundary_fields() -> [TextField; 2] {
    let field = |name: &str, label, unit, part: fn(&mut RequestBoundary) -> &mut u32| {
        let read = move |policy: &Policy| {
            let found = policy.triggers.iter().find_map(|trigger| match without_phase(trigger) {
                Trigger::RequestBoundary(boundary) => Some(*boundary),
                _ => None,
            });
            found.map(|mut boundary| part(&mut boundary).to_string()).unwrap_or_default()
        };
        let name = format!("requestBoundary.{name}");
        TextField::new(name, label, unit, read, move |policy, text| {
            let number = whole(text)?;
            for trigger in &mut policy.triggers {
                if let Trigger::RequestBoundary(boundary) = without_phase_mut(trigger) {
                    *part(boundary) = number;
                }
            }
            Ok(())
        })
    };
    [
        field("triggerTokens", t!("History above"), t!("tokens"), |boundary| {
            &mut boundary.trigger_tokens
        })
        .about(t!("How many tokens a long history has.")),
        field("minMessages", t!("And at least"), t!("messages"), |boundary| {
            &mut boundary.min_messages
        })
        .about(t!("A history of fewer messages stays as it is.")),
    ]
}

/// The trigger in the tool loop.
pub(super) fn reactive() -> Switch {
    const IS: fn(&Trigger) -> bool = |trigger| matches!(trigger, Trigger::Reactive(_));
    let hint = t!("Compacts if the provider reported a large prompt, or rejected one as too long.");
    let read = |policy: &Policy| policy.triggers.iter().any(|trigger| IS(without_phase(trigger)));
    Switch::new("reactive", t!("In the tool loop"), hint, read, |policy, on| {
        set_trigger(policy, on, IS, Trigger::Reactive(Reactive::default()));
    })
}

/// The thresholds and sizes of the trigger in the tool loop.
pub(super) fn reactive_fields() -> [TextField; 5] {
    let of = |policy: &Policy| {
        policy.triggers.iter().find_map(|trigger| match without_phase(trigger) {
            Trigger::Reactive(reactive) => Some(*reactive),
            _ => None,
        })
    };
    let each = |policy: &mut Policy, change: &dyn Fn(&mut Reactive)| {
        for trigger in &mut policy.triggers {
            if let Trigger::Reactive(reactive) = without_phase_mut(trigger) {
                change(reactive);
            }
        }
    };
    let share = |name: &str, label, part: fn(&mut Reactive) -> &mut f64| {
        let read = move |policy: &Policy| {
            of(policy).map(|mut reactive| percentage(*part(&mut reactive))).unwrap_or_default()
        };
        TextField::new(format!("reactive.{name}"), label, "%", read, move |policy, text| {
            let share = percent(text)?;
            each(policy, &|reactive| *part(reactive) = share);
            Ok(())
        })
    };
    let number = |name: &str, label, unit, part: fn(&mut Reactive) -> &mut u32| {
        let read = move |policy: &Policy| {
            of(policy).map(|mut reactive| part(&mut reactive).to_string()).unwrap_or_default()
        };
        TextField::new(format!("reactive.{name}"), label, unit, read, move |policy, text| {
            let number = whole(text)?;
            each(policy, &|reactive| *part(reactive) = number);
            Ok(())
        })
    };
    [
        share("microFraction", t!("Micro compaction at"), |reactive| &mut reactive.micro_fraction)
            .about(t!("From here on, only the oldest steps of the work are summarized.")),
        share("fullFraction", t!("Full compaction at"), |reactive| &mut reactive.full_fraction)
            .about(t!("From here on, all is summarized that may be.")),
        number("microBatchRounds", t!("A micro compaction takes"), t!("rounds"), |reactive| {
            &mut reactive.micro_batch_rounds
        })
        .about(t!("How many of the oldest steps it summarizes; a round is one answer with its tool results.")),
        number("keepRounds", t!("Keep the latest"), t!("rounds"), |reactive| &mut reactive.keep_rounds)
            .about(t!("How many of the latest steps always stay word for word.")),
        number("maxPerRequest", t!("At most"), t!("per request"), |reactive| &mut reactive.max_per_request)
            .about(t!("How many compactions one request of the user may cause.")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::field::OTHER;

    #[test]
    fn the_main_trigger_changes_its_kind_and_the_others_stay() {
        let mut policy = Policy::recommended(100_000);
        trigger_kind().write(&mut policy, "tokens");
        assert_eq!(policy.triggers.first(), Some(&Trigger::Tokens(75_000)));
        assert!(policy.reactive().is_some());
        threshold_tokens().write(&mut policy, "60,000").unwrap();
        assert_eq!(policy.threshold(), Some(60_000));
        trigger_kind().write(&mut policy, "messages");
        threshold_messages().write(&mut policy, "7").unwrap();
        assert_eq!(threshold_messages().read(&policy), "7");
    }

    #[test]
    fn a_main_trigger_is_tied_to_a_phase_and_released() {
        let mut policy = Policy::workstream(200_000);
        assert_eq!(main_kind(&policy), Some(TriggerKind::Budget));
        assert_eq!(phase().read(&policy), "turnEnd");
        safety_margin().write(&mut policy, "9000").unwrap();
        phase().write(&mut policy, "any");
        let budget = Budget { safety_margin: 9_000, ..Budget::default() };
        assert_eq!(policy.triggers, [Trigger::Budget(budget)]);
    }

    #[test]
    fn triggers_that_only_the_json_can_express_are_left_alone() {
        let both = Trigger::All(vec![Trigger::Tokens(10), Trigger::Messages(3)]);
        let mut policy = Policy { triggers: vec![both.clone()], ..Policy::recommended(100) };
        assert_eq!(trigger_kind().read(&policy), OTHER);
        trigger_kind().write(&mut policy, OTHER);
        reactive().write(&mut policy, true);
        assert_eq!(policy.triggers.first(), Some(&both));
    }

    #[test]
    fn turning_the_last_trigger_off_leaves_manual_compaction() {
        let mut policy = Policy::request(200_000);
        request_boundary().write(&mut policy, false);
        reactive().write(&mut policy, false);
        assert_eq!(policy.triggers, [Trigger::Manual]);
        let [share, ..] = reactive_fields();
        reactive().write(&mut policy, true);
        share.write(&mut policy, "60").unwrap();
        assert_eq!(policy.reactive().map(|reactive| reactive.micro_fraction), Some(0.6));
    }
}
