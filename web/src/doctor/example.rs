//! Requests that providers refuse, to try the doctor with.

use crate::language::t;

/// An example.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    /// Its name.
    pub(super) title: fn() -> &'static str,
    /// The request.
    pub(super) request: &'static str,
    /// What the provider answered.
    pub(super) error: &'static str,
    /// The request before it; empty without one.
    pub(super) earlier: &'static str,
}

/// Every example, in the order shown.
pub(super) const EXAMPLES: [Example; 3] = [
    Example {
        title: || t!("A result without its call"),
        request: r#"{
  "model": "claude",
  "messages": [
    { "role": "user", "content": "<summary>The user wants the failing parser test fixed.</summary>" },
    { "role": "user", "content": [
      { "type": "tool_result", "tool_use_id": "toolu_04", "content": "1 test failed: dates" } ] },
    { "role": "assistant", "content": "The date parser drops the year." },
    { "role": "user", "content": "Then fix it." }
  ]
}"#,
        error: r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_04. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."}}"#,
        earlier: "",
    },
    Example {
        title: || t!("A call without its result"),
        request: r#"{
  "model": "gpt",
  "messages": [
    { "role": "system", "content": "You help with orders." },
    { "role": "user", "content": "Where is order BW-48213?" },
    { "role": "assistant", "content": null, "tool_calls": [
      { "id": "call_1", "type": "function", "function": { "name": "track", "arguments": "{\"order\":\"BW-48213\"" } } ] },
    { "role": "user", "content": "Hello?" }
  ]
}"#,
        error: r#"400 {"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1","type":"invalid_request_error","param":"messages.[3].role","code":null}}"#,
        earlier: "",
    },
    Example {
        title: || t!("Claude’s thinking, moved"),
        request: r#"{
  "model": "claude",
  "messages": [
    { "role": "user", "content": "<summary>They compared two train routes.</summary>" },
    { "role": "assistant", "content": [
      { "type": "thinking", "thinking": "The night train is cheaper.", "signature": "EqQBCkYIAxgC" },
      { "type": "text", "text": "Take the night train." } ] },
    { "role": "user", "content": "Book it." }
  ]
}"#,
        error: r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#,
        earlier: r#"{
  "model": "claude",
  "messages": [
    { "role": "user", "content": "Which route to Lisbon is best?" },
    { "role": "assistant", "content": "There are two." },
    { "role": "user", "content": "The cheaper one." },
    { "role": "assistant", "content": [
      { "type": "thinking", "thinking": "The night train is cheaper.", "signature": "EqQBCkYIAxgC" },
      { "type": "text", "text": "Take the night train." } ] },
    { "role": "user", "content": "Are you sure?" }
  ]
}"#,
    },
];

#[cfg(test)]
mod tests {
    use super::super::diagnosis::examine;
    use super::*;
    use epitome_formats::messages_of;

    #[test]
    fn each_example_shows_what_its_title_says() {
        let expected = ["OrphanResult", "MissingResult", "BoundReasoning"];
        for (example, expected) in EXAMPLES.iter().zip(expected) {
            let read = |text: &str| messages_of(serde_json::from_str(text).unwrap()).unwrap();
            let earlier = match example.earlier {
                "" => Vec::new(),
                earlier => vec![read(earlier)],
            };
            let diagnosis = examine(&read(example.request), example.error, &earlier);
            let found =
                diagnosis.found.iter().find(|it| format!("{:?}", it.issue.code) == expected);
            assert!(
                found.is_some_and(|found| found.is_named),
                "{}: {diagnosis:?}",
                (example.title)()
            );
        }
    }
}
