//! What stands behind every summary word for word: open tasks, and the last request where that is asked
//! for.

use crate::conversation::Conversation;
use crate::plan::keeps_last_request;
use crate::policy::Policy;

/// Appends the open tasks, and the last user request where the policy says so.
pub(crate) fn append(summary: &mut String, conversation: &Conversation, policy: &Policy) {
    if let Some(todo) = conversation.log().todo() {
        section(summary, "Open tasks, word for word:", todo);
    }
    if !keeps_last_request(policy)
        && let Some(position) = conversation.last_request()
        && let Some(message) = conversation.log().message(position)
    {
        section(summary, "The last request, word for word:", &message.text());
    }
}

fn section(summary: &mut String, title: &str, text: &str) {
    if !summary.is_empty() {
        summary.push_str("\n\n");
    }
    summary.push_str(title);
    summary.push('\n');
    summary.push_str(text.trim_end());
}
