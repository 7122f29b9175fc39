//! Random policies with all settings. Their windows are shares of the tokens of a history.

use std::collections::BTreeSet;
use std::fmt;

use epitome::policy::{
    Budget, ClearToolInputs, ClearToolResults, Counting, Encoding, Family, Fill, Keep, LastRequest,
    LockedReasoning, MemorySettings, OffloadToolResults, PRESETS, Phase, PrepareAt, Reactive,
    Reducer, ReducerRule, RequestBoundary, Shape, StaleSummary, SummaryInput, SummaryPlacement,
    SummarySettings, TaskSettings, TokenCost, ToolFilter, Trigger, TruncateToolResults,
    TruncationStep, Unsupported,
};
use epitome::{Policy, Reason, Retry};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Every phase.
pub(crate) const PHASES: [Phase; 5] =
    [Phase::RequestStart, Phase::TurnStart, Phase::Loop, Phase::TurnEnd, Phase::Overflow];

/// Every reason.
pub(crate) const REASONS: [Reason; 9] = [
    Reason::Manual,
    Reason::Threshold,
    Reason::RequestBoundary,
    Reason::ReactiveMicro,
    Reason::ReactiveFull,
    Reason::Reduce,
    Reason::SessionCompaction,
    Reason::Renew,
    Reason::TaskTransition,
];

/// A policy for a history whose tokens are not known yet.
#[derive(Clone)]
pub(crate) struct PolicyDraft {
    /// The policy for a window of [`DRAFT_WINDOW`].
    policy: Policy,
    window_percent: u32,
}

/// The window that numbers of tokens in a draft are generated for.
const DRAFT_WINDOW: u32 = 200_000;

fn percent() -> impl Strategy<Value = f64> {
    (1_u32..=100).prop_map(|percent| f64::from(percent) / 100.0)
}

fn tokens() -> impl Strategy<Value = u32> {
    1_u32..=DRAFT_WINDOW
}

fn leaf() -> impl Strategy<Value = Trigger> {
    let budget =
        (percent(), 0_u32..90_000, 0_u32..90_000).prop_map(|(fraction, reserve, margin)| {
            Trigger::Budget(Budget { fraction, output_reserve: reserve, safety_margin: margin })
        });
    let most = prop_oneof![2 => Just(0_u32), 1 => tokens()];
    let fill = (percent(), most)
        .prop_map(|(fraction, max_tokens)| Trigger::Fill(Fill { fraction, max_tokens }));
    let absolute = prop_oneof![4 => tokens().prop_map(i64::from), 1 => Just(0), 1 => Just(-7)];
    let boundary = (tokens(), 0_u32..30).prop_map(|(trigger_tokens, min_messages)| {
        Trigger::RequestBoundary(RequestBoundary { trigger_tokens, min_messages })
    });
    let reactive = (percent(), percent(), 1_u32..5, 0_u32..5, 0_u32..4).prop_map(
        |(micro_fraction, full_fraction, micro_batch_rounds, keep_rounds, max_per_request)| {
            Trigger::Reactive(Reactive {
                micro_fraction,
                full_fraction,
                micro_batch_rounds,
                keep_rounds,
                max_per_request,
            })
        },
    );
    prop_oneof![
        2 => budget,
        3 => fill,
        2 => absolute.prop_map(Trigger::Tokens),
        2 => (0_u32..40).prop_map(Trigger::Messages),
        2 => boundary,
        3 => reactive,
        1 => Just(Trigger::Always),
        1 => Just(Trigger::Manual),
    ]
}

fn trigger() -> impl Strategy<Value = Trigger> {
    let some = || prop::collection::vec(leaf(), 0..3);
    prop_oneof![
        6 => leaf(),
        2 => (select(PHASES.as_slice()), leaf())
            .prop_map(|(phase, inner)| Trigger::at(phase, inner)),
        1 => some().prop_map(Trigger::All),
        1 => some().prop_map(Trigger::Any),
        1 => (select(PHASES.as_slice()), some())
            .prop_map(|(phase, inner)| Trigger::at(phase, Trigger::Any(inner))),
    ]
}

fn reducer_rule() -> impl Strategy<Value = ReducerRule> {
    let step = (0_u32..60, 0_u32..3_000)
        .prop_map(|(from_messages, max_tokens)| TruncationStep { from_messages, max_tokens });
    let truncate = prop::collection::vec(step, 0..4)
        .prop_map(|steps| Reducer::TruncateToolResults(TruncateToolResults { steps }));
    let clear = (0_u32..100, 0_u32..300).prop_map(|(percent, arg_threshold_tokens)| {
        let protect_fraction = f64::from(percent) / 100.0;
        Reducer::ClearToolInputs(ClearToolInputs { protect_fraction, arg_threshold_tokens })
    });
    let offload = (0_u32..100, 0_u32..2_000, 0_u32..100).prop_map(|(percent, max_tokens, kept)| {
        let protect_fraction = f64::from(percent) / 100.0;
        let keep_tokens = max_tokens * kept / 100;
        Reducer::OffloadToolResults(OffloadToolResults {
            protect_fraction,
            max_tokens,
            keep_tokens,
        })
    });
    let clear_results =
        (0_u32..12, any::<bool>(), any::<bool>()).prop_map(|(keep, excludes, inputs)| {
            Reducer::ClearToolResults(ClearToolResults {
                keep,
                exclude_tools: if excludes { vec!["tool1".into()] } else { Vec::new() },
                clear_tool_inputs: inputs,
                ..ClearToolResults::default()
            })
        });
    let reducer = prop_oneof![
        2 => Just(Reducer::Deduplicate),
        2 => truncate,
        2 => clear,
        2 => offload,
        2 => clear_results,
        1 => Just(Reducer::ExcerptLastRequest),
        1 => Just(Reducer::DropOldest)
    ];
    let when = prop_oneof![1 => Just(None), 1 => trigger().prop_map(Some)];
    let min = prop_oneof![3 => Just(0_u32), 1 => 0_u32..20_000];
    (reducer, when, min).prop_map(|(reducer, when, clear_at_least)| ReducerRule {
        reducer,
        when,
        clear_at_least,
    })
}

fn keep() -> impl Strategy<Value = Keep> {
    prop_oneof![
        (0_u32..30).prop_map(Keep::Messages),
        (0_u32..10).prop_map(Keep::Rounds),
        tokens().prop_map(|tokens| Keep::Tokens(tokens / 2)),
        (0_u32..100).prop_map(|percent| Keep::Fraction(f64::from(percent) / 100.0)),
    ]
}

fn summary() -> impl Strategy<Value = SummarySettings> {
    let who = select(vec!["default", "default", "default", "agent", "own", "nobody"]);
    let tools = select(vec![
        ToolFilter::All,
        ToolFilter::All,
        ToolFilter::Only(vec!["lo*".into()]),
        ToolFilter::Only(Vec::new()),
    ]);
    let fallback_levels = prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::collection::vec(0_u32..200, 1..5)
    ];
    let shape = select(Shape::PROMPTS.map(|(_, shape)| shape).to_vec());
    let framed = select(vec![None, Some("So far:".to_owned())]);
    let request = select(vec![LastRequest::Keep, LastRequest::Append]);
    let rollup = prop_oneof![2 => Just(0_u32), 1 => 1_u32..2_000];
    let window = prop_oneof![3 => Just(None), 1 => (200_u32..9_000).prop_map(Some)];
    let headings = select(vec![None, None, None, None, Some(false), Some(true)]);
    let nobody = Vec::new();
    let chains = vec![
        nobody.clone(),
        nobody,
        vec!["extractive".to_owned()],
        vec!["other".to_owned(), "extractive".to_owned()],
    ];
    let unsupported = select(vec![
        Unsupported::Report,
        Unsupported::Annotate,
        Unsupported::Remove,
        Unsupported::AskAgain,
    ]);
    let checks = (select(chains), unsupported);
    let lists = prop_oneof![1 => Just(0_u32), 2 => 1_u32..3_000];
    let limit = |limits| prop::option::weighted(0.8, limits);
    let (longest, chunk, tool_text) = (limit(1_u32..9_000), limit(1_000..9_000), limit(0..900));
    let sizes = (longest, 0_u32..1_500, lists, rollup, chunk, 0_u32..5, window, headings);
    let input =
        select(vec![SummaryInput::Transcript, SummaryInput::Messages, SummaryInput::Conversation]);
    let texts = (
        [tool_text.clone(), tool_text],
        (framed.clone(), framed),
        (input, any::<bool>(), any::<bool>(), checks),
    );
    (who, tools, fallback_levels, shape, request, sizes, texts).prop_map(
        |(who, tools, fallback_levels, shape, last_request, sizes, texts)| {
            let (tool_texts, frame, (input, has_cost, structured_state, checks)) = texts;
            let (fallback_summarizers, unsupported) = checks;
            let (
                max_tokens,
                ledger_tokens,
                checklist_tokens,
                rollup_tokens,
                chunk_characters,
                chunks,
                window,
                headings,
            ) = sizes;
            SummarySettings {
                prompt: (who == "own").then(|| "mine".into()),
                agent: (who == "agent").then(|| "fast".into()),
                default_agent: (who == "default").then(|| "summarizer".into()),
                prompts: [("mine".into(), "Condense this.".into())].into(),
                shape,
                check_headings: headings,
                fallback_summarizers,
                unsupported,
                max_tokens,
                ledger_tokens,
                checklist_tokens,
                structured_state,
                rollup_tokens,
                input,
                cost: has_cost.then_some(TokenCost { input: 3.0, cached_input: 0.3, output: 15.0 }),
                chunk_characters,
                chunks,
                window_tokens: window,
                tools,
                tool_result_max_characters: tool_texts[0],
                tool_input_max_characters: tool_texts[1],
                fallback_levels,
                last_request,
                label: frame.0,
                closing: frame.1,
            }
        },
    )
}

/// Random policies and presets.
pub(crate) fn policy() -> impl Strategy<Value = PolicyDraft> {
    let summary_placement = select(vec![
        SummaryPlacement::SystemSummaryTail,
        SummaryPlacement::OneMessage,
        SummaryPlacement::LeadingSystem,
        SummaryPlacement::InPlace,
    ]);
    let locked_reasoning =
        select(&[LockedReasoning::Remove, LockedReasoning::Keep, LockedReasoning::AppendOnly]);
    let triggers = prop::collection::vec(trigger(), 0..4);
    let reducers = prop::collection::vec(reducer_rule(), 0..4);
    let requests = prop_oneof![1 => Just(0_u32), 1 => 0_u32..40_000];
    let numbers = (
        1_u32..=99,
        prop_oneof![1 => Just(0_u32), 1 => 0_u32..40],
        prop_oneof![3 => Just(0_u32), 1 => 0_u32..60_000],
        (
            prop::option::of(percent()),
            prop::option::of(
                (1_u32..99).prop_map(|percent| PrepareAt::Fraction(f64::from(percent) / 100.0)),
            ),
        ),
        0_u32..4,
        prop::option::of(Just("HEARTBEAT_OK".to_owned())),
        // A model that accepts signed reasoning only behind an unchanged history.
        (
            prop::option::weighted(0.25, Just("claude-fable-5-1".to_owned())),
            locked_reasoning,
            select(&[StaleSummary::Undo, StaleSummary::Renew]),
            (0_u32..20, any::<bool>(), 0_u32..300),
        ),
    );
    let counting = prop_oneof![
        3 => Just(Counting::Estimate),
        1 => Just(Counting::EstimateFor(Family::Claude)),
        1 => (2_u32..6).prop_map(Counting::CharactersPerToken),
        1 => select(Encoding::ALL.as_slice()).prop_map(Counting::Encoding),
        1 => Just(Counting::Tokenizer("llama".to_owned())),
    ];
    let free =
        (triggers, keep(), requests, reducers, summary(), summary_placement, numbers, counting)
            .prop_map(
                |(
                    triggers,
                    keep,
                    keep_requests_tokens,
                    reducers,
                    summary,
                    summary_placement,
                    numbers,
                    counting,
                )| {
                    let (
                        target,
                        min_saving,
                        tool_schema_tokens,
                        (warning, prepare_at),
                        attempts,
                        heartbeat_answer,
                        (
                            model,
                            locked_reasoning,
                            stale_summary,
                            (blend_at, in_summary, task_tokens),
                        ),
                    ) = numbers;
                    let memory = MemorySettings {
                        blend_at,
                        blend: blend_at.div_ceil(2),
                        in_summary,
                        ..MemorySettings::default()
                    };
                    let tasks = TaskSettings { min_tokens: task_tokens, shared_by: None };
                    Policy {
                        window: DRAFT_WINDOW,
                        triggers,
                        warning,
                        prepare_at,
                        target: f64::from(target) / 100.0,
                        keep,
                        keep_requests_tokens,
                        reducers,
                        summary,
                        memory,
                        tasks,
                        summary_placement,
                        min_saving: f64::from(min_saving) / 100.0,
                        retry: Retry { attempts, ..Retry::default() },
                        tool_schema_tokens,
                        counting,
                        model,
                        locked_reasoning,
                        stale_summary,
                        heartbeat_answer,
                    }
                },
            );
    let named =
        select(PRESETS.as_slice()).prop_map(|name| Policy::preset(name, DRAFT_WINDOW).unwrap());
    let window_percent = prop_oneof![1 => 1_u32..30, 6 => 30_u32..110, 2 => 110_u32..400];
    (prop_oneof![5 => free, 2 => named], window_percent)
        .prop_map(|(policy, window_percent)| PolicyDraft { policy, window_percent })
}

impl PolicyDraft {
    /// True if summaries are written in advance.
    pub(crate) fn prepares(&self) -> bool {
        self.policy.prepare_at.is_some()
    }

    /// The policy for a history of this many tokens; `None` if it cannot work.
    pub(crate) fn fit(&self, tokens: u32) -> Option<Policy> {
        let window = (u64::from(tokens) * u64::from(self.window_percent) / 100).max(60);
        let window = u32::try_from(window).unwrap();
        let mut policy = Policy { window, ..self.policy.clone() };
        let scale = Scale(window);
        policy.triggers.iter_mut().for_each(|trigger| scale.trigger(trigger));
        policy.keep = match policy.keep {
            Keep::Tokens(tokens) => Keep::Tokens(scale.tokens(tokens)),
            keep => keep,
        };
        policy.keep_requests_tokens = scale.tokens(policy.keep_requests_tokens);
        policy.tool_schema_tokens = scale.tokens(policy.tool_schema_tokens);
        for reduction in &mut policy.reducers {
            reduction.when.iter_mut().for_each(|when| scale.trigger(when));
            reduction.clear_at_least = scale.tokens(reduction.clear_at_least);
        }
        policy.check().is_ok().then_some(policy)
    }
}

impl fmt::Debug for PolicyDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = serde_json::to_string(&self.policy).map_err(|_| fmt::Error)?;
        write!(f, "{} % of the history: {policy}", self.window_percent)
    }
}

/// Converts numbers of tokens from the window of a draft to another one.
struct Scale(u32);

impl Scale {
    fn tokens(&self, tokens: u32) -> u32 {
        let scaled = u64::from(tokens) * u64::from(self.0) / u64::from(DRAFT_WINDOW);
        u32::try_from(scaled).unwrap()
    }

    fn trigger(&self, trigger: &mut Trigger) {
        match trigger {
            Trigger::Budget(budget) => {
                budget.output_reserve = self.tokens(budget.output_reserve);
                budget.safety_margin = self.tokens(budget.safety_margin);
            }
            Trigger::Fill(fill) => fill.max_tokens = self.tokens(fill.max_tokens),
            Trigger::Tokens(tokens) => {
                if let Ok(positive) = u32::try_from(*tokens) {
                    *tokens = i64::from(self.tokens(positive));
                }
            }
            Trigger::RequestBoundary(boundary) => {
                boundary.trigger_tokens = self.tokens(boundary.trigger_tokens);
            }
            Trigger::At { trigger, .. } => self.trigger(trigger),
            Trigger::All(some) | Trigger::Any(some) => {
                some.iter_mut().for_each(|one| self.trigger(one));
            }
            Trigger::Messages(_) | Trigger::Reactive(_) | Trigger::Always | Trigger::Manual => {}
        }
    }
}

#[test]
fn every_phase_and_every_reason_is_listed_once() {
    // A new variant does not compile here: give it the next index, and add it to the list above.
    let phase = |phase: Phase| match phase {
        Phase::RequestStart => 0,
        Phase::TurnStart => 1,
        Phase::Loop => 2,
        Phase::TurnEnd => 3,
        Phase::Overflow => 4,
    };
    assert_eq!(PHASES.map(phase), [0, 1, 2, 3, 4]);
    let reason = |reason: Reason| match reason {
        Reason::Manual => 0,
        Reason::Threshold => 1,
        Reason::RequestBoundary => 2,
        Reason::ReactiveMicro => 3,
        Reason::ReactiveFull => 4,
        Reason::Reduce => 5,
        Reason::SessionCompaction => 6,
        Reason::Renew => 7,
        Reason::TaskTransition => 8,
    };
    assert_eq!(REASONS.map(reason), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
}

/// The number of a kind of reducer. A new kind does not compile until it is listed here, and fails a test until
/// random policies have it.
fn reducer_number(reducer: &Reducer) -> usize {
    match reducer {
        Reducer::Deduplicate => 0,
        Reducer::TruncateToolResults(_) => 1,
        Reducer::ClearToolInputs(_) => 2,
        Reducer::OffloadToolResults(_) => 3,
        Reducer::DropOldest => 4,
        Reducer::ClearToolResults(_) => 5,
        Reducer::ExcerptLastRequest => 6,
    }
}

/// The same for triggers.
fn trigger_number(trigger: &Trigger) -> usize {
    match trigger {
        Trigger::Budget(_) => 0,
        Trigger::Fill(_) => 1,
        Trigger::Tokens(_) => 2,
        Trigger::Messages(_) => 3,
        Trigger::RequestBoundary(_) => 4,
        Trigger::Reactive(_) => 5,
        Trigger::At { .. } => 6,
        Trigger::All(_) => 7,
        Trigger::Any(_) => 8,
        Trigger::Always => 9,
        Trigger::Manual => 10,
    }
}

/// The kinds of reducers and triggers that random policies have, by number.
pub(crate) fn generated_kinds() -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut runner = TestRunner::deterministic();
    let mut draw = || (reducer_rule(), trigger()).new_tree(&mut runner).unwrap().current();
    let drawn: Vec<(ReducerRule, Trigger)> = (0..2_000).map(|_| draw()).collect();
    let reducers = drawn.iter().map(|(rule, _)| reducer_number(&rule.reducer)).collect();
    (reducers, drawn.iter().map(|(_, trigger)| trigger_number(trigger)).collect())
}
