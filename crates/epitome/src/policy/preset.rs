//! Policies by name: what the field has learned, and how five other systems work.

use super::{
    Budget, Counting, Fill, Keep, LastRequest, OffloadToolResults, Phase, Policy, Reactive,
    Reducer, ReducerRule, RequestBoundary, Shape, SummaryPlacement, SummarySettings, ToolFilter,
    Trigger, TruncateToolResults,
};
use crate::policy::Retry;

/// The names of presets, in the order to show them.
pub const PRESETS: [&str; 10] = [
    "recommended",
    "workstream",
    "team",
    "team-aggressive",
    "team-strong",
    "team-careful",
    "team-none",
    "loop",
    "fill",
    "request",
];

/// Share of the window in which the field keeps what people said word for word, up to this many tokens.
const REQUESTS_FRACTION: f64 = 0.1;
const REQUESTS_TOKENS: u32 = 20_000;

impl Policy {
    /// The preset of this name for a window of `window` tokens; `None` where there is none.
    pub fn preset(name: &str, window: u32) -> Option<Self> {
        Some(match name {
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
            _ => return None,
        })
    }

    /// What the field has learned: act at three quarters of the window, come down to half; save without
    /// a model first, where that saves enough; keep a fifth of the window and the latest of what people
    /// said; react to a prompt that is refused.
    pub fn recommended(window: u32) -> Self {
        let worth = super::trigger::share(window, 0.1).min(20_000);
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
            keep_requests_tokens: super::trigger::share(window, REQUESTS_FRACTION)
                .min(REQUESTS_TOKENS),
            reducers: vec![
                ReducerRule::when(
                    Reducer::Deduplicate,
                    Trigger::Fill(Fill { fraction: 0.5, max_tokens: 0 }),
                ),
                ReducerRule { min_saving_tokens: worth, ..ReducerRule::in_compactions(offload) },
            ],
            summary: SummarySettings::default(),
            summary_placement: SummaryPlacement::SystemSummaryTail,
            min_saving: 0.05,
            retry: Retry::default(),
            tool_schema_tokens: 0,
            counting: Counting::Estimate,
            model: None,
        }
    }

    /// Nothing but what every policy has: for presets to build on.
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

    /// A workstream runtime: at 70 % of the window or what the reserves leave, checked when a turn ends;
    /// 6 messages stay; three sections, tools by allow-list, rollup at 80,000 tokens; the summary is a
    /// leading system message.
    pub fn workstream(window: u32) -> Self {
        let tools = ["userQuestions", "proceedInOnboarding", "linear*"];
        Self {
            triggers: vec![Trigger::at(Phase::TurnEnd, Trigger::Budget(Budget::default()))],
            keep: Keep::Messages(6),
            summary: SummarySettings {
                max_tokens: 80_000,
                rollup_tokens: 80_000,
                chunk_characters: 120_000,
                tools: ToolFilter::Only(tools.map(str::to_owned).into()),
                shape: Shape::ThreeSections,
                ..SummarySettings::default()
            },
            summary_placement: SummaryPlacement::LeadingSystem,
            retry: Retry { attempts: 2, base_ms: 3_000, cap_ms: 60_000 },
            counting: Counting::CharactersPerToken(3),
            model: None,
            ..Self::bare(window)
        }
    }

    /// A team of agents: results are truncated by age; above a number of messages, all but the latest
    /// are summarized. `counts` are the messages it takes and those that stay; `None`: nothing is ever
    /// summarized, and a full window loses its oldest messages.
    pub fn team(window: u32, counts: Option<(u32, u32)>) -> Self {
        let age = ReducerRule::when(
            Reducer::TruncateToolResults(TruncateToolResults::default()),
            Trigger::Always,
        );
        let bare = Self::bare(window);
        match counts {
            Some((trigger, keep)) => Self {
                triggers: vec![Trigger::Messages(trigger)],
                keep: Keep::Messages(keep),
                reducers: vec![age],
                ..bare
            },
            None => {
                let full = Trigger::Fill(Fill { fraction: 1.0, max_tokens: 0 });
                Self {
                    reducers: vec![age, ReducerRule::when(Reducer::DropOldest, full)],
                    summary: SummarySettings { default_agent: None, ..bare.summary.clone() },
                    // A step each time that frees little would cost the cache each time.
                    target: 0.8,
                    ..bare
                }
            }
        }
    }

    /// A middleware of an agent's loop: at 200,000 tokens, checked before a turn; seven sections; what
    /// is left is the system prompt and one user message, with the last request word for word.
    pub fn loop_middleware(window: u32) -> Self {
        Self {
            triggers: vec![Trigger::at(Phase::TurnStart, Trigger::Tokens(200_000))],
            summary: SummarySettings {
                shape: Shape::SevenSections,
                last_request: LastRequest::Append,
                ..SummarySettings::default()
            },
            summary_placement: SummaryPlacement::OneMessage,
            ..Self::bare(window)
        }
    }

    /// By percent of the window: repeated machine-made messages go at 50 %, a compaction comes at 80 %;
    /// 10 messages stay; tool results of 200 characters in the transcript, and fewer where the result is
    /// too large.
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

    /// At the border of a request above 80,000 tokens and 20 messages, and in the loop at 85 % and 92 %
    /// of the window; 2 rounds stay; large tool results are put aside.
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
            summary_placement: SummaryPlacement::InPlace,
            ..Self::bare(window)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_its_name_and_works_in_a_window_of_200_000() {
        for name in PRESETS {
            let policy = Policy::preset(name, 200_000).unwrap();
            assert_eq!(policy.check(), Ok(()), "{name}");
        }
        assert_eq!(Policy::preset("best", 1), None);
    }

    #[test]
    fn the_recommended_policy_works_for_every_window() {
        for window in [2, 100, 4_096, 128_000, 2_000_000, u32::MAX] {
            let policy = Policy::recommended(window);
            assert_eq!(policy.check(), Ok(()), "{window}");
            assert!(policy.target_tokens() < policy.threshold().unwrap(), "{window}");
        }
    }

    #[test]
    fn b2_d1_the_workstream_preset_acts_at_140_000_and_keeps_6() {
        let policy = Policy::workstream(200_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(140_000), Keep::Messages(6)));
    }

    #[test]
    fn b7_team_presets_act_above_and_keep_as_many_messages_as_they_say() {
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
    fn b3_b4_the_fill_preset_trims_at_half_and_compacts_at_eighty_percent() {
        let policy = Policy::fill_percent(100_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(80_000), Keep::Messages(10)));
        let trim = policy.reducers[0].when.as_ref().unwrap();
        assert_eq!(trim.threshold(100_000), Some(50_000));
    }

    #[test]
    fn b5_the_loop_preset_acts_at_200_000_and_leaves_one_message() {
        let policy = Policy::loop_middleware(1_000_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(200_000), Keep::Messages(0)));
        assert_eq!(policy.summary_placement, SummaryPlacement::OneMessage);
    }

    #[test]
    fn b8_b9_the_request_preset_acts_at_the_border_and_in_the_loop() {
        let policy = Policy::request(200_000);
        assert_eq!((policy.threshold(), policy.keep), (Some(80_000), Keep::Rounds(2)));
        assert_eq!(policy.reactive().map(|reactive| reactive.max_per_request), Some(3));
    }
}
