//! The types of items, and where each type has its arguments, output and id.

use epitome::message::Role;
use serde_json::Value;

/// The only output that may name its call by `id`.
pub(super) const LOCAL_SHELL_OUTPUT: &str = "local_shell_call_output";

/// The text of a member.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

/// The member with the arguments, if the item is a call that the app answers.
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

/// The member with the output, if the item is an output of the app.
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

/// The id of an item. The `id` of a local shell output is that of its call, and not its own.
pub(super) fn id_of(item: &Value) -> Option<&str> {
    let is_own = text(item, "type") != Some(LOCAL_SHELL_OUTPUT);
    text(item, "id").filter(|id| is_own && !id.is_empty())
}

/// True for an item that the provider refuses without an id.
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

/// The prefix that ids of items of this type have, for types that the provider checks.
pub(super) fn prefix_of(item: &Value) -> Option<&'static str> {
    Some(match text(item, "type")? {
        "reasoning" => "rs_",
        "function_call" => "fc_",
        "custom_tool_call" => "ctc_",
        _ => return None,
    })
}

/// True for a tool search that the provider runs itself. Such a call needs no output of the app.
fn is_hosted(item: &Value) -> bool {
    text(item, "execution") == Some("server") || text(item, "call_id").is_none()
}

/// True for the output of a shell: a list of runs, each with two streams and an outcome.
pub(super) fn is_shell(item: &Value) -> bool {
    text(item, "type") == Some("shell_call_output")
}

/// True for a screenshot, the only output that is neither a text nor a list.
pub(super) fn is_screenshot(output: &Value) -> bool {
    text(output, "type") == Some("computer_screenshot")
}

/// True for an image or a file.
pub(super) fn is_media(part: &Value) -> bool {
    matches!(text(part, "type"), Some("input_image" | "input_file"))
}

/// The role of an item that is not a message, call or result of the app; `None` for unknown types.
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
        // It requests one compaction. As a system message it would be kept for good.
        | "compaction_trigger" => Role::Assistant,
        "additional_tools" | "configuration_update" => Role::System,
        _ => return None,
    })
}

/// The role with this name, and whether the provider itself uses the name.
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
