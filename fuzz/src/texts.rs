//! Conversations of any texts: compacted with a summary made of their own sentences, and undone.

use epitome::message::{Message, Role};
use epitome::transcript::Envelope;
use epitome::{Compactor, Contract, Output, Policy, Reason};
use epitome_extractive::extract;
use epitome_tokens::Heuristic;

/// Texts are separated by zeros.
pub(crate) fn check(bytes: &[u8]) {
    let texts: Vec<String> = bytes
        .split(|byte| *byte == 0)
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .collect();
    for text in &texts {
        let envelope = Envelope::parse(text);
        let _ = Envelope::parse(&envelope.render());
        let _ = extract(&envelope, 100, &Heuristic);
    }
    let compactor =
        Compactor::new(Policy::recommended(300), Contract::default(), Box::new(Heuristic));
    let Ok(mut compactor) = compactor else { return };
    for (turn, text) in texts.iter().cycle().take(texts.len().max(12)).enumerate() {
        let role = if turn % 2 == 0 { Role::User } else { Role::Assistant };
        let added = compactor.append(Message::new(format!("m{turn}"), role, text.clone()));
        assert_eq!(added, Ok(()));
    }
    let before = compactor.view();
    let _ = compactor.compact(Reason::Manual, None);
    drive(&mut compactor);
    if compactor.undo().is_ok() {
        drive(&mut compactor);
        assert_eq!(compactor.view(), before, "undone");
    }
}

fn drive(compactor: &mut Compactor) {
    for _ in 0..10_000 {
        match compactor.poll_output() {
            Output::Before(_) => drop(compactor.proceed()),
            Output::Summarize(request) => {
                let summary = extract(&request.envelope(), request.target_tokens, &Heuristic);
                compactor.handle_summary_notes(request.id, &summary.notes);
                compactor.handle_summary(request.id, &summary.text);
            }
            Output::Persist(_) => drop(compactor.handle_persisted()),
            Output::Wait(Some(until)) => compactor.handle_timeout(until),
            Output::Wait(None) => return,
            Output::Save(_) | Output::Changed | Output::Event(_) | Output::Continue => {}
        }
    }
    panic!("the compactor never waits");
}
