//! Which form field shows an error of the engine.

use epitome::Policy;

use super::field::Options as _;
use super::reducers::ReducerKind;
use super::triggers::trigger_field;

/// The name of the form field for a field of the policy: `reactive.microFraction` for
/// `triggers[1].reactive.microFraction`. Fields outside of lists have the same name in both.
pub(super) fn form_field(policy: &Policy, field: &str) -> String {
    if let Some((index, rest)) = indexed(field, "triggers[") {
        return match policy.triggers.get(index) {
            Some(trigger) => trigger_field(trigger, rest),
            None => "triggers".to_owned(),
        };
    }
    if let Some((index, rest)) = indexed(field, "reducers[") {
        let kind = policy.reducers.get(index).map(|rule| ReducerKind::of(&rule.reducer).name());
        let kind = kind.unwrap_or_default();
        let part = rest.strip_prefix(".reducer.").and_then(|part| part.split_once('.'));
        return match part {
            Some((_, part)) => format!("{kind}.{part}"),
            None => format!("{kind}.when.share"),
        };
    }
    field.to_owned()
}

/// The index in brackets, and the text after it.
fn indexed<'a>(field: &'a str, before: &str) -> Option<(usize, &'a str)> {
    let (index, rest) = field.strip_prefix(before)?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::policy::{Fill, OffloadToolResults, Reactive, Reducer, ReducerRule, Trigger};

    fn check(policy: &Policy, expected: &str) {
        let error = policy.check().unwrap_err();
        assert_eq!(form_field(policy, &error.field), expected, "{error}");
    }

    #[test]
    fn an_error_is_shown_at_the_field_with_the_wrong_value() {
        let recommended = || Policy::recommended(100_000);
        check(&Policy { window: 0, ..recommended() }, "window");
        let fill = |fraction| Trigger::Fill(Fill { fraction, max_tokens: 0 });
        check(&Policy { triggers: vec![fill(0.0)], ..recommended() }, "triggers");
        let reactive = Reactive { micro_batch_rounds: 0, ..Reactive::default() };
        let triggers = vec![fill(0.5), Trigger::Reactive(reactive)];
        check(&Policy { triggers, ..recommended() }, "reactive.microBatchRounds");
        check(
            &Policy { window: 1_000, ..Policy::request(200_000) },
            "requestBoundary.triggerTokens",
        );
        let offload = OffloadToolResults { keep_tokens: 9_000, ..OffloadToolResults::default() };
        let reducers = vec![ReducerRule::in_compactions(Reducer::OffloadToolResults(offload))];
        check(&Policy { reducers, ..recommended() }, "offloadToolResults.keepTokens");
        let reducers = vec![ReducerRule::when(Reducer::Deduplicate, fill(0.0))];
        check(&Policy { reducers, ..recommended() }, "deduplicate.when.share");
    }
}
