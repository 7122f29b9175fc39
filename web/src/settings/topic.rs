//! The topics of the sheet, and the settings of each.

use epitome::Policy;
use leptos::prelude::Read as _;

use super::SettingsState;
use super::counting::{
    attempts, by_characters, characters_per_token, counting, first_wait, longest_wait, tool_schemas,
};
use super::field::{Options, options, problem};
use super::keep::{KeepUnit, keep_unit};
use super::reducers::ReducerKind;
use super::result::{
    heartbeat_answer, keep_requests, locked_reasoning, min_saving, prepare_at, stale_summary,
    summary_placement, warning,
};
use super::setting::Setting;
use super::summary::{
    Writer, checklists, chunk_characters, chunks, closing, fallback_levels, fallback_levels_on,
    fallback_summarizers, input, label, last_request, ledger, max_tokens, named_agent, own_prompt,
    rollup, shape, structured_state, summarizer_window, tool_inputs, tool_results, tools,
    unsupported, writer,
};
use super::team::{
    blend, blend_at, blends, memory_in_summary, memory_tokens, task_tokens, task_writer,
};
use super::triggers::{
    TriggerKind, fixed_tokens, main_kind, output_reserve, phase, reactive, reactive_fields,
    request_boundary, request_boundary_fields, safety_margin, target, threshold_messages,
    threshold_share, threshold_tokens, trigger_kind,
};
use super::window::window;
use crate::language::t;

/// What a group of settings is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    When,
    Kept,
    Savings,
    Summary,
    Requests,
    Counting,
    Agents,
    Code,
}

options!(Topic {
    When: "when", t!("When to compact");
    Kept: "kept", t!("What stays");
    Savings: "savings", t!("Savings without a model");
    Summary: "summary", t!("The summary");
    Requests: "requests", t!("Asking the summarizer");
    Counting: "counting", t!("Window and counting");
    Agents: "agents", t!("Several agents");
    Code: "code", t!("JSON and TypeScript");
});

impl Topic {
    /// What it is about, in one sentence.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::When => t!("Percentages are shares of the window."),
            Self::Kept => t!("What a compaction leaves word for word."),
            Self::Savings => t!("What is shortened or removed before a summary is asked for."),
            Self::Summary => t!("What is written in place of the older messages."),
            Self::Requests => {
                t!("What the summarizer gets, and what happens if it does not answer.")
            }
            Self::Counting => t!("How much the model can read, and how that is measured."),
            Self::Agents => t!("What agents share, and what each has of its own."),
            Self::Code => t!("The same settings in the app that you write."),
        }
    }

    /// True if its title has all of these words, which are in lower case.
    pub(super) fn has(self, words: &[String]) -> bool {
        let text = self.label().to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    }

    /// Its settings, in the order in which they are shown.
    pub(super) fn settings(self) -> Vec<Setting> {
        match self {
            Self::When => when(),
            Self::Kept => kept(),
            Self::Savings => ReducerKind::ALL.iter().map(|kind| reducer(*kind)).collect(),
            Self::Summary => summary(),
            Self::Requests => requests(),
            Self::Counting => vec![
                window().into(),
                Setting::from(counting())
                    .with([Setting::from(characters_per_token()).only_if(by_characters)]),
                tool_schemas().into(),
            ],
            Self::Agents => vec![
                Setting::from(blend_at()).with([
                    Setting::from(blend()).only_if(blends),
                    Setting::from(memory_tokens()).only_if(blends),
                ]),
                memory_in_summary().into(),
                task_tokens().into(),
                task_writer().into(),
            ],
            Self::Code => Vec::new(),
        }
    }
}

/// The label of the field that is not valid, if one is shown for it.
pub(super) fn wrong_field(settings: SettingsState) -> Option<&'static str> {
    let policy = settings.policy.read();
    let shown: Vec<Setting> = Topic::ALL.iter().flat_map(|topic| topic.settings()).collect();
    let mut shown = shown.iter().flat_map(Setting::all).filter(|setting| setting.applies(&policy));
    let is_wrong = |setting: &&Setting| problem(settings, setting.field.name()).is_some();
    shown.find(is_wrong).map(|setting| setting.field.label())
}

fn when() -> Vec<Setting> {
    let at_request = |policy: &Policy| request_boundary().read(policy);
    let in_loop = |policy: &Policy| reactive().read(policy);
    let at_request =
        request_boundary_fields().map(|field| Setting::from(field).only_if(at_request));
    let in_loop = reactive_fields().map(|field| Setting::from(field).only_if(in_loop));
    vec![
        main_trigger(),
        target().into(),
        Setting::from(request_boundary()).with(at_request),
        Setting::from(reactive()).with(in_loop),
        prepare_at().into(),
        warning().into(),
        min_saving().into(),
    ]
}

fn main_trigger() -> Setting {
    let parts = TriggerKind::ALL.iter().flat_map(|kind| {
        let kind = *kind;
        // A match, so that a new kind does not compile until it says which fields it has.
        let fields = match kind {
            TriggerKind::Fill => vec![threshold_share(), fixed_tokens()],
            TriggerKind::Tokens => vec![threshold_tokens()],
            TriggerKind::Messages => vec![threshold_messages()],
            TriggerKind::Budget => vec![threshold_share(), output_reserve(), safety_margin()],
            TriggerKind::Manual => Vec::new(),
        };
        let only = move |policy: &Policy| main_kind(policy) == Some(kind);
        fields.into_iter().map(move |field| Setting::from(field).only_if(only))
    });
    let automatic = |policy: &Policy| main_kind(policy) != Some(TriggerKind::Manual);
    let phase = Setting::from(phase()).only_if(automatic);
    Setting::from(trigger_kind()).with(parts.chain([phase]))
}

fn kept() -> Vec<Setting> {
    let amounts = KeepUnit::ALL.iter().map(|unit| {
        let unit = *unit;
        Setting::from(unit.amount()).only_if(move |policy| KeepUnit::of(policy) == unit)
    });
    vec![
        Setting::from(keep_unit()).with(amounts),
        keep_requests().into(),
        last_request().into(),
        stale_summary().into(),
        locked_reasoning().into(),
        heartbeat_answer().into(),
    ]
}

fn reducer(kind: ReducerKind) -> Setting {
    let runs = move |policy: &Policy| kind.switch().read(policy);
    let when = Setting::from(kind.when()).only_if(runs);
    let share = Setting::from(kind.share()).only_if(move |policy| kind.has_share(policy));
    let fields = kind.fields().into_iter().map(|field| Setting::from(field).only_if(runs));
    Setting::from(kind.switch()).with([when, share].into_iter().chain(fields))
}

fn summary() -> Vec<Setting> {
    let written_by = |writer| move |policy: &Policy| Writer::of(policy) == writer;
    vec![
        Setting::from(writer()).with([
            Setting::from(named_agent()).only_if(written_by(Writer::Agent)),
            Setting::from(own_prompt()).only_if(written_by(Writer::OwnModel)),
        ]),
        Setting::from(shape()).only_if(|policy| Writer::of(policy) != Writer::OwnModel),
        structured_state().into(),
        summary_placement().into(),
        max_tokens().into(),
        unsupported().into(),
        ledger().into(),
        checklists().into(),
        rollup().into(),
        label().into(),
        closing().into(),
    ]
}

fn requests() -> Vec<Setting> {
    let retries = |policy: &Policy| fallback_levels_on().read(policy);
    vec![
        input().into(),
        summarizer_window().into(),
        chunk_characters().into(),
        chunks().into(),
        tools().into(),
        tool_results().into(),
        tool_inputs().into(),
        Setting::from(fallback_levels_on())
            .with([Setting::from(fallback_levels()).only_if(retries)]),
        fallback_summarizers().into(),
        attempts().into(),
        first_wait().into(),
        longest_wait().into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::form::Form;

    fn every(check: impl Fn(&Setting)) {
        for topic in Topic::ALL {
            topic.settings().iter().flat_map(Setting::all).for_each(&check);
        }
    }

    #[test]
    fn every_setting_says_in_one_sentence_what_it_does() {
        every(|setting| {
            let field = &setting.field;
            let (label, about) = (field.label(), field.about());
            assert!(about.ends_with('.') && !about.contains(". "), "{label}: {about:?}");
            assert!(!field.name().is_empty() && !label.is_empty());
        });
    }

    #[test]
    fn a_setting_is_found_by_any_of_its_words_and_by_those_of_what_depends_on_it() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = |text: &str| -> Vec<&'static str> {
            let settings = Topic::ALL.iter().flat_map(|topic| topic.settings());
            let settings: Vec<_> =
                settings.filter_map(|setting| setting.narrowed(&words(text))).collect();
            settings.iter().flat_map(Setting::all).map(|setting| setting.field.label()).collect()
        };
        assert_eq!(found("mineral"), [""; 0]);
        assert_eq!(found("checklists lost"), ["Checklists kept whole up to"]);
        assert_eq!(found("safetymargin"), ["Compact at", "Safety margin"]);
        assert_eq!(found("vocabulary estimate"), ["Tokens are counted by", "One token is"]);
    }

    #[test]
    fn resetting_every_setting_gives_the_preset_back() {
        for preset in epitome::policy::PRESETS {
            let mut form = Form::recommended();
            form.choose_preset(preset);
            let wanted = form.policy();
            form.edit(|policy| {
                let window = policy.window;
                *policy = Policy { window, ..Policy::team(window, Some((17, 15))) };
                policy.min_saving = 0.3;
                policy.summary.chunks = 7;
            });
            let settings: Vec<_> = Topic::ALL.iter().flat_map(|topic| topic.settings()).collect();
            for setting in &settings {
                setting.reset(&mut form, &wanted);
            }
            for setting in settings.iter().flat_map(Setting::all) {
                let changed = setting.is_changed(&form, &form.policy(), &wanted);
                assert!(!changed, "{preset}: {}", setting.field.name());
            }
        }
    }
}
