//! The presets in words.

use crate::language::t;

/// The name that the page shows for a preset of the engine.
pub(crate) fn preset_label(name: &str) -> &'static str {
    match name {
        "recommended" => t!("Recommended"),
        "workstream" => t!("Workstream runtime"),
        "team" => t!("Team of agents"),
        "team-aggressive" => t!("Team, aggressive"),
        "team-strong" => t!("Team, strong"),
        "team-careful" => t!("Team, careful"),
        "team-none" => t!("Team, no summaries"),
        "loop" => t!("Agent loop"),
        "fill" => t!("Fill percent"),
        "request" => t!("Requests"),
        _ => "",
    }
}

/// What a preset of the engine does.
pub(super) fn preset_about(name: &str) -> &'static str {
    match name {
        "recommended" => {
            t!("At 75 % of the window, down to 50 %; saves tokens without a model first.")
        }
        "workstream" => {
            t!("At turn end, above 70 % or the window minus reserves; keeps 6 messages.")
        }
        "team" => t!("Above 17 messages; keeps 15. Old tool results are truncated."),
        "team-aggressive" => t!("Above 7 messages; keeps 5."),
        "team-strong" => t!("Above 12 messages; keeps 10."),
        "team-careful" => t!("Above 27 messages; keeps 25."),
        "team-none" => t!("Full history; in a full window the oldest messages are dropped."),
        "loop" => t!("At turn start, from 200,000 tokens; leaves one message with seven sections."),
        "fill" => t!(
            "Deduplicates at 50 %, compacts at 80 %; keeps 10 messages, or fewer if those are too large."
        ),
        "request" => {
            t!("At request start above 80,000 tokens, and in the tool loop at 85 % and 92 %.")
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::policy::PRESETS;

    #[test]
    fn every_preset_of_the_engine_is_described() {
        for preset in PRESETS {
            assert!(!preset_label(preset).is_empty(), "{preset}");
            assert!(preset_about(preset).ends_with('.'), "{preset}");
        }
    }
}
