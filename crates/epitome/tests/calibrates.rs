//! What the provider counts teaches the meter, and thresholds, plans and reports are in its tokens from then on.
#![allow(clippy::unwrap_used, reason = "a scenario that cannot go on should stop")]

mod stage;

use epitome::message::{Message, Role, Usage};
use epitome::meter::{CharactersPer, Level};
use epitome::policy::Policy;
use epitome::{Compactor, Contract, Reason, Snapshot};
use stage::{applied, compact};

/// A provider whose tokens are these percent of the meter's, beside so many that are no message.
#[derive(Clone, Copy)]
struct Provider {
    percent: u32,
    beside: u32,
}

const CLAUDE_LIKE: Provider = Provider { percent: 130, beside: 1_500 };

impl Provider {
    fn counts(self, counted: u32) -> u32 {
        counted * self.percent / 100 + self.beside
    }

    /// Tokens of what would be sent now.
    fn view(self, compactor: &Compactor) -> u32 {
        self.counts(compactor.conversation().counted_tokens())
    }

    /// A person asks, and the model answers; the provider says what that took.
    fn turn(self, compactor: &mut Compactor, number: u32) {
        let text = format!("turn {number} of the garden, ");
        let said = |id: String, role| Message::new(id, role, text.repeat(20));
        compactor.append(said(format!("q{number}"), Role::User)).unwrap();
        let prompt_tokens = self.view(compactor);
        compactor.append(said(format!("a{number}"), Role::Assistant)).unwrap();
        let completion_tokens = self.view(compactor) - prompt_tokens;
        compactor.handle_usage(Usage { prompt_tokens, completion_tokens, ..Usage::default() });
    }
}

fn policy() -> Policy {
    Policy::recommended(12_000)
}

fn empty(policy: Policy) -> Compactor {
    Compactor::new(policy, Contract::default(), Box::new(CharactersPer(4))).unwrap()
}

/// A conversation that a provider has counted at every turn, as far as to its threshold.
fn full(provider: Provider) -> Compactor {
    let mut compactor = empty(policy());
    for number in 0..1_000 {
        if compactor.pressure().level == Level::Compact {
            break;
        }
        provider.turn(&mut compactor, number);
    }
    compactor
}

fn near(found: u32, real: u32, percent: u32) {
    assert!(found.abs_diff(real) <= real * percent / 100, "{found}, and really {real}");
}

#[test]
fn a_compaction_comes_down_in_the_provider_s_tokens() {
    for provider in [
        CLAUDE_LIKE,
        Provider { percent: 100, beside: 0 },
        Provider { percent: 75, beside: 800 },
        Provider { percent: 180, beside: 100 },
    ] {
        let mut compactor = full(provider);
        let plan = compactor.plan(Reason::Threshold);
        assert!(plan.tokens_after <= compactor.pressure().target);
        near(plan.tokens_before, provider.view(&compactor), 3);
        let report = compact(&mut compactor).unwrap();
        assert!(applied(&report));
        // No reading is there any more, and what was learned is.
        let pressure = compactor.pressure();
        assert_eq!((pressure.tokens, pressure.exact), (report.tokens_after, false));
        let real = provider.view(&compactor);
        near(pressure.tokens, real, 10);
        assert!(real < pressure.threshold.unwrap() && pressure.level != Level::Compact);
        assert!(pressure.error_band < 0.1, "{}", pressure.error_band);
        let filled = pressure.breakdown;
        let parts = [filled.tools, filled.summary, filled.user, filled.assistant, filled.results];
        assert!(parts.iter().sum::<u32>().abs_diff(pressure.tokens) <= 3, "{pressure:?}");
    }
}

#[test]
fn what_came_after_a_reading_is_added_as_the_provider_would_count_it() {
    let mut compactor = full(CLAUDE_LIKE);
    let before = compactor.pressure();
    assert_eq!((before.exact, before.error_band), (true, 0.0));
    let output = "a line of a log, and another\n".repeat(200);
    compactor.append(Message::new("log", Role::User, output)).unwrap();
    let after = compactor.pressure();
    assert!(!after.exact && after.error_band > 0.0);
    near(after.tokens - before.tokens, CLAUDE_LIKE.view(&compactor) - before.tokens, 3);
}

#[test]
fn one_reading_of_something_else_is_shown_and_not_believed() {
    let mut compactor = full(CLAUDE_LIKE);
    let odd = Usage { prompt_tokens: 11_990, completion_tokens: 5, ..Usage::default() };
    compactor.handle_usage(odd);
    assert_eq!(compactor.pressure().tokens, 11_995);
    assert!(applied(&compact(&mut compactor).unwrap()));
    near(compactor.pressure().tokens, CLAUDE_LIKE.view(&compactor), 10);
}

#[test]
fn a_conversation_goes_on_from_a_snapshot_as_it_would_have_without() {
    let mut compactor = full(CLAUDE_LIKE);
    let text = compactor.snapshot().to_json().unwrap();
    let snapshot = Snapshot::from_json(&text).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    for one in [&mut compactor, &mut restored] {
        CLAUDE_LIKE.turn(one, 2_000);
        assert!(applied(&compact(one).unwrap()));
        CLAUDE_LIKE.turn(one, 2_001);
    }
    assert_eq!(restored.pressure(), compactor.pressure());
    assert!(restored.snapshot() == compactor.snapshot());
}

#[test]
fn each_model_is_learned_about_by_its_name() {
    let named = |name: &str| Policy { model: Some(name.into()), ..policy() };
    let mut compactor = empty(named("large"));
    for number in 0..10 {
        CLAUDE_LIKE.turn(&mut compactor, number);
    }
    let large = CLAUDE_LIKE.view(&compactor);
    assert_eq!(compactor.pressure().tokens, large);
    compactor.set_policy(named("small")).unwrap();
    let counted = compactor.conversation().counted_tokens();
    assert_eq!(compactor.pressure().tokens, counted, "nothing is known of it yet");
    compactor.set_policy(named("large")).unwrap();
    near(compactor.pressure().tokens, large, 3);
    assert!(!compactor.pressure().exact, "the reading was of before");
}

#[test]
fn counting_by_something_else_begins_to_learn_anew() {
    let mut compactor = full(CLAUDE_LIKE);
    assert!(applied(&compact(&mut compactor).unwrap()));
    compactor.count_by(Box::new(CharactersPer(2)));
    let counted = compactor.conversation().counted_tokens();
    assert_eq!(compactor.pressure().tokens, counted);
}
