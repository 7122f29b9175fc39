//! Policies as apps write them, in JSON and in YAML: refused with the name of a field, or they work.

use epitome::message::{Message, Role};
use epitome::policy::{PRESETS, PolicySpec, YamlPolicy};
use epitome::tokens::CharactersPer;
use epitome::{Compactor, Contract, Policy, Reason};

use crate::choices::Choices;
use crate::json::damage;
use crate::random::policy::PHASES;
use crate::snapshot::settle;

const WORDS: [&str; 47] = [
    "preset",
    "window",
    "modelWindow",
    "agents",
    "triggers",
    "keep",
    "reducers",
    "summary",
    "retry",
    "counting",
    "budget",
    "fill",
    "fraction",
    "prepareAt",
    "maxTokens",
    "outputReserve",
    "safetyMargin",
    "tokens",
    "messages",
    "requestBoundary",
    "reactive",
    "all",
    "any",
    "at",
    "phase",
    "always",
    "manual",
    "when",
    "turns",
    "kind",
    "truncateToolResults",
    "clearToolInputs",
    "clearToolResults",
    "offloadToolResults",
    "excerptLastRequest",
    "clearAtLeast",
    "prompt",
    "input",
    "fallback",
    "attempts",
    "target",
    "model",
    "recommended",
    "team",
    "loop",
    "request",
    "",
];

/// The first byte says how the policy is written.
pub(crate) fn check(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let spec = match choices.below(4) {
        0 => serde_json::from_str(&choices.rest_as_text()).ok(),
        1 => {
            let text = choices.rest_as_text();
            let _ = YamlPolicy::from_front_matter(&text, &["compaction"]);
            let read = YamlPolicy::from_yaml(&text, &[]);
            read.ok().flatten().map(|policy| policy.spec().clone())
        }
        _ => {
            let window = u32::from(choices.byte()) * 40;
            let preset = Policy::preset(choices.one_of(&PRESETS), window);
            let mut document = serde_json::to_value(preset).unwrap_or_default();
            damage(&mut document, &mut choices, &WORDS);
            serde_json::from_value::<PolicySpec>(document).ok()
        }
    };
    let Some(spec) = spec else { return };
    let _ = spec.draft();
    match spec.resolve() {
        Ok(policy) => works(policy, &mut choices),
        Err(error) => assert!(!error.problem.is_empty(), "{error:?}"),
    }
}

/// A policy that was accepted plans and compacts.
fn works(policy: Policy, choices: &mut Choices<'_>) {
    let text = serde_json::to_value(&policy).unwrap_or_default();
    let again: Result<Policy, _> = serde_json::from_value(text.clone());
    assert_eq!(again.ok().as_ref(), Some(&policy), "written and read: {text}");
    let compactor = Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4)));
    let Ok(mut compactor) = compactor else { return };
    for turn in 0..30_u32 {
        let role = if turn % 2 == 0 { Role::User } else { Role::Assistant };
        let text = format!("{turn} of what was said about the garden. ").repeat(turn as usize % 7);
        assert_eq!(compactor.append(Message::new(format!("m{turn}"), role, text)), Ok(()));
    }
    let _ = compactor.plan(Reason::Manual);
    for phase in PHASES {
        if let Some(reason) = compactor.check(phase) {
            let _ = compactor.compact(reason, None);
            settle(&mut compactor, choices);
        }
    }
}
