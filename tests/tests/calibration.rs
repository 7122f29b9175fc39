//! The error of estimated prompt tokens against the provider's count, before and after calibration by its counts.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use epitome::message::{Message, MessageId, Role, Usage};
use epitome::tokens::{BoxedTokenizer, CharactersPer, MeterTokens, Tokenizer};
use epitome::{Compactor, Policy};
use epitome_formats::Format;
use epitome_tests::{Conversation, fixture, recordings};
use epitome_tokens::{Estimate, Family};
use serde_json::Value;

/// Errors over the prompts of a conversation from the second on, each estimated before its count was reported. Pairs
/// hold the error of the uncalibrated estimate, then of the calibrated one.
#[derive(Debug, Default)]
struct Errors {
    prompts: u32,
    /// The sum of the relative errors of whole prompts.
    whole: [f64; 2],
    /// The sum of the errors in tokens of what was appended since the last report.
    since: [f64; 2],
    /// The sum of the tokens that were really appended.
    appended: f64,
}

impl Errors {
    fn of_whole(&self) -> [f64; 2] {
        self.whole.map(|sum| sum / f64::from(self.prompts))
    }

    fn of_since(&self) -> [f64; 2] {
        self.since.map(|sum| sum / self.appended)
    }
}

/// Appends message after message, and estimates every prompt before its count is reported. `reported` gives the
/// counts of the prompt that a message answers, and of that message.
fn follow(
    conversation: &Conversation,
    tokenizer: BoxedTokenizer,
    mut reported: impl FnMut(usize, &Value) -> Option<Usage>,
) -> (Compactor, Errors) {
    let Conversation { format, messages, .. } = conversation;
    let policy = Policy::recommended(2_000_000);
    let mut compactor = Compactor::new(policy.clone(), format.contract(), tokenizer).unwrap();
    let mut errors = Errors::default();
    let mut last: Option<(Usage, u32)> = None;
    for (index, message) in messages.iter().enumerate() {
        let usage = reported(index, message);
        let counted = compactor.conversation().counted_tokens().get();
        let scale = compactor.conversation().scale(&policy);
        if let Some(usage) = usage {
            let prompt = f64::from(usage.prompt_tokens);
            let error = |tokens: u32| (f64::from(tokens) - prompt).abs();
            if let Some((last, at)) = last {
                errors.prompts += 1;
                errors.whole[0] += error(counted) / prompt;
                errors.whole[1] += error(scale.prompt_tokens(MeterTokens::new(counted))) / prompt;
                let (since, before) = (counted - at, last.prompt_tokens);
                errors.since[0] += error(before.saturating_add(since));
                errors.since[1] +=
                    error(before.saturating_add(scale.to_provider(MeterTokens::new(since))));
                errors.appended += (prompt - f64::from(before)).abs();
            }
            last = Some((usage, counted));
        }
        let id = MessageId::from(format!("m{index}"));
        for step in format.read(&id, message).unwrap().messages {
            compactor.append(step).unwrap();
        }
        if let Some(usage) = usage {
            compactor.handle_usage(usage);
        }
    }
    (compactor, errors)
}

fn found<'a>(recordings: &'a [Conversation], id: &str) -> &'a Conversation {
    recordings.iter().find(|conversation| conversation.name.contains(id)).unwrap()
}

/// What Claude counted, as the recorded session has it in each message.
fn recorded_usage(message: &Value) -> Option<Usage> {
    let family = message.pointer("/modelInfo/family").and_then(Value::as_str);
    let metrics = message.get("metrics").filter(|_| family == Some("claude-opus"))?;
    epitome_formats::read_usage(metrics)
}

/// The most that an error may be for a tokenizer: of what was appended since the last report.
type Limits = [(&'static str, BoxedTokenizer, f64); 3];

fn limits(claude: f64, o200k: f64, characters: f64) -> Limits {
    [
        ("claude", Box::new(Estimate(Family::Claude)), claude),
        ("o200k_base", Box::new(Estimate(Family::O200kBase)), o200k),
        ("characters / 4", Box::new(CharactersPer(4)), characters),
    ]
}

/// Follows a session with each tokenizer, and demands errors below these limits after calibration.
fn check_session(
    session: &Conversation,
    reported: impl Fn(usize, &Value) -> Option<Usage>,
    limits: Limits,
) {
    assert_eq!(session.format, Format::Anthropic);
    println!("{}: whole prompts, what was appended, scale", session.name);
    for (name, tokenizer, limit) in limits {
        let (compactor, errors) = follow(session, tokenizer, &reported);
        let (whole, since) = (errors.of_whole(), errors.of_since());
        let conversation = compactor.conversation();
        println!(
            "{name:14} {:7.1} → {:4.1} %    {:7.1} → {:4.1} %    {:?}",
            whole[0] * 100.0,
            whole[1] * 100.0,
            since[0] * 100.0,
            since[1] * 100.0,
            conversation.scale(compactor.policy()),
        );
        assert!(errors.prompts >= 14, "{name}: {errors:?}");
        assert!(whole[0] > 0.5, "{name}: system prompt and tools are not messages of this session");
        assert!(whole[1] < 0.03, "{name}: {errors:?}");
        assert!(since[1] < limit, "{name}: {errors:?}");
    }
}

#[test]
fn a_session_with_claude_is_predicted_closely_after_reports_of_usage() {
    // Its 16 prompts are few to learn from, so that what each turn appends is predicted less closely than below.
    let session = fixture("anthropic-weather-station");
    check_session(
        &session,
        |index, _| session.usage.get(&index).copied(),
        limits(0.12, 0.28, 0.33),
    );
    let Some(recordings) = recordings() else { return };
    let session = found(&recordings, "cline-session-messages");
    check_session(session, |_, message| recorded_usage(message), limits(0.08, 0.15, 0.30));
}

/// Follows a session whose provider counts by another tokenizer and adds these tokens for its system prompt and tools,
/// and demands errors below the limits for whole prompts and for what was appended since the last report.
fn check_long_session(session: &Conversation, overhead: u32, [whole, since]: [f64; 2]) -> Errors {
    let provider = Estimate(Family::Claude);
    let policy = Policy::recommended(2_000_000);
    let contract = session.format.contract();
    let mut reference = Compactor::new(policy, contract, Box::new(provider)).unwrap();
    let reported = |index: usize, message: &Value| {
        let prompt_tokens = reference.conversation().counted_tokens().get() + overhead;
        let id = MessageId::from(format!("m{index}"));
        for step in session.format.read(&id, message).unwrap().messages {
            reference.append(step).unwrap();
        }
        let answers = message.get("role").and_then(Value::as_str) == Some("assistant");
        answers.then(|| Usage { prompt_tokens, ..Usage::default() })
    };
    let (mut compactor, errors) = follow(session, Box::new(Estimate(Family::O200kBase)), reported);
    let text = "And then? ".repeat(2_000);
    let before = compactor.pressure().tokens;
    compactor.append(Message::new("last", Role::User, &text)).unwrap();
    let pressure = compactor.pressure();
    let real = provider.count(&text) + provider.overhead().message;
    let off = f64::from((pressure.tokens - before).abs_diff(real)) / f64::from(pressure.tokens);
    assert!(off <= pressure.error_band, "{off} and {}", pressure.error_band);
    println!(
        "{}: {:.3?} of whole prompts, {:.3?} of what was appended, error band {:.4} at the end",
        session.name,
        errors.of_whole(),
        errors.of_since(),
        pressure.error_band
    );
    assert!(errors.of_whole()[0] > 0.2, "{errors:?}");
    assert!(errors.of_whole()[1] < whole && errors.of_since()[1] < since, "{errors:?}");
    errors
}

#[test]
fn a_long_session_is_predicted_within_the_error_band() {
    let session = fixture("anthropic-weather-station");
    let errors = check_long_session(&session, 5_000, [0.03, 0.28]);
    assert!(errors.prompts >= 14, "{errors:?}");
    let Some(recordings) = recordings() else { return };
    // The texts are real; the counts are those of another tokenizer.
    let session = found(&recordings, "anthropic-messages-pi-long-session");
    let errors = check_long_session(session, 20_000, [0.03, 0.08]);
    assert!(errors.prompts > 400, "{errors:?}");
    assert!(errors.of_since()[1] < errors.of_since()[0] / 2.0, "{errors:?}");
}
