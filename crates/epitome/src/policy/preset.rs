//! Policies by name: the recommended one, and those of five other systems.

use super::{
    Budget, Counting, Fill, Keep, LastRequest, OffloadToolResults, Phase, Policy, Reactive,
    Reducer, ReducerRule, RequestBoundary, Retry, Shape, SummaryInput, SummaryPlacement,
    SummarySettings, ToolFilter, Trigger, TruncateToolResults, share,
};

/// Share of the window in which the latest user messages stay word for word by default.
const KEEP_REQUESTS_FRACTION: f64 = 0.1;
/// Upper limit of that share, in tokens.
const MAX_KEEP_REQUESTS_TOKENS: u32 = 20_000;

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
    /// make a summary unnecessary. The last 20 % of the window and the latest user messages stay word for word. A
    /// large prompt in the tool loop, or one that the provider rejects as too long, is compacted as well.
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
            target: 0.5,
            keep: Keep::Fraction(0.2),
            keep_requests_tokens: share(window, KEEP_REQUESTS_FRACTION)
                .min(MAX_KEEP_REQUESTS_TOKENS),
            reducers: vec![
                ReducerRule::when(
                    Reducer::Deduplicate,
                    Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 }),
                ),
                ReducerRule {
                    min_saving_tokens: min_offload_saving,
                    ..ReducerRule::in_compactions(offload)
                },
            ],
            summary: SummarySettings::default(),
            summary_placement: SummaryPlacement::SystemSummaryTail,
            min_saving: 0.05,
            retry: Retry::default(),
            tool_schema_tokens: 0,
            counting: Counting::Estimate,
            model: None,
            heartbeat_answer: None,
        }
    }

    /// The base of the other presets: no trigger, no reducer, no kept tail, and any saving is enough.
    fn bare(window: u32) -> Self {
        Self {
            triggers: vec![Trigger::Manual],
            target: 0.99,
            keep: Keep::Messages(0),
            keep_requests_tokens: 0,
            reducers: Vec::new(),
            min_saving: 0.0,
            ..Self::recommended(window)
        }
    }

    /// A workstream runtime: a compaction is due when a turn ends above 70 % of the window, or above what the output
    /// reserve and the safety margin leave of it. The last 6 messages stay. The summary is a leading system message
    /// with three sections; above 80,000 tokens it is itself summarized.
    ///
    /// The summarizer reads no tool calls or results by default: name the tools whose results matter in
    /// `summary.tools`, such as `{ only: ["search", "ticket*"] }`.
    pub fn workstream(window: u32) -> Self {
        Self {
            triggers: vec![Trigger::at(Phase::TurnEnd, Trigger::Budget(Budget::default()))],
            keep: Keep::Messages(6),
            summary: SummarySettings {
                max_tokens: 80_000,
                rollup_tokens: 80_000,
                chunk_characters: 120_000,
                tools: ToolFilter::Only(Vec::new()),
                shape: Shape::ThreeSections,
                ..SummarySettings::default()
            },
            summary_placement: SummaryPlacement::LeadingSystem,
            retry: Retry { attempts: 2, base_ms: 3_000, cap_ms: 60_000 },
            counting: Counting::CharactersPerToken(3),
            ..Self::bare(window)
        }
    }

    /// A team of agents: tool results are truncated by their age at any time, and a compaction is due above a number
    /// of messages. `messages` are that number and how many of the latest stay. `None`: nothing is ever summarized,
    /// and the oldest messages are dropped when the window is full.
    pub fn team(window: u32, messages: Option<(u32, u32)>) -> Self {
        let truncate = ReducerRule::when(
            Reducer::TruncateToolResults(TruncateToolResults::default()),
            Trigger::Always,
        );
        let bare = Self::bare(window);
        match messages {
            Some((above, keep)) => Self {
                triggers: vec![Trigger::Messages(above)],
                keep: Keep::Messages(keep),
                reducers: vec![truncate],
                ..bare
            },
            None => {
                let full = Trigger::Fill(Fill { fraction: 1.0, max_tokens: 0 });
                Self {
                    reducers: vec![truncate, ReducerRule::when(Reducer::DropOldest, full)],
                    summary: SummarySettings { default_agent: None, ..bare.summary.clone() },
                    // Each time messages are dropped the provider's prompt cache is lost, so drop enough to
                    // not drop again with the next message.
                    target: 0.8,
                    ..bare
                }
            }
        }
    }

    /// A middleware of an agent loop: a compaction is due before a turn, at 200,000 tokens. It leaves the system
    /// prompt and one user message: a summary with seven sections and the last user request word for word. The
    /// conversation's own model writes it, inside the conversation.
    /// Exchanges that the assistant answers with `HEARTBEAT_OK` are heartbeats.
    pub fn loop_middleware(window: u32) -> Self {
        Self {
            triggers: vec![Trigger::at(Phase::TurnStart, Trigger::Tokens(200_000))],
            summary: SummarySettings {
                input: SummaryInput::Conversation,
                shape: Shape::SevenSections,
                last_request: LastRequest::Append,
                ..SummarySettings::default()
            },
            summary_placement: SummaryPlacement::OneMessage,
            heartbeat_answer: Some("HEARTBEAT_OK".to_owned()),
            ..Self::bare(window)
        }
    }

    /// By shares of the window: repeated synthetic messages are removed at 50 %, and a compaction is due at 80 %. The
    /// last 10 messages stay. The summarizer reads up to 200 characters of each tool call and result, and fewer if
    /// the result of the compaction is too large.
    pub fn fill_percent(window: u32) -> Self {
        let half = Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 });
        Self {
            triggers: vec![Trigger::Fill(Fill::default())],
            keep: Keep::Messages(10),
            reducers: vec![ReducerRule::when(Reducer::Deduplicate, half)],
            summary: SummarySettings {
                tool_result_max_characters: 200,
                fallback_levels: vec![150, 100, 50, 0],
                ..SummarySettings::default()
            },
            ..Self::bare(window)
        }
    }

    /// By user requests: a compaction is due when a request begins above 80,000 tokens and with at least 20 messages,
    /// and in the tool loop at 85 % and 92 % of the window. The last 2 rounds stay, and the summarizer gets the older
    /// messages themselves. Large tool results are offloaded when a request begins.
    pub fn request(window: u32) -> Self {
        let offload = Reducer::OffloadToolResults(OffloadToolResults {
            protect_fraction: 0.0,
            ..OffloadToolResults::default()
        });
        Self {
            triggers: vec![
                Trigger::RequestBoundary(RequestBoundary::default()),
                Trigger::Reactive(Reactive::default()),
            ],
            keep: Keep::Rounds(2),
            reducers: vec![ReducerRule::when(
                offload,
                Trigger::at(Phase::RequestStart, Trigger::Always),
            )],
            summary: SummarySettings {
                input: SummaryInput::Messages,
                ..SummarySettings::default()
            },
            summary_placement: SummaryPlacement::InPlace,
            ..Self::bare(window)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_works_in_a_window_of_200_000_tokens() {
        for name in PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            assert_eq!(policy.check(), Ok(()), "{name}");
        }
        assert_eq!(Policy::preset("best", 1), None);
    }

    #[test]
    fn the_recommended_policy_works_in_every_window() {
        for window in [2, 100, 4_096, 128_000, 2_000_000, u32::MAX] {
            let policy = Policy::recommended(window);
            assert_eq!(policy.check(), Ok(()), "{window}");
            assert!(policy.target_tokens() < policy.threshold().unwrap(), "{window}");
        }
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
            assert_eq!(counts(name), (vec![Trigger::Messages(trigger)], Keep::Messages(keep)));
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
