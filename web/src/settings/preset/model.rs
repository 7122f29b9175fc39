//! The presets as people read about them.

/// A preset in words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    /// The engine's name for it.
    pub(crate) name: &'static str,
    /// What it is called.
    pub(crate) label: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
}

const fn preset(name: &'static str, label: &'static str, about: &'static str) -> Preset {
    Preset { name, label, about }
}

/// Every preset, in the order shown.
pub(crate) const PRESETS: [Preset; 10] = [
    preset(
        "recommended",
        "Recommended",
        "At three quarters of the window, down to half; saves without a model first.",
    ),
    preset(
        "workstream",
        "Workstream runtime",
        "When a turn ends, at 70 % or what the reserves leave; 6 messages stay.",
    ),
    preset("team", "Team of agents", "Above 17 messages; 15 stay. Tool results fade with age."),
    preset("team-aggressive", "Team, aggressive", "Above 7 messages; 5 stay."),
    preset("team-strong", "Team, strong", "Above 12 messages; 10 stay."),
    preset("team-careful", "Team, careful", "Above 27 messages; 25 stay."),
    preset(
        "team-none",
        "Team, no summaries",
        "Tool results fade with age; a full window loses its oldest messages.",
    ),
    preset(
        "loop",
        "Agent loop",
        "Before a turn, at 200,000 tokens; one message with seven sections is left.",
    ),
    preset(
        "fill",
        "Fill percent",
        "Trims at 50 %, compacts at 80 %; 10 messages stay, and less where that is too much.",
    ),
    preset(
        "request",
        "Requests",
        "As a request begins above 80,000 tokens, and in the tool loop at 85 % and 92 %.",
    ),
];

#[cfg(test)]
mod tests {
    use super::PRESETS;

    #[test]
    fn every_preset_of_the_engine_is_told_about_in_its_order() {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names, epitome::policy::PRESETS);
    }
}
