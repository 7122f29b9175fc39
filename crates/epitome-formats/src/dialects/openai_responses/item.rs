//! What kinds of items there are, and where each has what it says.

use epitome::message::Role;
use serde_json::Value;

/// The answer that may name its call by `id`.
pub(super) const LOCAL_SHELL_OUTPUT: &str = "local_shell_call_output";

/// A text under a key.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// Where a call that the app answers has its arguments.
pub(super) fn arguments_key(item: &Value) -> Option<&'static str> {
    Some(match text(item, "type")? {
        "function_call" => "arguments",
        "tool_search_call" if !is_hosted(item) => "arguments",
        "custom_tool_call" => "input",
        "local_shell_call" | "shell_call" => "action",
        "apply_patch_call" => "operation",
        "computer_call" if item.get("actions").is_some_and(Value::is_array) => "actions",
        "computer_call" => "action",
        _ => return None,
    })
}

/// Where an answer by the app has what it says.
pub(super) fn output_key(item: &Value) -> Option<&'static str> {
    Some(match text(item, "type")? {
        "function_call_output"
        | "custom_tool_call_output"
        | "local_shell_call_output"
        | "shell_call_output"
        | "apply_patch_call_output"
        | "computer_call_output" => "output",
        "tool_search_output" if !is_hosted(item) => "tools",
        _ => return None,
    })
}

/// The id that an item goes under. What a local shell printed has that of its call there.
pub(super) fn id_of(item: &Value) -> Option<&str> {
    let own = text(item, "type") != Some(LOCAL_SHELL_OUTPUT);
    text(item, "id").filter(|id| own && !id.is_empty())
}

/// True for an item that is refused without its id.
pub(super) fn needs_id(item: &Value) -> bool {
    !matches!(
        text(item, "type"),
        None | Some(
            "message"
                | "function_call"
                | "function_call_output"
                | "custom_tool_call"
                | "custom_tool_call_output"
                | "shell_call"
                | "shell_call_output"
                | "apply_patch_call"
                | "apply_patch_call_output"
                | "tool_search_call"
                | "tool_search_output"
                | "computer_call_output"
                | "mcp_approval_response"
                | "compaction"
        )
    ) || item.get("role").is_none() && item.get("type").is_none()
}

/// What the ids of such items begin with.
pub(super) fn prefix_of(item: &Value) -> Option<&'static str> {
    Some(match text(item, "type")? {
        "reasoning" => "rs_",
        "function_call" => "fc_",
        "custom_tool_call" => "ctc_",
        _ => return None,
    })
}

/// True for a search for tools that the provider runs by itself: it may come without what it found.
fn is_hosted(item: &Value) -> bool {
    text(item, "execution") == Some("server") || text(item, "call_id").is_none()
}

/// True for what a shell printed: a list of runs, each with two streams and an outcome.
pub(super) fn is_shell(item: &Value) -> bool {
    text(item, "type") == Some("shell_call_output")
}

/// True for the one output that is neither a text nor a list.
pub(super) fn is_screenshot(output: &Value) -> bool {
    text(output, "type") == Some("computer_screenshot")
}

/// True for a part that is a picture or a file.
pub(super) fn is_media(part: &Value) -> bool {
    matches!(text(part, "type"), Some("input_image" | "input_file"))
}

/// Who speaks in what is no message, call or result.
pub(super) fn role_of(kind: &str) -> Option<Role> {
    Some(match kind {
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "tool_search_call"
        | "tool_search_output"
        | "mcp_call"
        | "mcp_list_tools"
        | "mcp_approval_request"
        | "program"
        | "program_output"
        | "item_reference"
        | "compaction"
        // It asks for one compaction and is no standing instruction.
        | "compaction_trigger" => Role::Assistant,
        "additional_tools" | "configuration_update" => Role::System,
        _ => return None,
    })
}

/// The role of a name, and whether it is the name that the provider has for it.
pub(super) fn named(name: &str) -> (Role, bool) {
    match name {
        "system" | "developer" => (Role::System, true),
        "user" => (Role::User, true),
        "assistant" => (Role::Assistant, true),
        _ => match name.to_ascii_lowercase().as_str() {
            "system" | "developer" => (Role::System, false),
            "assistant" | "ai" | "model" => (Role::Assistant, false),
            _ => (Role::User, false),
        },
    }
}
