//! Which messages the list is limited to.

use epitome::message::{Message, Part, Role};

use super::outlook::Treatment;

/// A limit of the list. Without words, role and treatment it lets everything through.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    /// Words that a message has to contain, all of them, in any order and any case.
    pub(crate) words: String,
    /// The role that a message has to have.
    pub(crate) role: Option<Role>,
    /// What has to happen to a message.
    pub(crate) treatment: Option<Treatment>,
}

impl Filter {
    /// True if it limits anything.
    pub(crate) fn is_set(&self) -> bool {
        self.role.is_some() || self.treatment.is_some() || !self.words.trim().is_empty()
    }

    /// True if it lets a message through, to which `treatment` happens. Linear in the message if there are words.
    pub(crate) fn accepts(&self, message: &Message, treatment: Option<Treatment>) -> bool {
        self.role.is_none_or(|role| message.role == role)
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

    #[test]
    fn words_role_and_treatment_limit_the_list_together() {
        let message = Message::new("m", Role::User, "The order BW-48213");
        let accepts = |words: &str, role, treatment| {
            let filter = Filter { words: words.to_owned(), role, treatment };
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
    fn a_filter_of_spaces_limits_nothing() {
        assert!(!Filter { words: "  ".to_owned(), ..Filter::default() }.is_set());
        assert!(Filter { words: "a".to_owned(), ..Filter::default() }.is_set());
    }
}
