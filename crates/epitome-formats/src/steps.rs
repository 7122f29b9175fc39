//! Ids of the steps that one message of the app is read as: `m7`, `m7#1`, `m7#2`.

use epitome::history::Log;
use epitome::message::{Message, MessageId, Role};

/// The id of a step of a message, by its index.
pub fn step_id(message: &MessageId, index: usize) -> MessageId {
    match index {
        0 => message.clone(),
        _ => format!("{message}#{index}").into(),
    }
}

/// The app's message that a step belongs to, and the index of the step in it.
pub fn split_step_id(id: &MessageId) -> (MessageId, usize) {
    match split(id) {
        Some((message, index)) => (message.into(), index),
        None => (id.clone(), 0),
    }
}

/// The steps that a log has of a message, in order.
pub fn steps_of<'a>(log: &'a Log, message: &MessageId) -> impl Iterator<Item = &'a Message> {
    let message = message.clone();
    (0..).map_while(move |index| {
        let step = step_id(&message, index);
        let position = log.position(&step);
        position.and_then(|position| log.message(position)).or_else(|| log.aside(&step))
    })
}

/// Makes a message have exactly `count` steps. The last one takes over the parts of surplus steps; missing
/// steps are added without parts.
///
/// A message that changed may be read as more or fewer steps than before, but the log has a fixed number.
pub fn fit_steps(mut steps: Vec<Message>, message: &MessageId, count: usize) -> Vec<Message> {
    while steps.len() > count.max(1) {
        // From the end, so that each step takes over what came directly after it and the order of the parts
        // stays.
        let Some(surplus) = steps.pop() else { break };
        if let Some(last) = steps.last_mut() {
            last.parts.extend(surplus.parts);
            // A step with calls as well as their results is the assistant's: tools make no calls.
            if surplus.role == Role::Assistant {
                last.role = surplus.role;
            }
        }
    }
    let missing = steps.len()..count;
    steps.extend(
        missing.map(|index| Message::with_parts(step_id(message, index), Role::User, Vec::new())),
    );
    steps
}

/// True for an id that has the form of a later step's id.
pub(crate) fn is_step_id(id: &MessageId) -> bool {
    split(id).is_some()
}

fn split(id: &MessageId) -> Option<(&str, usize)> {
    let (message, index) = id.as_str().rsplit_once('#')?;
    // `parse` also accepts `+1` and `01`, which are not ids of steps.
    let plain = index.bytes().all(|byte| byte.is_ascii_digit()) && !index.starts_with('0');
    Some((message, index.parse().ok().filter(|_| plain)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_step_names_its_message() {
        let message = MessageId::from("m7");
        for index in [0, 1, 12] {
            assert_eq!(split_step_id(&step_id(&message, index)), (message.clone(), index));
        }
        for own in ["m7", "a#b", "a#", "a#01", "#x1"] {
            assert!(!is_step_id(&own.into()), "{own}");
        }
        assert!(is_step_id(&"m7#1".into()));
    }
}
