//! Which messages the list is limited to.

use epitome::message::{Message, Part, Role};

use super::choice::Span;
use super::fill::{is_image, is_reasoning};
use super::outlook::Treatment;

/// A kind of messages, as the meter has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Those of a role.
    Of(Role),
    /// Those that are pinned.
    Pinned,
    /// Those with reasoning.
    Reasoning,
    /// Those with images.
    Images,
}

impl Kind {
    fn accepts(self, message: &Message) -> bool {
        match self {
            Self::Of(role) => message.role == role,
            Self::Pinned => message.pinned,
            Self::Reasoning => message.parts.iter().any(is_reasoning),
            Self::Images => message.parts.iter().any(is_image),
        }
    }
}

/// A limit of the list. Without words, kind, treatment and span it lets everything through.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    /// Words that a message has to contain, all of them, in any order and any case.
    pub(crate) words: String,
    /// The kind that a message has to be of.
    pub(crate) kind: Option<Kind>,
    /// What has to happen to a message.
    pub(crate) treatment: Option<Treatment>,
    /// Between which positions it has to be.
    pub(crate) span: Option<Span>,
}

impl Filter {
    /// True if it limits anything.
    pub(crate) fn is_set(&self) -> bool {
        self.kind.is_some()
            || self.treatment.is_some()
            || self.span.is_some()
            || !self.words.trim().is_empty()
    }

    /// True if it lets the message at a position through. A message that the engine composed has none.
    pub(crate) fn reaches(&self, position: Option<usize>) -> bool {
        self.span.is_none_or(|(first, last)| {
            position.is_some_and(|position| (first..=last).contains(&position))
        })
    }

    /// True if it lets a message at any position through, to which `treatment` happens. Linear in the message if there are words.
    pub(crate) fn accepts(&self, message: &Message, treatment: Option<Treatment>) -> bool {
        self.kind.is_none_or(|kind| kind.accepts(message))
            && self.treatment.is_none_or(|wanted| treatment == Some(wanted))
            && self.words.to_lowercase().split_whitespace().all(|word| contains(message, word))
    }
}

/// True if a part of the message contains a word that is in lower case.
fn contains(message: &Message, word: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(word);
    message.author.as_deref().is_some_and(has)
        || message.parts.iter().any(|part| match part {
            Part::Text { text } | Part::Reasoning { text, .. } => has(text),
            Part::ToolCall { name, arguments, .. } => has(name) || has(arguments),
            Part::ToolResult { text, .. } => has(text),
            Part::Approval { .. } | Part::Image(_) | Part::File(_) | Part::Other { .. } => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use epitome::message::Media;

    #[test]
    fn words_role_and_treatment_limit_the_list_together() {
        let message = Message::new("m", Role::User, "The order BW-48213");
        let accepts = |words: &str, role: Option<Role>, treatment| {
            let kind = role.map(Kind::Of);
            let filter = Filter { words: words.to_owned(), kind, treatment, span: None };
            filter.accepts(&message, Some(Treatment::Kept))
        };
        assert!(accepts("", None, None));
        assert!(accepts(" bw-48213 ", Some(Role::User), Some(Treatment::Kept)));
        assert!(accepts("bw-48213 order", None, None));
        assert!(!accepts("order bw-9", None, None));
        assert!(!accepts("bw-48213", Some(Role::Tool), None));
        assert!(!accepts("bw-48213", None, Some(Treatment::Gone)));
        assert!(!accepts("bw-9", None, None));
    }

    #[test]
    fn pinned_messages_reasoning_and_images_are_kinds() {
        let kinds = [Kind::Pinned, Kind::Reasoning, Kind::Images];
        let of = |message: &Message| kinds.map(|kind| kind.accepts(message));
        let pinned = Message { pinned: true, ..Message::new("m", Role::User, "No.") };
        assert_eq!(of(&pinned), [true, false, false]);
        let thought = Part::Reasoning { text: "hm".into(), signature: None };
        let image = Part::Image(Media::default());
        let message = Message::with_parts("m", Role::Assistant, vec![thought, image]);
        assert_eq!(of(&message), [false, true, true]);
    }

    #[test]
    fn a_span_limits_the_list_to_what_is_inside() {
        let filter = Filter { span: Some((2, 4)), ..Filter::default() };
        assert!(filter.is_set());
        assert_eq!([1, 2, 4, 5].map(|at| filter.reaches(Some(at))), [false, true, true, false]);
        assert!(!filter.reaches(None));
        assert!(Filter::default().reaches(None));
    }

    #[test]
    fn a_filter_of_spaces_limits_nothing() {
        assert!(!Filter { words: "  ".to_owned(), ..Filter::default() }.is_set());
        assert!(Filter { words: "a".to_owned(), ..Filter::default() }.is_set());
    }
}
