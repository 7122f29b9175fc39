//! Whether messages may stay as they were appended, checked while the log grows: the same as a check of all of them at once,
//! and the same as what repairing all of them changes.

use epitome::history::{Log, Record, View};
use epitome::message::MessageId;
use epitome_formats::{Format, Outgoing, Untouched, findings_of_accepted, fit_steps, steps_of};
use serde_json::Value;

use crate::choices::Choices;
use crate::formats::messages;

/// Some bytes choose which messages are edited and how, the others what the messages are.
pub(crate) fn check(bytes: &[u8]) {
    let (edits, rest) = bytes.split_at(bytes.len().min(8));
    let (mut edits, mut choices) = (Choices::new(edits), Choices::new(rest));
    let (messages, format) = messages(&mut choices);
    let Some(messages) = messages else { return };
    let (mut log, mut untouched) = (Log::default(), Untouched::default());
    // What each message is now.
    let mut present = messages.clone();
    for (index, message) in messages.iter().enumerate() {
        put(&mut log, format, index, message, true);
        agree(&mut untouched, format, &log, &present);
        if edits.once_in(4) {
            let (earlier, other) = (edits.below(index + 1), edits.below(messages.len()));
            if put(&mut log, format, earlier, &messages[other], false) {
                present[earlier] = messages[other].clone();
            }
            agree(&mut untouched, format, &log, &present);
        }
    }
}

/// Appends a message, or replaces it. False for one that cannot be read, which is left out.
fn put(log: &mut Log, format: Format, index: usize, message: &Value, is_new: bool) -> bool {
    let id = MessageId::from(format!("m{index}"));
    let Ok(reading) = format.read(&id, message) else { return false };
    let count = steps_of(log, &id).count();
    if is_new {
        for message in reading.messages {
            assert_eq!(log.append(Record::Message { message: message.into() }), Ok(()));
        }
    } else if count > 0 {
        for message in fit_steps(reading.messages, &id, count) {
            assert_eq!(log.append(Record::Edit { message: message.into() }), Ok(()));
        }
    } else {
        return false;
    }
    true
}

fn agree(untouched: &mut Untouched, format: Format, log: &Log, present: &[Value]) {
    let accepted = untouched.is_accepted(format, log);
    assert_eq!(
        accepted,
        Untouched::default().is_accepted(format, log),
        "{format:?}: message by message, and all at once: {:#?}",
        log.messages().collect::<Vec<_>>()
    );
    let values = |view: &View| -> Vec<Value> {
        let original = |id: &MessageId| {
            let index = id.as_str().strip_prefix('m')?.parse::<usize>().ok();
            present.get(index?)
        };
        let value = |outgoing| match outgoing {
            Outgoing::Keep(id) => original(&id).cloned().unwrap_or_default(),
            Outgoing::Composed(recipe) => recipe.compose(format, original),
        };
        format.compose(log, view).into_iter().map(value).collect()
    };
    // By value: a message that was edited may have steps with nothing in them, which a repair removes.
    let view = View::repaired(log, &format.contract());
    let repaired = values(&view);
    let unchanged = repaired == values(&View::as_appended(log));
    assert!(
        unchanged || !accepted,
        "{format:?}: accepted, and yet repaired: {:#?}",
        log.messages().collect::<Vec<_>>()
    );
    if accepted {
        assert_eq!(findings_of_accepted(format, log), view.findings, "{format:?}");
    }
}
