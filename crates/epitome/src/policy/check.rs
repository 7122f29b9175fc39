//! Checks that a policy can work, field by field.
//!
//! Every struct and enum is taken apart completely, without `..` or `_ =>`: a new field or variant does not compile
//! until this file says which of its values work. `_` after a field's name means that every value works.

use super::PrepareAt;
use super::{
    Budget, ClearToolInputs, ClearToolResults, Counting, Fill, Keep, MAX_HEARTBEAT_BYTES,
    MemorySettings, OffloadToolResults, Policy, Reactive, Reducer, ReducerRule, RequestBoundary,
    Retry, Shape, SummarySettings, TaskSettings, TokenCost, Trigger, TruncateToolResults,
    TruncationStep,
};

/// A policy that cannot work: the field, its value, and which values would work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy.{field}: {problem}")]
pub struct PolicyError {
    /// The field's path as written in JSON, such as `triggers[0].budget`.
    pub field: String,
    /// What is wrong with its value, and which values would work.
    pub problem: String,
}

impl Policy {
    /// Finds the first field with a value that cannot work.
    pub fn check(&self) -> Result<(), PolicyError> {
        let Self {
            window,
            triggers,
            warning,
            prepare_at,
            target,
            keep,
            keep_requests_tokens: _,
            reducers,
            summary,
            memory: MemorySettings { blend_at, blend, max_tokens, in_summary: _ },
            tasks: TaskSettings { min_tokens: _, shared_by },
            summary_placement: _,
            min_saving,
            retry,
            tool_schema_tokens,
            counting,
            model: _,
            locked_reasoning: _,
            stale_summary: _,
            heartbeat_answer,
        } = self;
        let window = *window;
        ensure(window > 0, "window", || "is 0; give the model's context size in tokens".into())?;
        ensure(*target > 0.0 && *target < 1.0, "target", || {
            format!("is {target}; give a share of the window between 0 and 1")
        })?;
        check_keep(keep)?;
        ensure((0.0..1.0).contains(min_saving), "minSaving", || {
            format!("is {min_saving}; give a share of the tokens from 0 to below 1")
        })?;
        if let Some(warning) = warning {
            ensure(*warning > 0.0 && *warning <= 1.0, "warning", || {
                format!("is {warning}; give a share of the threshold above 0 and up to 1")
            })?;
        }
        match prepare_at {
            Some(PrepareAt::Fraction(fraction)) => {
                ensure(*fraction > 0.0 && *fraction < 1.0, "prepareAt.fraction", || {
                    format!("is {fraction}; give a share of the window between 0 and 1")
                })?;
            }
            Some(PrepareAt::Tokens(tokens)) => {
                ensure(*tokens > 0, "prepareAt.tokens", || "is 0; give a number above 0".into())?;
            }
            None => {}
        }
        ensure(*blend_at == 0 || (1..=*blend_at).contains(blend), "memory.blend", || {
            format!("is {blend}; give a number from 1 to blendAt, which is {blend_at}")
        })?;
        ensure(*max_tokens > 0, "memory.maxTokens", || "is 0; give a number of tokens".into())?;
        ensure(
            shared_by.as_ref().is_none_or(|name| !name.trim().is_empty()),
            "tasks.sharedBy",
            || "is blank; give the name of an agent, or null".into(),
        )?;
        check_counting(counting)?;
        ensure(*tool_schema_tokens < window, "toolSchemaTokens", || {
            format!("is {tool_schema_tokens}, the whole window of {window}")
        })?;
        if let Some(answer) = heartbeat_answer {
            ensure(!answer.trim().is_empty(), "heartbeatAnswer", || {
                "is blank; give the exact answer, such as \"HEARTBEAT_OK\", or null".into()
            })?;
            // The message index notes only short answers of one line; any other would never be recognized.
            let is_short =
                answer.trim().len() <= MAX_HEARTBEAT_BYTES && !answer.trim().contains('\n');
            ensure(is_short, "heartbeatAnswer", || {
                format!(
                    "is not one line of at most {MAX_HEARTBEAT_BYTES} bytes; give a shorter answer"
                )
            })?;
        }
        for (index, trigger) in triggers.iter().enumerate() {
            check_trigger(trigger, window, &format!("triggers[{index}]"))?;
        }
        for (index, rule) in reducers.iter().enumerate() {
            check_reducer_rule(rule, window, &format!("reducers[{index}]"))?;
        }
        check_summary(summary)?;
        // 0 attempts are as good as 1: the first attempt is always made.
        let Retry { attempts: _, base_ms: _, cap_ms: _ } = retry;
        Ok(())
    }
}

fn check_keep(keep: &Keep) -> Result<(), PolicyError> {
    match keep {
        Keep::Messages(_) | Keep::Rounds(_) | Keep::Tokens(_) => Ok(()),
        Keep::Fraction(fraction) => ensure((0.0..1.0).contains(fraction), "keep", || {
            format!("keeps {fraction} of the window; give a share from 0 to below 1")
        }),
    }
}

fn check_counting(counting: &Counting) -> Result<(), PolicyError> {
    match counting {
        Counting::CharactersPerToken(characters) => {
            ensure(*characters > 0, "counting.charactersPerToken", || {
                "is 0; give how many characters make a token, such as 4".into()
            })
        }
        // Whether a tokenizer of this name is loaded is known to the app alone.
        Counting::Tokenizer(_) => Ok(()),
        Counting::Estimate | Counting::EstimateFor(_) | Counting::Encoding(_) => Ok(()),
    }
}

fn check_summary(summary: &SummarySettings) -> Result<(), PolicyError> {
    let SummarySettings {
        prompt,
        agent: _,
        default_agent: _,
        prompts,
        shape: _,
        check_headings: _,
        fallback_summarizers,
        unsupported: _,
        max_tokens,
        ledger_tokens: _,
        checklist_tokens: _,
        structured_state: _,
        rollup_tokens: _,
        input: _,
        cost,
        chunk_characters,
        chunks: _,
        window_tokens: _,
        tools: _,
        tool_result_max_characters: _,
        tool_input_max_characters: _,
        fallback_levels: _,
        last_request: _,
        label,
        closing,
    } = summary;
    let is_named = fallback_summarizers.iter().all(|name| !name.trim().is_empty());
    ensure(is_named, "summary.fallbackSummarizers", || {
        "has a blank name; give names of agents, or \"extractive\"".into()
    })?;
    ensure(*max_tokens != Some(0), "summary.maxTokens", || {
        "is 0; give a number of tokens, or null for no limit".into()
    })?;
    if let Some(characters) = chunk_characters {
        ensure(*characters >= 1_000, "summary.chunkCharacters", || {
            format!("is {characters}; give at least 1000, or null for no limit")
        })?;
    }
    if let Some(TokenCost { input, cached_input, output }) = *cost {
        let costs = [("input", input), ("cachedInput", cached_input), ("output", output)];
        for (name, cost) in costs {
            ensure(cost.is_finite() && cost >= 0.0, &format!("summary.cost.{name}"), || {
                format!("is {cost}; give what a million tokens cost, 0 or more")
            })?;
        }
    }
    if let Some(name) = prompt {
        let known = prompts.contains_key(name) || Shape::named(name).is_some();
        ensure(known, "summary.prompt", || {
            let names: Vec<&str> = prompts.keys().map(String::as_str).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let built_in = Shape::PROMPTS.map(|(name, _)| name).join(", ");
            format!(
                "is {name:?}, and summary.prompts has {names}; add it there, or name one that is built in: \
                 {built_in}"
            )
        })?;
    }
    for (text, field) in [(label, "summary.label"), (closing, "summary.closing")] {
        let is_blank = text.as_ref().is_some_and(|text| text.trim().is_empty());
        ensure(!is_blank, field, || "is blank; give a text, or null".into())?;
    }
    let is_one_line = label.as_ref().is_none_or(|label| !label.trim().contains('\n'));
    ensure(is_one_line, "summary.label", || "is not one line".into())
}

/// `field` is the path of the outermost trigger: the parts of `all`, `any` and `at` are reported under it.
fn check_trigger(trigger: &Trigger, window: u32, field: &str) -> Result<(), PolicyError> {
    match trigger {
        Trigger::Budget(Budget { fraction, output_reserve, safety_margin }) => {
            check_fraction(*fraction, &format!("{field}.budget.fraction"))?;
            let reserves = output_reserve.saturating_add(*safety_margin);
            ensure(reserves < window, &format!("{field}.budget"), || {
                format!(
                    "reserves {reserves} tokens and leaves nothing of a window of {window}; lower \
                     outputReserve or safetyMargin, or give a larger window"
                )
            })?;
        }
        Trigger::Fill(Fill { fraction, max_tokens: _ }) => {
            check_fraction(*fraction, &format!("{field}.fill.fraction"))?;
        }
        Trigger::Reactive(reactive) => check_reactive(reactive, &format!("{field}.reactive"))?,
        Trigger::RequestBoundary(RequestBoundary { trigger_tokens: _, min_messages: _ }) => {}
        Trigger::Tokens(_) | Trigger::Messages(_) | Trigger::Always | Trigger::Manual => {}
        Trigger::At { phase: _, trigger } => return check_trigger(trigger, window, field),
        Trigger::All(triggers) | Trigger::Any(triggers) => {
            return triggers.iter().try_for_each(|trigger| check_trigger(trigger, window, field));
        }
    }
    let threshold = trigger.threshold(window);
    ensure(threshold != Some(0), field, || {
        format!("fires at 0 tokens of a window of {window}; give a larger share or window")
    })?;
    ensure(threshold.is_none_or(|threshold| threshold <= window), field, || {
        let threshold = threshold.unwrap_or_default();
        format!(
            "fires at {threshold} tokens, above the window of {window}; give at most {window}, or a \
             larger window"
        )
    })
}

fn check_reactive(reactive: &Reactive, field: &str) -> Result<(), PolicyError> {
    let Reactive {
        micro_fraction,
        full_fraction,
        micro_batch_rounds,
        keep_rounds: _,
        max_per_request: _,
    } = reactive;
    check_fraction(*micro_fraction, &format!("{field}.microFraction"))?;
    check_fraction(*full_fraction, &format!("{field}.fullFraction"))?;
    ensure(*micro_batch_rounds > 0, &format!("{field}.microBatchRounds"), || {
        "is 0; give how many rounds to summarize at a time".into()
    })
}

fn check_reducer_rule(rule: &ReducerRule, window: u32, field: &str) -> Result<(), PolicyError> {
    let ReducerRule { reducer, when, clear_at_least: _ } = rule;
    if let Some(when) = when {
        check_trigger(when, window, &format!("{field}.when"))?;
    }
    check_reducer(reducer, &format!("{field}.reducer"))
}

fn check_reducer(reducer: &Reducer, field: &str) -> Result<(), PolicyError> {
    match reducer {
        Reducer::Deduplicate | Reducer::ExcerptLastRequest | Reducer::DropOldest => Ok(()),
        Reducer::TruncateToolResults(TruncateToolResults { steps }) => {
            let check =
                |TruncationStep { from_messages: _, max_tokens: _ }: &TruncationStep| Ok(());
            steps.iter().try_for_each(check)
        }
        Reducer::ClearToolInputs(ClearToolInputs { protect_fraction, arg_threshold_tokens: _ }) => {
            check_fraction(*protect_fraction, &format!("{field}.clearToolInputs.protectFraction"))
        }
        Reducer::ClearToolResults(ClearToolResults {
            keep: _,
            exclude_tools: _,
            clear_tool_inputs: _,
            placeholder,
        }) => ensure(
            !placeholder.trim().is_empty(),
            &format!("{field}.clearToolResults.placeholder"),
            || "is blank; give a text that tells the model that a result was here".into(),
        ),
        Reducer::OffloadToolResults(OffloadToolResults {
            protect_fraction,
            max_tokens,
            keep_tokens,
        }) => {
            let field = format!("{field}.offloadToolResults");
            check_fraction(*protect_fraction, &format!("{field}.protectFraction"))?;
            ensure(keep_tokens <= max_tokens, &format!("{field}.keepTokens"), || {
                format!("is {keep_tokens}, above maxTokens {max_tokens}; give at most that")
            })
        }
    }
}

fn check_fraction(fraction: f64, field: &str) -> Result<(), PolicyError> {
    ensure((0.0..=1.0).contains(&fraction), field, || {
        format!("is {fraction}; give a share of the window from 0 to 1")
    })
}

fn ensure(holds: bool, field: &str, problem: impl FnOnce() -> String) -> Result<(), PolicyError> {
    if holds { Ok(()) } else { Err(PolicyError { field: field.into(), problem: problem() }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the error of a policy has all of these `words`.
    fn check(policy: &Policy, words: &[&str]) {
        let error = policy.check().unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }

    #[test]
    fn a_policy_that_cannot_work_is_refused_by_field_and_value() {
        let base = Policy::recommended(10_000);
        check(&Policy { window: 0, ..base.clone() }, &["policy.window: is 0"]);
        let high = vec![Trigger::Manual, Trigger::Tokens(20_000)];
        check(
            &Policy { triggers: high, ..base.clone() },
            &["policy.triggers[1]", "20000", "10000", "larger window"],
        );
        let reserve = vec![Trigger::Budget(Budget::default())];
        check(
            &Policy { triggers: reserve, ..base.clone() },
            &["policy.triggers[0].budget", "40000", "10000", "outputReserve"],
        );
        check(&Policy { keep: Keep::Fraction(-0.5), ..base.clone() }, &["policy.keep", "-0.5"]);
        check(&Policy { warning: Some(1.5), ..base.clone() }, &["policy.warning", "1.5"]);
        let summary = SummarySettings { prompt: Some("mine".into()), ..SummarySettings::default() };
        check(&Policy { summary, ..base.clone() }, &["policy.summary.prompt", "\"mine\"", "none"]);
        let offload =
            OffloadToolResults { keep_tokens: 9, max_tokens: 3, ..OffloadToolResults::default() };
        let reducers = vec![ReducerRule::in_compactions(Reducer::OffloadToolResults(offload))];
        check(
            &Policy { reducers, ..base.clone() },
            &["policy.reducers[0].reducer.offloadToolResults.keepTokens: is 9, above maxTokens 3"],
        );
        check(&Policy { target: 1.0, ..base }, &["policy.target: is 1"]);
    }

    #[test]
    fn a_heartbeat_answer_that_could_not_be_recognized_is_refused() {
        let policy = |answer: Option<&str>| Policy {
            heartbeat_answer: answer.map(str::to_owned),
            ..Policy::recommended(10_000)
        };
        check(&policy(Some(" \n")), &["policy.heartbeatAnswer: is blank", "HEARTBEAT_OK"]);
        check(&policy(Some("a\nb")), &["policy.heartbeatAnswer: is not one line"]);
        check(&policy(Some(&"x".repeat(201))), &["policy.heartbeatAnswer", "200 bytes"]);
        assert_eq!(policy(Some(&"x".repeat(200))).check(), Ok(()));
        assert_eq!(policy(Some("HEARTBEAT_OK")).check(), Ok(()));
        assert_eq!(policy(None).check(), Ok(()));
    }

    #[test]
    fn triggers_inside_other_triggers_are_checked() {
        let fill = Trigger::Fill(Fill { fraction: 2.0, max_tokens: 0 });
        let nested = Trigger::All(vec![Trigger::Always, Trigger::Any(vec![fill])]);
        let at = Trigger::at(crate::policy::Phase::Loop, nested);
        check(
            &Policy { triggers: vec![at], ..Policy::recommended(10_000) },
            &["policy.triggers[0].fill.fraction: is 2"],
        );
    }
}
