//! The presets in words.

/// A preset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preset {
    /// The engine's name for it.
    pub(super) name: &'static str,
    /// The name that the page shows.
    pub(super) label: &'static str,
    /// What it does.
    pub(super) about: &'static str,
}

const fn preset(name: &'static str, label: &'static str, about: &'static str) -> Preset {
    Preset { name, label, about }
}

/// Every preset of the engine, in its order.
pub(super) const PRESETS: [Preset; epitome::policy::PRESETS.len()] = [
    preset(
        "recommended",
        "Recommended",
        "At 75 % of the window, down to 50 %; saves tokens without a model first.",
    ),
    preset(
        "workstream",
        "Workstream runtime",
        "At turn end, above 70 % or the window minus reserves; keeps 6 messages.",
    ),
    preset(
        "team",
        "Team of agents",
        "Above 17 messages; keeps 15. Old tool results are truncated.",
    ),
    preset("team-aggressive", "Team, aggressive", "Above 7 messages; keeps 5."),
    preset("team-strong", "Team, strong", "Above 12 messages; keeps 10."),
    preset("team-careful", "Team, careful", "Above 27 messages; keeps 25."),
    preset(
        "team-none",
        "Team, no summaries",
        "Full history; in a full window the oldest messages are dropped.",
    ),
    preset(
        "loop",
        "Agent loop",
        "At turn start, from 200,000 tokens; leaves one message with seven sections.",
    ),
    preset(
        "fill",
        "Fill percent",
        "Deduplicates at 50 %, compacts at 80 %; keeps 10 messages, or fewer if those are too large.",
    ),
    preset(
        "request",
        "Requests",
        "At request start above 80,000 tokens, and in the tool loop at 85 % and 92 %.",
    ),
];

/// The name that the page shows for a preset of the engine.
pub(crate) fn preset_label(name: &str) -> &'static str {
    PRESETS.iter().find(|preset| preset.name == name).map_or("", |preset| preset.label)
}

#[cfg(test)]
mod tests {
    use super::PRESETS;

    #[test]
    fn every_preset_of_the_engine_is_described_in_its_order() {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names, epitome::policy::PRESETS);
    }
}
