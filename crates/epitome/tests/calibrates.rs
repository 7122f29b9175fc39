//! Tokens that the provider reports calibrate the counts; thresholds, plans and reports are then in its tokens.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]

use crate::harness;

use epitome::history::Edit;
use epitome::message::{Message, Part, Role, Usage};
use epitome::policy::Policy;
use epitome::tokens::{CharactersPer, Tokenizer};
use epitome::{Compactor, Contract, Reason, Snapshot};
use epitome::{Level, Pressure};
use harness::{applied, compact};

/// A provider that counts this percentage of the meter's tokens, and this many overhead tokens for each request.
#[derive(Clone, Copy)]
struct Provider {
    percent: u32,
    overhead: u32,
}

const CLAUDE_LIKE: Provider = Provider { percent: 130, overhead: 1_500 };

impl Provider {
    fn counts(self, counted: u32) -> u32 {
        counted * self.percent / 100 + self.overhead
    }

    /// Tokens of a request with the current view.
    fn view(self, compactor: &Compactor) -> u32 {
        self.counts(compactor.conversation().counted_tokens().get())
    }

    /// Adds a user message and an answer, and reports the tokens of that request.
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

/// A conversation up to its threshold, with a usage report for every turn.
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
fn a_compaction_meets_the_target_in_provider_tokens() {
    for provider in [
        CLAUDE_LIKE,
        Provider { percent: 100, overhead: 0 },
        Provider { percent: 75, overhead: 800 },
        Provider { percent: 180, overhead: 100 },
    ] {
        let mut compactor = full(provider);
        let plan = compactor.plan(Reason::Threshold);
        assert!(plan.tokens_after <= compactor.pressure().target);
        near(plan.tokens_before, provider.view(&compactor), 3);
        let report = compact(&mut compactor).unwrap();
        assert!(applied(&report));
        // The usage report is gone after the compaction, but the calibration stays.
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
fn messages_after_a_usage_report_are_added_in_provider_tokens() {
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
fn one_odd_usage_report_is_shown_but_not_used_for_calibration() {
    let mut compactor = full(CLAUDE_LIKE);
    let odd = Usage { prompt_tokens: 11_990, completion_tokens: 5, ..Usage::default() };
    compactor.handle_usage(odd);
    assert_eq!(compactor.pressure().tokens, 11_995);
    assert!(applied(&compact(&mut compactor).unwrap()));
    near(compactor.pressure().tokens, CLAUDE_LIKE.view(&compactor), 10);
}

#[test]
fn a_restored_conversation_keeps_its_calibration() {
    let mut compactor = full(CLAUDE_LIKE);
    let text = compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&text).unwrap();
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
fn each_model_has_its_own_calibration() {
    let named = |name: &str| Policy { model: Some(name.into()), ..policy() };
    let mut compactor = empty(named("large"));
    for number in 0..10 {
        CLAUDE_LIKE.turn(&mut compactor, number);
    }
    let large = CLAUDE_LIKE.view(&compactor);
    assert_eq!(compactor.pressure().tokens, large);
    compactor.set_policy(named("small")).unwrap();
    let counted = compactor.conversation().counted_tokens();
    assert_eq!(compactor.pressure().tokens, counted.get(), "nothing is calibrated for it yet");
    compactor.set_policy(named("large")).unwrap();
    near(compactor.pressure().tokens, large, 3);
    assert!(!compactor.pressure().exact, "the reading was of before");
}

#[test]
fn another_tokenizer_starts_a_new_calibration() {
    let mut compactor = full(CLAUDE_LIKE);
    assert!(applied(&compact(&mut compactor).unwrap()));
    compactor.count_by(Box::new(CharactersPer(2)));
    let counted = compactor.conversation().counted_tokens();
    assert_eq!(compactor.pressure().tokens, counted.get());
}

/// A provider that counts more tokens for Chinese than for English, compared with the meter.
#[derive(Clone, Copy)]
struct ByScript {
    english_percent: u32,
    chinese_percent: u32,
}

impl ByScript {
    fn counts(self, text: &str) -> u32 {
        const MESSAGE: u32 = 4;
        let tokens = CharactersPer(4).count(text);
        let percent = if text.is_ascii() { self.english_percent } else { self.chinese_percent };
        (tokens * percent + MESSAGE * self.english_percent) / 100
    }

    /// Tokens of a request with the current view, and 900 overhead tokens.
    fn view(self, compactor: &Compactor) -> u32 {
        let log = compactor.log();
        let text = |edit: &Edit| -> String {
            let parts = match edit {
                Edit::Keep(id) => &log.message(log.position(id).unwrap()).unwrap().parts,
                Edit::Insert { parts, .. } => parts,
                Edit::Replace { .. } => panic!("nothing is rewritten here"),
            };
            let said = |part: &Part| match part {
                Part::Text { text } => text.clone(),
                other => panic!("nothing is here but text: {other:?}"),
            };
            parts.iter().map(said).collect()
        };
        900 + compactor.view().edits.iter().map(|edit| self.counts(&text(edit))).sum::<u32>()
    }

    /// Adds a user message and an answer, in one language for three turns and in the other for the next three.
    fn turn(self, compactor: &mut Compactor, number: u32) {
        let text = match number / 3 % 2 {
            0 => format!("turn {number} of the garden, ").repeat(16),
            _ => format!("关于花园的第{number}次谈话，我们说到玫瑰和雨水。").repeat(9),
        };
        for (name, role) in [("q", Role::User), ("a", Role::Assistant)] {
            compactor.append(Message::new(format!("{name}{number}"), role, &text)).unwrap();
        }
        let completion_tokens = self.counts(&text);
        let prompt_tokens = self.view(compactor) - completion_tokens;
        compactor.handle_usage(Usage { prompt_tokens, completion_tokens, ..Usage::default() });
    }

    /// A conversation in two languages up to its threshold, with a usage report for every turn.
    fn full(self) -> Compactor {
        let mut compactor = empty(policy());
        for number in 0..1_000 {
            if compactor.pressure().level == Level::Compact {
                break;
            }
            self.turn(&mut compactor, number);
        }
        compactor
    }
}

const CHINESE_IS_DEAR: ByScript = ByScript { english_percent: 90, chinese_percent: 170 };

#[test]
fn each_script_is_calibrated_and_compactions_use_that() {
    for provider in [CHINESE_IS_DEAR, ByScript { english_percent: 140, chinese_percent: 80 }] {
        let mut compactor = provider.full();
        near(compactor.plan(Reason::Threshold).tokens_before, provider.view(&compactor), 3);
        let plan = compactor.plan(Reason::Threshold);
        let report = compact(&mut compactor).unwrap();
        assert!(applied(&report) && plan.tokens_after <= compactor.pressure().target);
        let pressure = compactor.pressure();
        assert_eq!((pressure.tokens, pressure.exact), (report.tokens_after, false));
        near(pressure.tokens, provider.view(&compactor), 6);
        for (id, text) in [
            ("en", "what is left of the garden ".repeat(40)),
            ("zh", "花园还剩下什么呢。".repeat(60)),
        ] {
            let before = compactor.pressure().tokens;
            compactor.append(Message::new(id, Role::User, &text)).unwrap();
            near(compactor.pressure().tokens - before, provider.counts(&text), 12);
        }
    }
}

#[test]
fn a_usage_report_is_not_used_after_a_compaction_in_any_script() {
    let mut compactor = CHINESE_IS_DEAR.full();
    assert!(compactor.pressure().exact);
    assert!(applied(&compact(&mut compactor).unwrap()));
    let scale = compactor.conversation().scale(compactor.policy());
    let counted = compactor.conversation().counted_tokens();
    assert_eq!(compactor.pressure().tokens, scale.prompt_tokens(counted));
    let sent_before = Usage { prompt_tokens: 11_000, epoch: Some(0), ..Usage::default() };
    compactor.handle_usage(sent_before);
    assert_eq!(
        compactor.pressure().tokens,
        scale.prompt_tokens(counted),
        "the report is of the view before"
    );
}

#[test]
fn a_restored_conversation_in_two_languages_keeps_its_calibration() {
    let mut compactor = CHINESE_IS_DEAR.full();
    let text = compactor.snapshot().to_json_lines().unwrap();
    let snapshot = Snapshot::from_json_lines(&text).unwrap();
    let mut restored =
        Compactor::restore(snapshot, Contract::default(), Box::new(CharactersPer(4))).unwrap();
    assert_eq!(restored.pressure(), compactor.pressure());
    for one in [&mut compactor, &mut restored] {
        CHINESE_IS_DEAR.turn(one, 2_000);
        assert!(applied(&compact(one).unwrap()));
        CHINESE_IS_DEAR.turn(one, 2_003);
    }
    assert_eq!(restored.pressure(), compactor.pressure());
    assert!(restored.snapshot() == compactor.snapshot());
}

#[test]
fn k3_an_estimate_of_a_few_words_is_less_certain_than_that_of_a_long_text() {
    let band = |words: usize| {
        let mut compactor = empty(policy());
        compactor.append(Message::new("m", Role::User, "word ".repeat(words))).unwrap();
        compactor.pressure().error_band
    };
    let (few, many, most) = (band(20), band(2_000), band(200_000));
    assert!(few > many && many > most, "{few}, {many}, {most}");
    assert!(few > 0.3 && many - most < 0.01, "{few}, {many}, {most}");
}

#[test]
fn a_script_without_usage_reports_keeps_its_wide_error_band() {
    let english = ByScript { english_percent: 110, chinese_percent: 110 };
    let mut compactor = empty(policy());
    for number in [0, 1, 2, 6, 7, 8, 12, 13, 14] {
        english.turn(&mut compactor, number);
    }
    let mut band = |id: &str, text: String| {
        let before = compactor.pressure();
        compactor.append(Message::new(id, Role::User, text)).unwrap();
        let pressure = compactor.pressure();
        let came = f64::from(pressure.tokens - before.tokens);
        // How much each message widens the error band, compared with its own tokens.
        let uncertain = |pressure: &Pressure| pressure.error_band * f64::from(pressure.tokens);
        (uncertain(&pressure) - uncertain(&before)) / came
    };
    let english = band("en", "what is left of the garden ".repeat(40));
    let chinese = band("zh", "花园还剩下什么呢。".repeat(100));
    assert!(english < 0.15 && chinese > 0.5, "{english} and {chinese}");
}
