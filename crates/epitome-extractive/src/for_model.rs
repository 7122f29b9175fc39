//! The request to a model that summarizes: it is given the state of the messages, and amends it.

use epitome::GivenState;
use epitome::tokens::Tokenizer;
use epitome::transcript::Envelope;

use crate::state::{Changes, NOTES, State};

/// The smallest summary that has a state and a model's notes: half of a smaller one says too little of either.
const LEAST: u32 = 100;
/// Stands before the state in the section for what is tracked outside of the summary.
const LABEL: &str = "Read from the messages by a program:";
/// The same for its changes to the lists of a structured state.
const CHANGES: &str = "Changes to the lists above that the program makes:";

/// A request to a model, and what its answer stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRequest {
    /// What the summary begins with: the state, the heading of the model's notes, and in a fence the changes to the structured
    /// state, if it is asked for them. It is what [`epitome::Compactor::handle_summary_state`] takes.
    pub state: String,
    /// The instructions.
    pub system: String,
    /// The text to summarize.
    pub input: String,
}

/// The request to a model for a summary that begins with the state of the messages: what was asked for, what holds, what was done
/// with tools, what is known and what is open. The model is shown it and is asked for what it lacks, and for what in it is wrong or
/// no longer holds. The state takes at most half of `target_tokens`, as `tokenizer` counts them.
///
/// `system`, `envelope`, `given_state` and `asks_for_state` are those of the request without a state. Of the earlier summary only
/// what stands behind its state is shown; the state is read again with the new messages. `None` if there is no state, or if the
/// summary is shorter than 100 tokens: then the request stays as it is. Linear in the texts but for the search of things.
pub fn for_model(
    system: &str,
    envelope: &Envelope,
    target_tokens: u32,
    (given_state, asks_for_state): (GivenState, bool),
    tokenizer: &dyn Tokenizer,
) -> Option<ModelRequest> {
    if target_tokens < LEAST || given_state == GivenState::None {
        return None;
    }
    let is_shown = given_state == GivenState::Shown;
    let Envelope { previous_summary, entries, .. } = envelope;
    let (read, notes) = State::read(previous_summary, entries);
    let mut state = read.write_for_model(target_tokens, tokenizer);
    if state.is_empty() {
        return None;
    }
    let used = tokenizer.count(&state);
    let left = target_tokens.saturating_sub(used).max(1);
    let changes = asks_for_state
        .then(|| Changes::of(previous_summary, entries, target_tokens / 3, tokenizer))
        .flatten();
    let mut shown = vec![envelope.state.trim_end()];
    let mut system = system.to_owned();
    system.push_str(&match is_shown {
        true => format!(
            "\n\nThe part of <current_state> from \"{LABEL}\" on will stand before your notes. Repeat nothing of it: write \
             what it lacks, such as reasons, results and how things stand, and name what in it is wrong or no longer holds. It \
             takes {used} of the tokens: stay below {left} with your notes."
        ),
        false => format!("\n\nA list of names and numbers will stand before your notes: stay below {left} tokens."),
    });
    if is_shown {
        shown.extend([LABEL, state.trim_end()]);
    }
    if let Some((changes, _)) = changes.as_ref().filter(|_| is_shown) {
        shown.extend([CHANGES, changes]);
        system.push_str(
            " The changes to the lists behind it are made first: of your own, write those that they lack, and those that correct \
             them.",
        );
    }
    shown.retain(|part| !part.is_empty());
    let shown = Envelope {
        previous_summary: notes.trim_start().to_owned(),
        state: shown.join("\n"),
        notes: String::new(),
        entries: entries.clone(),
    };
    let input = shown.render();
    state.push_str(NOTES);
    if let Some((changes, _)) = changes {
        state.push_str("\n\n```json\n");
        state.push_str(&changes);
        state.push_str("\n```");
    }
    Some(ModelRequest { state, system, input })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::entries;
    use epitome::tokens::CharactersPer;

    const TOKENS: CharactersPer = CharactersPer(4);
    const SHOWN: (GivenState, bool) = (GivenState::Shown, false);

    fn envelope(previous_summary: &str, first: u32, texts: &[(&str, &str)]) -> Envelope {
        let entries = entries(first, texts);
        Envelope { previous_summary: previous_summary.to_owned(), entries, ..Envelope::default() }
    }

    fn booking() -> Envelope {
        envelope(
            "",
            1,
            &[
                ("user", "Please cancel my reservation DQST39. Never call me before noon."),
                ("assistant", "calls get_reservation {\"reservation_id\": \"DQST39\"}"),
                ("tool", "get_reservation answers: {\"reservation_id\": \"DQST39\"}"),
                ("assistant", "We decided to use the voucher of May. Shall I cancel it?"),
            ],
        )
    }

    #[test]
    fn d10_a_model_is_given_the_state_of_the_messages_and_asked_to_amend_it() {
        let given = for_model("Condense.", &booking(), 1_200, SHOWN, &TOKENS).unwrap();
        let expected = "Requests:\n\
            - [1] Please cancel my reservation DQST39. Never call me before noon.\n\
            Instructions and decisions:\n\
            - [1] Never call me before noon.\n\
            Done with tools:\n\
            - [2] get_reservation DQST39\n\
            Known:\n\
            - [1, 2, 3] reservation_id: DQST39\n\
            Open:\n\
            - [4] Shall I cancel it?";
        assert_eq!(given.state, format!("{expected}\nNotes:"));
        let shown = Envelope::parse(&given.input);
        assert_eq!(shown.state, format!("{LABEL}\n{expected}"));
        assert_eq!(shown.entries, booking().entries);
        assert!(
            given.system.starts_with("Condense.") && given.system.contains("what in it is wrong")
        );
        let used = TOKENS.count(&format!("{expected}\n"));
        assert!(
            given.system.contains(&format!("{used} of the tokens: stay below {} ", 1_200 - used))
        );
    }

    #[test]
    fn d18_of_an_earlier_summary_a_model_is_given_its_notes_and_the_state_once() {
        let first = for_model("", &booking(), 1_200, SHOWN, &TOKENS).unwrap();
        let summary = format!("{}\n## Key facts\nThe customer is in a hurry.", first.state);
        let next = Envelope {
            state: "Plan: basic".to_owned(),
            ..envelope(&summary, 5, &[("user", "Yes, and cancel the reservation KX7QP2 as well.")])
        };
        let given = for_model("", &next, 1_200, SHOWN, &TOKENS).unwrap();
        let shown = Envelope::parse(&given.input);
        assert_eq!(shown.previous_summary, "## Key facts\nThe customer is in a hurry.");
        assert!(
            shown.state.starts_with(&format!("Plan: basic\n{LABEL}\nRequests:\n")),
            "{}",
            shown.state
        );
        assert_eq!(
            given.input.matches("Never call me").count(),
            2,
            "as a request and as an instruction"
        );
        let known = "Known:\n- [1, 2, 3] reservation_id: DQST39\n- [5] reservation: KX7QP2\nNotes:";
        assert!(given.state.ends_with(known), "{}", given.state);
        assert!(!given.state.contains("Shall I cancel it?"), "the user has answered");
    }

    #[test]
    fn e1_a_model_is_given_the_changes_to_the_lists_that_it_amends() {
        let given = for_model("", &booking(), 900, (GivenState::Shown, true), &TOKENS).unwrap();
        let (_, changes) = given.state.split_once("Notes:\n\n```json\n").unwrap();
        let changes = changes.strip_suffix("\n```").unwrap();
        assert!(changes.contains("voucher of May"), "{changes}");
        assert!(Envelope::parse(&given.input).state.ends_with(&format!("{CHANGES}\n{changes}")));
        assert!(given.system.contains("that correct them"));
    }

    #[test]
    fn d10_a_model_that_has_repeated_a_state_is_not_shown_it_again() {
        let shown = for_model("", &booking(), 1_200, SHOWN, &TOKENS).unwrap();
        let hidden =
            for_model("Condense.", &booking(), 1_200, (GivenState::Hidden, false), &TOKENS)
                .unwrap();
        assert_eq!(hidden.state, shown.state);
        assert_eq!(Envelope::parse(&hidden.input).state, "");
        let left = 1_200 - TOKENS.count(hidden.state.strip_suffix(NOTES).unwrap());
        assert!(
            hidden.system.ends_with(&format!("stay below {left} tokens.")),
            "{}",
            hidden.system
        );
        assert_eq!(for_model("", &booking(), 600, (GivenState::None, false), &TOKENS), None);
    }

    #[test]
    fn d10_a_short_summary_and_one_without_a_state_are_the_models_alone() {
        assert_eq!(for_model("", &booking(), LEAST - 1, SHOWN, &TOKENS), None);
        let people = envelope("", 1, &[("user ann", "Hello."), ("user ben", "Hello Ann.")]);
        assert_eq!(for_model("", &people, 600, SHOWN, &TOKENS), None);
    }

    #[test]
    fn d10_the_state_takes_at_most_half_of_a_summary() {
        let orders: Vec<String> =
            (0..300).map(|at| format!("{{\"order_id\": \"W{at}\"}}")).collect();
        let listed = format!("list_orders answers: [{}]", orders.join(", "));
        let long = envelope("", 1, &[("assistant", "calls list_orders {}"), ("tool", &listed)]);
        for target in [LEAST, 300, 2_000] {
            let given = for_model("", &long, target, SHOWN, &TOKENS).unwrap();
            assert!(TOKENS.count(&given.state) <= target / 2 + 2, "{target}: {}", given.state);
        }
    }
}
