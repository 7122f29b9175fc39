//! The pieces that one of the host's messages was read as: `m7`, `m7#1`, `m7#2`.

use epitome::history::Log;
use epitome::message::{Message, MessageId, Role};

/// The id of a piece of a message, by its index.
pub fn piece_id(whole: &MessageId, index: usize) -> MessageId {
    match index {
        0 => whole.clone(),
        _ => format!("{whole}#{index}").into(),
    }
}

/// The host's message that a piece is of, and the index of the piece in it.
pub fn whole_of(id: &MessageId) -> (MessageId, usize) {
    match split(id) {
        Some((whole, index)) => (whole.into(), index),
        None => (id.clone(), 0),
    }
}

/// The pieces that a log has of a message, in order.
pub fn pieces_of<'a>(log: &'a Log, whole: &MessageId) -> impl Iterator<Item = &'a Message> {
    let whole = whole.clone();
    (0..).map_while(move |index| log.message(log.position(&piece_id(&whole, index))?))
}

/// Has a message be of `count` pieces: what is too much is said by the last one, and those that lack say
/// nothing.
pub fn fit(mut pieces: Vec<Message>, whole: &MessageId, count: usize) -> Vec<Message> {
    while pieces.len() > count.max(1) {
        let Some(surplus) = pieces.pop() else { break };
        if let Some(last) = pieces.last_mut() {
            last.parts.extend(surplus.parts);
            // Who calls, and says what comes of it, is the model.
            if surplus.role == Role::Assistant {
                last.role = surplus.role;
            }
        }
    }
    let lacking = pieces.len()..count;
    pieces.extend(
        lacking.map(|index| Message::with_parts(piece_id(whole, index), Role::User, Vec::new())),
    );
    pieces
}

/// True for an id that reads as that of a piece behind the first.
pub(crate) fn is_piece(id: &MessageId) -> bool {
    split(id).is_some()
}

fn split(id: &MessageId) -> Option<(&str, usize)> {
    let (whole, index) = id.as_str().rsplit_once('#')?;
    let plain = index.bytes().all(|byte| byte.is_ascii_digit()) && !index.starts_with('0');
    Some((whole, index.parse().ok().filter(|_| plain)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_piece_tells_the_whole() {
        let whole = MessageId::from("m7");
        for index in [0, 1, 12] {
            assert_eq!(whole_of(&piece_id(&whole, index)), (whole.clone(), index));
        }
        for own in ["m7", "a#b", "a#", "a#01", "#x1"] {
            assert!(!is_piece(&own.into()), "{own}");
        }
        assert!(is_piece(&"m7#1".into()));
    }
}
