//! How near the estimate comes to what a provider counts next, before and after it has learned from its counts.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test that cannot go on should stop, and say what it saw"
)]

use epitome::message::{MessageId, Usage};
use epitome::tokens::{BoxedTokenizer, CharactersPer, MeterTokens, Tokenizer};
use epitome::{Compactor, Policy};
use epitome_formats::Format;
use epitome_tests::{Conversation, recordings};
use epitome_tokens::{Estimate, Family};
use serde_json::Value;

/// Mean errors over the prompts of a conversation from the second on, each by what was known before it was
/// counted.
#[derive(Debug, Default)]
struct Errors {
    prompts: u32,
    /// Of whole prompts, relative: by the meter alone, and on its scale.
    whole: [f64; 2],
    /// Of what was appended since the last reading, added up: the same, and what it really was.
    since: [f64; 2],
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

/// Appends message after message, and has the provider's count of every prompt predicted before it is told.
/// `told` is that count for the prompt that a message answers, and that of its answer.
fn follow(
    conversation: &Conversation,
    tokenizer: BoxedTokenizer,
    mut told: impl FnMut(usize, &Value) -> Option<Usage>,
) -> (Compactor, Errors) {
    let Conversation { format, messages, .. } = conversation;
    let policy = Policy::recommended(2_000_000);
    let mut compactor = Compactor::new(policy.clone(), format.contract(), tokenizer).unwrap();
    let mut errors = Errors::default();
    let mut last: Option<(Usage, u32)> = None;
    for (index, message) in messages.iter().enumerate() {
        let usage = told(index, message);
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
        for piece in format.read(&id, message).unwrap().messages {
            compactor.append(piece).unwrap();
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

/// What Claude counted, as the session tells.
fn recorded(message: &Value) -> Option<Usage> {
    let family = message.pointer("/modelInfo/family").and_then(Value::as_str);
    let metrics = message.get("metrics").filter(|_| family == Some("claude-opus"))?;
    epitome_formats::read_usage(metrics)
}

#[test]
fn a_recorded_session_with_claude_is_predicted_closely_once_it_was_counted() {
    let Some(recordings) = recordings() else { return };
    let session = found(&recordings, "cline-session-messages");
    assert_eq!(session.format, Format::Anthropic);
    println!("                  whole prompts        what was appended    scale");
    for (name, tokenizer, since) in [
        ("claude", Box::new(Estimate(Family::Claude)) as BoxedTokenizer, 0.08),
        ("o200k_base", Box::new(Estimate(Family::O200kBase)), 0.15),
        ("characters / 4", Box::new(CharactersPer(4)), 0.30),
    ] {
        let (compactor, errors) = follow(session, tokenizer, |_, message| recorded(message));
        let (whole, of_since) = (errors.of_whole(), errors.of_since());
        let conversation = compactor.conversation();
        let policy = compactor.policy();
        println!(
            "{name:14} {:7.1} → {:4.1} %    {:7.1} → {:4.1} %    {:?}",
            whole[0] * 100.0,
            whole[1] * 100.0,
            of_since[0] * 100.0,
            of_since[1] * 100.0,
            conversation.scale(policy),
        );
        assert!(errors.prompts >= 14);
        assert!(whole[0] > 0.5, "system prompt and tools are no messages of this session");
        assert!(whole[1] < 0.03, "{name}: {errors:?}");
        assert!(of_since[1] < since, "{name}: {errors:?}");
    }
}

#[test]
fn a_long_session_is_predicted_within_the_band_that_is_told() {
    let Some(recordings) = recordings() else { return };
    let session = found(&recordings, "anthropic-messages-pi-long-session");
    // The texts are real; the counts are those of another tokenizer, beside 20,000 tokens that are not seen.
    let provider = Estimate(Family::Claude);
    let mut reference = Compactor::new(
        Policy::recommended(2_000_000),
        Format::Anthropic.contract(),
        Box::new(provider),
    )
    .unwrap();
    let told = |index: usize, message: &Value| {
        let prompt_tokens = reference.conversation().counted_tokens().get() + 20_000;
        let id = MessageId::from(format!("m{index}"));
        for piece in Format::Anthropic.read(&id, message).unwrap().messages {
            reference.append(piece).unwrap();
        }
        let answers = message.get("role").and_then(Value::as_str) == Some("assistant");
        answers.then(|| Usage { prompt_tokens, ..Usage::default() })
    };
    let (compactor, errors) = follow(session, Box::new(Estimate(Family::O200kBase)), told);
    let (whole, since) = (errors.of_whole(), errors.of_since());
    let band = {
        let mut compactor = compactor;
        let text = "And then? ".repeat(2_000);
        let message = epitome::message::Message::new("last", epitome::message::Role::User, &text);
        let before = compactor.pressure().tokens;
        compactor.append(message).unwrap();
        let pressure = compactor.pressure();
        let real = provider.count(&text) + provider.overhead().message;
        let off = f64::from((pressure.tokens - before).abs_diff(real)) / f64::from(pressure.tokens);
        assert!(off <= pressure.error_band, "{off} and {}", pressure.error_band);
        pressure.error_band
    };
    println!("{whole:.3?} of whole prompts, {since:.3?} of what was appended, band left {band:.4}");
    assert!(errors.prompts > 400 && whole[0] > 0.2);
    assert!(whole[1] < 0.03 && since[1] < 0.08 && since[1] < since[0] / 2.0, "{errors:?}");
}
