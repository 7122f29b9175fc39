//! What stands behind every summary word for word: open tasks, and the last request if the policy asks for
//! that.

use crate::conversation::Conversation;
use crate::policy::{Policy, SummarySettings};

/// The memory if the policy asks for that, the open tasks, and the message at `request`; empty if there is none of them.
pub(crate) fn appendix(
    conversation: &Conversation,
    policy: &Policy,
    request: Option<usize>,
) -> String {
    let mut appendix = match policy.memory.in_summary {
        true => conversation.log().memory().to_text(),
        false => String::new(),
    };
    if let Some(todo) = conversation.log().todo() {
        section(&mut appendix, "Open tasks, word for word:", todo);
    }
    if let Some(message) = request.and_then(|position| conversation.log().message(position)) {
        section(&mut appendix, "The last request, word for word:", &message.text());
    }
    appendix
}

/// What is tracked outside of the summary, for a summarizer: the open tasks, and the structured state if the policy asks for
/// changes to it; empty if there is neither.
pub(crate) fn tracked(conversation: &Conversation, settings: &SummarySettings) -> String {
    let mut tracked = conversation.log().todo().unwrap_or_default().to_owned();
    let state = conversation.log().structured_state();
    if settings.structured_state && !state.is_empty() {
        if !tracked.is_empty() {
            tracked.push_str("\n\n");
        }
        tracked.push_str(&state.to_text());
    }
    tracked
}

fn section(appendix: &mut String, title: &str, text: &str) {
    if !appendix.is_empty() {
        appendix.push_str("\n\n");
    }
    appendix.push_str(title);
    appendix.push('\n');
    appendix.push_str(text.trim_end());
}
