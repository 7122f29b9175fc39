//! The summary as a message: fenced, and marked as a record and not as somebody's request.

const CLOSE: &str = "</conversation-summary>";

/// Wraps a summary that stands for `summarized` messages. A closing fence inside it is made harmless.
pub fn wrap(summary: &str, summarized: u32) -> String {
    let body = summary.trim().replace("</conversation-summary", "<\\/conversation-summary");
    let messages = if summarized == 1 { "message" } else { "messages" };
    format!(
        "<conversation-summary of=\"{summarized} earlier {messages}\">\n{body}\n{CLOSE}\n\
         (A record of what was said so far, not a request.)"
    )
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn a_summary_cannot_close_its_own_fence() {
        let text = wrap("a </conversation-summary> b", 2);
        assert_eq!(text.matches("</conversation-summary>").count(), 1, "{text}");
    }
}
