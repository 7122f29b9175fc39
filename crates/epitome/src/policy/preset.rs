//! Policies by name: the recommended one, and those of five other systems.

use super::{
    Budget, Counting, Fill, Keep, LastRequest, LockedReasoning, MemorySettings, OffloadToolResults,
    Phase, Policy, Reactive, Reducer, ReducerRule, RequestBoundary, Retry, Shape, StaleSummary,
    SummaryInput, SummaryPlacement, SummarySettings, TaskSettings, ToolFilter, Trigger,
    TruncateToolResults, share,
};

/// Share of the window in which the latest user messages stay word for word by default.
const KEEP_REQUESTS_FRACTION: f64 = 0.1;
/// Upper limit of that share, in tokens.
const MAX_KEEP_REQUESTS_TOKENS: u32 = 20_000;

/// The share of a large window that a summary may have.
const SUMMARY_FRACTION: f64 = 0.08;

/// The window that the numbers of the five systems are made for.
const SOURCE_WINDOW: u32 = 200_000;

/// What ends the message with the summary in the preset `loop`.
const CLOSING: &str = "Go on with the work from exactly this point, without asking for clarification: no clarifying \
    questions.";

/// A number of tokens of such a system; in a window that is too small for it, the same share of the window as it is
/// of [`SOURCE_WINDOW`].
fn fit(tokens: u32, window: u32) -> u32 {
    if tokens < window {
        tokens
    } else {
        share(window, f64::from(tokens) / f64::from(SOURCE_WINDOW))
    }
}

/// Declares [`PRESETS`] and [`Policy::preset`] from one list, so that neither can lack a preset of the other.
macro_rules! presets {
    ($window:ident: $($name:literal => $policy:expr,)+) => {
        /// The names of all presets, in the order to show them.
        pub const PRESETS: [&str; [$($name),+].len()] = [$($name),+];

        impl Policy {
            /// The preset of this name for a window of this many tokens; `None` if the name is not in [`PRESETS`].
            pub fn preset(name: &str, $window: u32) -> Option<Self> {
                match name {
                    $($name => Some($policy),)+
                    _ => None,
                }
            }
        }
    };
}

presets! { window:
    "recommended" => Self::recommended(window),
    "workstream" => Self::workstream(window),
    "team" => Self::team(window, Some((17, 15))),
    "team-aggressive" => Self::team(window, Some((7, 5))),
    "team-strong" => Self::team(window, Some((12, 10))),
    "team-careful" => Self::team(window, Some((27, 25))),
    "team-none" => Self::team(window, None),
    "loop" => Self::loop_middleware(window),
    "fill" => Self::fill_percent(window),
    "request" => Self::request(window),
}

impl Policy {
    /// A compaction is due at 75 % of the window and reduces the conversation to 50 %. Reducers run first and may
    /// make a summary unnecessary. Of what the target leaves room for, the summary has at most half, and at most 8,000 tokens or
    /// 8 % of the window, up to 20,000; the latest messages fill the rest, word for word. A large prompt in the tool loop, or one
    /// that the provider rejects as too long, is compacted as well.
    pub fn recommended(window: u32) -> Self {
        let min_offload_saving = share(window, 0.1).min(20_000);
        let offload = Reducer::OffloadToolResults(OffloadToolResults::default());
        Self {
            window,
            triggers: vec![
                Trigger::Fill(Fill { fraction: 0.75, max_tokens: 0 }),
                Trigger::Reactive(Reactive::default()),
            ],
            warning: None,
            prepare_at: None,
            target: 0.5,
            keep: Keep::Fraction(0.4),
            keep_requests_tokens: share(window, KEEP_REQUESTS_FRACTION)
                .min(MAX_KEEP_REQUESTS_TOKENS),
            reducers: vec![
                ReducerRule::when(
                    Reducer::Deduplicate,
                    Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 }),
                ),
                ReducerRule {
                    clear_at_least: min_offload_saving,
                    ..ReducerRule::in_compactions(offload)
                },
                ReducerRule::in_compactions(Reducer::ExcerptLastRequest),
            ],
            summary: SummarySettings {
                max_tokens: Some(share(window, SUMMARY_FRACTION).clamp(8_000, 20_000)),
                ..SummarySettings::default()
            },
            memory: MemorySettings::default(),
            tasks: TaskSettings::default(),
            summary_placement: SummaryPlacement::SystemSummaryTail,
            min_saving: 0.05,
            retry: Retry::default(),
            tool_schema_tokens: 0,
            counting: Counting::Estimate,
            model: None,
            locked_reasoning: LockedReasoning::Remove,
            stale_summary: StaleSummary::Undo,
            heartbeat_answer: None,
        }
    }

    /// The base of the other presets: no trigger, no reducer, no kept tail, no ledger, no limit of any text, and any
    /// saving is enough.
    fn bare(window: u32) -> Self {
        Self {
            triggers: vec![Trigger::Manual],
            target: 0.99,
            keep: Keep::Messages(0),
            keep_requests_tokens: 0,
            reducers: Vec::new(),
            min_saving: 0.0,
            summary: SummarySettings {
                max_tokens: None,
                ledger_tokens: 0,
                checklist_tokens: 0,
                chunk_characters: None,
                tool_result_max_characters: None,
                tool_input_max_characters: None,
                ..SummarySettings::default()
            },
            ..Self::recommended(window)
        }
    }

    /// A workstream runtime: a compaction is due when a turn ends above 70 % of the window, or above what the output
    /// reserve and the safety margin leave of it. The last 6 messages stay. The summary is a leading system message
    /// with three sections; above 80,000 tokens it is itself summarized.
    ///
    /// In a window of which the reserves would take half or more, they are 16 % and 4 % of it, and in one of at most
    /// 80,000 tokens a summary is summarized above 40 % of it: the shares that these numbers are of 200,000.
    ///
    /// The summarizer reads no tool calls or results by default: name the tools whose results matter in
    /// `summary.tools`, such as `{ only: ["search", "ticket*"] }`.
    pub fn workstream(window: u32) -> Self {
        let bare = Self::bare(window);
        Self {
            triggers: vec![Trigger::at(Phase::TurnEnd, Trigger::Budget(Budget::fit(window)))],
            keep: Keep::Messages(6),
            summary: SummarySettings {
                structured_state: true,
                rollup_tokens: fit(80_000, window).max(1),
                chunk_characters: Some(120_000),
                tools: ToolFilter::Only(Vec::new()),
                shape: Shape::ThreeSections,
                label: Some("Compacted context summary:".to_owned()),
                ..bare.summary.clone()
            },
            summary_placement: SummaryPlacement::LeadingSystem,
            retry: Retry { attempts: 2, base_ms: 3_000, cap_ms: 60_000 },
            counting: Counting::CharactersPerToken(3),
            ..bare
        }
    }

    /// A team of agents: tool results are truncated by their age at any time, and a compaction is due above a number
    /// of messages, and when the window is full. `messages` are that number and how many of the latest stay. The
    /// summary has conclusions and results, and not the course of the discussion. `None`: nothing is ever truncated
    /// or summarized, and the oldest messages are dropped when the window is full.
    pub fn team(window: u32, messages: Option<(u32, u32)>) -> Self {
        let truncate = Reducer::TruncateToolResults(TruncateToolResults::default());
        let full = Trigger::Fill(Fill { fraction: 1.0, max_tokens: 0 });
        let mut bare = Self::bare(window);
        bare.summary.shape = Shape::Conclusions;
        match messages {
            Some((above, keep)) => Self {
                triggers: vec![Trigger::Messages(above), full],
                keep: Keep::Messages(keep),
                reducers: vec![ReducerRule::when(truncate, Trigger::Always)],
                ..bare
            },
            None => Self {
                reducers: vec![ReducerRule::when(Reducer::DropOldest, full)],
                summary: SummarySettings { default_agent: None, ..bare.summary.clone() },
                // Each time messages are dropped the provider's prompt cache is lost, so drop enough to
                // not drop again with the next message.
                target: 0.8,
                ..bare
            },
        }
    }

    /// A middleware of an agent loop: a compaction is due before a turn, at 200,000 tokens. It leaves the system
    /// prompt and one user message: a summary with seven sections and the last user request word for word. The
    /// conversation's own model writes it, inside the conversation. The message closes with a request to go on without
    /// questions. Exchanges that the assistant answers with `HEARTBEAT_OK` are heartbeats. In a window below 200,000
    /// tokens, it is due when that is full.
    pub fn loop_middleware(window: u32) -> Self {
        let bare = Self::bare(window);
        let threshold = i64::from(fit(200_000, window));
        Self {
            triggers: vec![Trigger::at(Phase::TurnStart, Trigger::Tokens(threshold))],
            summary: SummarySettings {
                input: SummaryInput::Conversation,
                shape: Shape::SevenSections,
                last_request: LastRequest::Append,
                closing: Some(CLOSING.to_owned()),
                ..bare.summary.clone()
            },
            summary_placement: SummaryPlacement::OneMessage,
            heartbeat_answer: Some("HEARTBEAT_OK".to_owned()),
            ..bare
        }
    }

    /// By shares of the window: repeated synthetic messages are removed at 50 %, and a compaction is due at 80 %. The
    /// last 10 messages stay, and checklists and acceptance criteria whole. The summarizer reads up to 200 characters
    /// of each tool result, and fewer if the result of the compaction is too large.
    pub fn fill_percent(window: u32) -> Self {
        let bare = Self::bare(window);
        let half = Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 });
        Self {
            triggers: vec![Trigger::Fill(Fill::default())],
            keep: Keep::Messages(10),
            reducers: vec![ReducerRule::when(Reducer::Deduplicate, half)],
            summary: SummarySettings {
                tool_result_max_characters: Some(200),
                fallback_levels: vec![150, 100, 50, 0],
                checklist_tokens: SummarySettings::default().checklist_tokens,
                ..bare.summary.clone()
            },
            ..bare
        }
    }

    /// By user requests: a compaction is due when a request begins above 80,000 tokens and with at least 20 messages,
    /// and in the tool loop at 85 % and 92 % of the window. The last 2 rounds stay, and the summarizer gets the older
    /// messages themselves. Large tool results are offloaded before each call of the model. In a window of at most
    /// 80,000 tokens, 40 % of it stand for that number.
    pub fn request(window: u32) -> Self {
        let bare = Self::bare(window);
        let offload = Reducer::OffloadToolResults(OffloadToolResults {
            protect_fraction: 0.0,
            ..OffloadToolResults::default()
        });
        Self {
            triggers: vec![
                Trigger::RequestBoundary(RequestBoundary {
                    trigger_tokens: fit(80_000, window),
                    ..RequestBoundary::default()
                }),
                Trigger::Reactive(Reactive::default()),
            ],
            keep: Keep::Rounds(2),
            reducers: vec![ReducerRule::when(offload, Trigger::Always)],
            summary: SummarySettings { input: SummaryInput::Messages, ..bare.summary.clone() },
            summary_placement: SummaryPlacement::InPlace,
            ..bare
        }
    }
}

impl Budget {
    /// The reserves of the workstream runtime, as far as they leave more than half of a window; otherwise the same
    /// shares of it.
    fn fit(window: u32) -> Self {
        let Self { fraction, output_reserve, safety_margin } = Self::default();
        if window / 2 > output_reserve + safety_margin {
            return Self::default();
        }
        let part = |tokens: u32| share(window, f64::from(tokens) / f64::from(SOURCE_WINDOW));
        Self { fraction, output_reserve: part(output_reserve), safety_margin: part(safety_margin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b15_every_preset_works_in_every_window() {
        for window in [10, 100, 4_000, 8_000, 40_000, 80_000, 128_000, 200_000, 2_000_000, u32::MAX]
        {
            for name in PRESETS {
                let policy = Policy::preset(name, window).unwrap();
                assert_eq!(policy.check(), Ok(()), "{name} in {window}");
                if let Some(threshold) = policy.threshold() {
                    assert!((1..=window).contains(&threshold), "{name} in {window}: {threshold}");
                    assert!(policy.target_tokens() < threshold, "{name} in {window}");
                }
            }
        }
        assert_eq!(Policy::preset("best", 1), None);
    }

    #[test]
    fn b15_a_number_that_does_not_fit_becomes_the_same_share_of_the_window() {
        let thresholds = |name: &str| {
            [4_000, 40_000, 80_000, 80_010, 128_000, 199_999, 200_000, 1_000_000]
                .map(|window| Policy::preset(name, window).unwrap().threshold().unwrap())
        };
        assert_eq!(
            thresholds("loop"),
            [4_000, 40_000, 80_000, 80_010, 128_000, 199_999, 200_000, 200_000]
        );
        assert_eq!(
            thresholds("request"),
            [1_600, 16_000, 32_000, 80_000, 80_000, 80_000, 80_000, 80_000]
        );
        assert_eq!(
            thresholds("workstream"),
            [2_800, 28_000, 56_000, 40_010, 88_000, 139_999, 140_000, 700_000]
        );
    }

    #[test]
    fn b2_d1_the_workstream_preset_compacts_at_140_000_tokens_and_keeps_6_messages() {
        let policy = Policy::workstream(200_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(140_000), Keep::Messages(6)));
    }

    #[test]
    fn b7_team_presets_compact_above_a_number_of_messages_and_keep_some() {
        let counts = |name| {
            let policy = Policy::preset(name, 100_000).unwrap();
            (policy.triggers, policy.keep)
        };
        for (name, trigger, keep) in [
            ("team-aggressive", 7, 5),
            ("team-strong", 12, 10),
            ("team", 17, 15),
            ("team-careful", 27, 25),
        ] {
            let full = Trigger::Fill(Fill { fraction: 1.0, max_tokens: 0 });
            let triggers = vec![Trigger::Messages(trigger), full];
            assert_eq!(counts(name), (triggers, Keep::Messages(keep)));
        }
        let none = Policy::preset("team-none", 100_000).unwrap();
        assert_eq!(none.triggers, [Trigger::Manual]);
        assert_eq!(none.summary.summarizer(), None);
    }

    #[test]
    fn b3_b4_the_fill_preset_deduplicates_at_50_percent_and_compacts_at_80() {
        let policy = Policy::fill_percent(100_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(80_000), Keep::Messages(10)));
        let deduplicate = policy.reducers[0].when.as_ref().unwrap();
        assert_eq!(deduplicate.threshold(100_000), Some(50_000));
    }

    #[test]
    fn b5_the_loop_preset_compacts_at_200_000_tokens_to_one_message() {
        let policy = Policy::loop_middleware(1_000_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(200_000), Keep::Messages(0)));
        assert_eq!(policy.summary_placement, SummaryPlacement::OneMessage);
    }

    #[test]
    fn b8_b9_the_request_preset_compacts_between_requests_and_in_the_tool_loop() {
        let policy = Policy::request(200_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(80_000), Keep::Rounds(2)));
        assert_eq!(policy.reactive().map(|reactive| reactive.max_per_request), Some(3));
    }

    #[test]
    fn d19_the_loop_preset_asks_inside_the_conversation_and_the_request_preset_hands_over_messages()
    {
        let input = |name: &str| Policy::preset(name, 200_000).unwrap().summary.input;
        assert_eq!(input("loop"), SummaryInput::Conversation);
        assert_eq!(input("request"), SummaryInput::Messages);
        for name in PRESETS.iter().filter(|name| !["loop", "request"].contains(name)) {
            assert_eq!(input(name), SummaryInput::Transcript, "{name}");
        }
    }

    #[test]
    fn c6_only_the_loop_preset_recognizes_heartbeats() {
        for name in PRESETS {
            let answer = Policy::preset(name, 200_000).unwrap().heartbeat_answer;
            let expected = (name == "loop").then_some("HEARTBEAT_OK");
            assert_eq!(answer.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn d2_the_workstream_preset_reads_only_the_tools_that_the_app_names() {
        assert!(!Policy::workstream(200_000).summary.tools.allows("search"));
        for name in PRESETS.into_iter().filter(|name| *name != "workstream") {
            assert_eq!(Policy::preset(name, 200_000).unwrap().summary.tools, ToolFilter::All);
        }
    }
}
