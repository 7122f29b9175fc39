//! What the engine says about plans and compactions. It speaks English; the page translates what it says often.

use crate::language::{Language, t};

/// What the engine says, as a sentence with a full stop. It begins with a capital letter.
pub(crate) fn engine_sentence(message: &str) -> String {
    let mut characters = message.chars();
    let first = characters.next().map(char::to_uppercase);
    let sentence: String = first.into_iter().flatten().chain(characters).collect();
    translated(message).unwrap_or_else(|| engine_clause(&sentence))
}

/// What the engine says, behind a colon, with a full stop.
pub(crate) fn engine_clause(message: &str) -> String {
    let clause = || format!("{}.", message.trim_end_matches('.'));
    translated(message).unwrap_or_else(|| match Language::of_page().direction() {
        // The full stop stays at the end of the English words.
        "rtl" => format!("\u{2068}{}\u{2069}", clause()),
        _ => clause(),
    })
}

fn translated(message: &str) -> Option<String> {
    let is_english = Language::of_page() == Language::English;
    known(message).filter(|_| !is_english).map(str::to_owned)
}

/// The sentences of a plan that finds nothing to do.
fn known(message: &str) -> Option<&'static str> {
    Some(match message {
        "the conversation is empty" => t!("The conversation is empty."),
        "no reducer finds anything to save" => t!("No reducer finds anything to save."),
        "no task was completed since the last summary" => {
            t!("No task was completed since the last summary.")
        }
        "no compaction is needed: the conversation is below its threshold and its target" => {
            t!("No compaction is needed: the conversation is below its threshold and its target.")
        }
        "nothing is left to summarize: every message is pinned, a system prompt, or in the tail that the policy keeps" =>
        {
            t!(
                "Nothing is left to summarize: every message is pinned, a system prompt, or in the tail that the policy keeps."
            )
        }
        "the model accepts the reasoning behind the chosen end only with everything in front of it; choose a later end" =>
        {
            t!(
                "The model accepts the reasoning behind the chosen end only with everything in front of it; choose a later end."
            )
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::{Message, Role};
    use epitome::tokens::CharactersPer;
    use epitome::{Compactor, Contract, Policy, Reason};

    #[test]
    fn what_the_engine_says_becomes_a_sentence() {
        assert_eq!(engine_sentence("it is too large"), "It is too large.");
        assert_eq!(engine_clause("it is too large."), "it is too large.");
        assert_eq!(engine_sentence("the conversation is empty"), "The conversation is empty.");
    }

    #[test]
    fn the_sentences_of_a_plan_with_nothing_to_do_are_known() {
        let policy = Policy::recommended(4_000);
        let tokenizer = Box::new(CharactersPer(4));
        let mut compactor = Compactor::new(policy, Contract::default(), tokenizer).unwrap();
        let mut said = vec![compactor.plan(Reason::Manual).idle];
        for (id, role) in [("m1", Role::User), ("m2", Role::Assistant)] {
            compactor.append(Message::new(id.to_owned(), role, "Hello.".to_owned())).unwrap();
        }
        let reasons = [Reason::Manual, Reason::Reduce, Reason::Threshold, Reason::TaskTransition];
        said.extend(reasons.map(|reason| compactor.plan(reason).idle));
        for sentence in said {
            let sentence = sentence.unwrap();
            assert!(known(&sentence).is_some(), "{sentence}");
        }
    }
}
