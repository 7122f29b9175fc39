//! Tests of validation, and of the repair of what it finds.

use super::*;
use crate::repair;
use serde_json::json;

fn call(id: &str) -> Value {
    json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } })
}

fn asks(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn answers(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "42" })
}

fn says(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

fn found(messages: &[Value], format: Format, strictness: Strictness) -> Vec<String> {
    let issues = validate(messages, format, strictness);
    issues.iter().map(|issue| format!("{} {:?}", issue.path, issue.code)).collect()
}

/// Checks the issues of messages, and that a repair leaves none.
fn check(messages: &Value, format: Format, expected: &[&str]) {
    let messages = messages.as_array().unwrap();
    assert_eq!(found(messages, format, Strictness::Provider), expected, "{messages:?}");
    let repaired = repair(messages, format);
    assert_eq!(repaired.left, [], "{messages:?}");
    assert_eq!(repaired.done.len(), expected.len(), "{messages:?}");
}

#[test]
fn valid_messages_have_no_issues() {
    let valid = json!([
        says("system", "be kind"),
        says("user", "hi"),
        asks(&["a", "b"]),
        answers("b"),
        answers("a"),
        says("assistant", "done"),
        says("user", "thanks"),
    ]);
    check(&valid, Format::OpenAiChat, &[]);
    let strict = found(valid.as_array().unwrap(), Format::OpenAiChat, Strictness::Strictest);
    assert!(strict.is_empty(), "{strict:?}");
}

#[test]
fn calls_and_results_that_do_not_match_are_found_and_repaired() {
    let chat = Format::OpenAiChat;
    let user = says("user", "hi");
    check(&json!([user, answers("a")]), chat, &["messages[1] OrphanResult"]);
    check(&json!([user, asks(&["a"]), user]), chat, &["messages[1].tool_calls[0] MissingResult"]);
    check(
        &json!([user, asks(&["a"]), answers("a"), answers("a")]),
        chat,
        &["messages[3] RepeatedResult"],
    );
    check(
        &json!([user, asks(&["a", "b"]), answers("a"), user, answers("b")]),
        chat,
        &["messages[4] MisplacedResult"],
    );
}

#[test]
fn a_result_directly_follows_its_call_or_an_answer_that_is_merged_with_it() {
    let chat = Format::OpenAiChat;
    let (user, ho) = (says("user", "hi"), says("assistant", "ho"));
    check(&json!([asks(&["a"]), answers("a")]), chat, &[]);
    let between = json!([user, asks(&["a"]), ho, answers("a")]);
    check(&between, chat, &["messages[3] MisplacedResult"]);

    let said = |role: &str, block: Value| json!({ "role": role, "content": [block] });
    let calls =
        said("assistant", json!({ "toolUse": { "toolUseId": "a", "name": "f", "input": {} } }));
    let result = json!({ "toolResult": { "toolUseId": "a", "content": [{ "text": "42" }] } });
    let talk = json!([
        said("user", json!({ "text": "hi" })),
        calls,
        said("assistant", json!({ "text": "ho" })),
        said("user", result),
    ]);
    let twice = "messages[2] SameRoleTwice";
    check(&talk, Format::Bedrock, &[twice]);
}

#[test]
fn the_place_of_a_system_message_is_named_by_what_is_wrong_with_it() {
    let (system, user) = (says("system", "be kind"), says("user", "hi"));
    let texts = |messages: &[&Value], format: Format| -> Vec<String> {
        let messages: Vec<Value> = messages.iter().copied().cloned().collect();
        let issues = validate(&messages, format, Strictness::Strictest);
        issues.into_iter().map(|issue| format!("{}: {}", issue.path, issue.message)).collect()
    };
    let chat = Format::OpenAiChat;
    assert_eq!(texts(&[&system, &user], chat), [""; 0]);
    let several = texts(&[&system, &system, &user], chat);
    assert_eq!(several, ["messages[1]: there are several system messages"]);
    let behind = texts(&[&user, &system, &user], chat);
    assert_eq!(behind, ["messages[1]: a system message comes after other messages"]);
    let separate = texts(&[&system, &user], Format::AiSdkModel);
    assert_eq!(separate, ["messages[0]: this format has no system messages among the messages"]);
}

#[test]
fn a_call_without_arguments_is_one_issue() {
    let mut calls = asks(&["a", "b"]);
    let functions = calls["tool_calls"].as_array_mut().unwrap();
    functions[0]["function"].as_object_mut().unwrap().remove("arguments");
    functions[1]["function"]["arguments"] = "{".into();
    let expected = [
        "messages[1].tool_calls[0].function.arguments MissingArguments",
        "messages[1].tool_calls[1] BrokenArguments",
    ];
    let messages = [says("user", "hi"), calls, answers("a"), answers("b")];
    assert_eq!(found(&messages, Format::OpenAiChat, Strictness::Provider), expected);
    let repaired = repair(&messages, Format::OpenAiChat);
    let codes = |issues: &[Issue]| issues.iter().map(|issue| issue.code).collect::<Vec<_>>();
    assert_eq!(codes(&repaired.left), [IssueCode::MissingArguments], "nobody knows them");
    assert_eq!(codes(&repaired.done), [IssueCode::BrokenArguments]);
}

#[test]
fn messages_that_are_malformed_by_themselves_are_found_and_repaired() {
    let chat = Format::OpenAiChat;
    let user = says("user", "hi");
    check(&json!([user, says("assistant", "")]), chat, &["messages[1] BlankMessage"]);
    check(&json!([user, says("Assistant", "ho")]), chat, &["messages[1].role UnknownRole"]);
    check(&json!([user, 7]), chat, &["messages[1] NotAMessage"]);
    let mut broken = asks(&["a"]);
    broken["tool_calls"][0]["function"]["arguments"] = "{\"a\":".into();
    let path = "messages[1].tool_calls[0] BrokenArguments";
    check(&json!([user, broken, answers("a")]), chat, &[path]);
    let repaired = repair(json!([user, broken, answers("a")]).as_array().unwrap(), chat);
    let crate::RepairedMessage::Composed { message, .. } = &repaired.messages[1] else { panic!() };
    let arguments = &message["tool_calls"][0]["function"]["arguments"];
    assert_eq!(arguments, "{\"unparsed\":\"{\\\"a\\\":\"}", "nothing is lost");
    broken["tool_calls"][0]["function"]["arguments"] = " ".into();
    let repaired = repair(json!([user, broken, answers("a")]).as_array().unwrap(), chat);
    let crate::RepairedMessage::Composed { message, .. } = &repaired.messages[1] else { panic!() };
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{}", "there is nothing to keep");
}

#[test]
fn what_only_some_servers_refuse_is_found_in_strict_mode() {
    let messages = [
        says("user", "hi"),
        says("user", "there"),
        says("system", "be kind"),
        asks(&["a"]),
        answers("a"),
        asks(&["a"]),
        answers("a"),
        says("assistant", "done"),
    ];
    check(&json!(messages), Format::OpenAiChat, &[]);
    let strict = found(&messages, Format::OpenAiChat, Strictness::Strictest);
    let expected = [
        "messages[1] SameRoleTwice",
        "messages[2] SystemInside",
        "messages[5].tool_calls[0] ReusedCallId",
        "messages[7] AssistantLast",
    ];
    assert_eq!(strict, expected);
}

#[test]
fn an_empty_list_is_an_issue_that_cannot_be_repaired() {
    let empty = found(&[], Format::OpenAiChat, Strictness::Provider);
    assert_eq!(empty, ["messages NothingSaid"]);
    let repaired = repair(&[], Format::OpenAiChat);
    assert_eq!((repaired.left.len(), repaired.done), (1, vec![]));
}

#[test]
fn anthropic_requires_results_first_and_in_one_user_message() {
    let anthropic = Format::Anthropic;
    let block = |id: &str| json!({ "type": "tool_use", "id": id, "name": "f", "input": {} });
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "42" });
    let text = json!({ "type": "text", "text": "so" });
    let user = says("user", "hi");
    let asks = json!({ "role": "assistant", "content": [block("a"), block("b")] });
    let said = |blocks: Value| json!({ "role": "user", "content": blocks });
    check(&json!([user, asks, said(json!([result("a"), result("b"), text]))]), anthropic, &[]);
    check(
        &json!([user, asks, said(json!([result("a"), text, result("b")]))]),
        anthropic,
        &["messages[2].content[2] MisplacedResult"],
    );
    check(
        &json!([user, asks, said(json!([result("a")])), said(json!([result("b")]))]),
        anthropic,
        &["messages[3].content[0] SplitResults"],
    );
    check(
        &json!([user, asks, said(json!([result("a"), text]))]),
        anthropic,
        &["messages[1].content[1] MissingResult"],
    );
    let blank = json!({ "type": "text", "text": "" });
    check(
        &json!([user, { "role": "assistant", "content": [blank, text] }]),
        anthropic,
        &["messages[1].content[0] BlankText"],
    );
    let reasoning = json!({ "type": "thinking", "thinking": "hm", "signature": "" });
    check(
        &json!([user, { "role": "assistant", "content": [reasoning, text] }]),
        anthropic,
        &["messages[1].content[0] UnsignedReasoning"],
    );
    let signed = json!({ "type": "thinking", "thinking": "hm", "signature": "x" });
    check(
        &json!([user, { "role": "assistant", "content": [signed] }, user]),
        anthropic,
        &["messages[1] ReasoningAlone"],
    );
    let thinks = json!({ "role": "assistant", "content": [signed] });
    check(
        &json!([user, thinks, thinks, user]),
        anthropic,
        &["messages[1] ReasoningAlone", "messages[2] ReasoningAlone"],
    );
    check(
        &json!([user, thinks, thinks, { "role": "assistant", "content": [text] }]),
        anthropic,
        &[],
    );
    check(
        &json!([user, { "role": "assistant", "content": [text, signed] }, user]),
        anthropic,
        &["messages[1].content[1] ReasoningAlone"],
    );
    let filled = json!({ "type": "tool_result", "tool_use_id": "a", "content": [text, blank] });
    let call = json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} });
    let calls = json!({ "role": "assistant", "content": [call] });
    check(
        &json!([user, calls, said(json!([filled]))]),
        anthropic,
        &["messages[2].content[0].content[1] BlankText"],
    );
    let five = json!({ "type": "tool_use", "id": "a", "name": "f", "input": 5 });
    check(
        &json!([user, { "role": "assistant", "content": [five] }, said(json!([result("a")]))]),
        anthropic,
        &["messages[1].content[0] BrokenArguments"],
    );
    let orphan = said(json!([result("z"), text]));
    check(&json!([orphan]), anthropic, &["messages[0].content[0] OrphanResult"]);
}

#[test]
fn repair_moves_results_first_and_keeps_everything_else() {
    let result = json!({ "type": "tool_result", "tool_use_id": "a", "content": "42", "x": 1 });
    let text = json!({ "type": "text", "text": "so", "cache_control": {} });
    let block = json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} });
    let messages = [
        says("user", "hi"),
        json!({ "role": "assistant", "content": [block] }),
        json!({ "role": "user", "content": [text, result], "y": 2 }),
    ];
    let repaired = repair(&messages, Format::Anthropic);
    let crate::RepairedMessage::Composed { sources, message } = &repaired.messages[2] else {
        panic!()
    };
    assert_eq!(sources, &[2]);
    assert_eq!(message, &json!({ "role": "user", "content": [result, text], "y": 2 }));
}

#[test]
fn a_repeated_message_id_is_found_and_repaired() {
    let ui = |id: Value, text: &str| json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] });
    let twice = json!([ui("a".into(), "hi"), ui("a-2".into(), "there"), ui("a".into(), "so")]);
    check(&twice, Format::AiSdkUi, &["messages[2].id RepeatedId"]);
    let repaired = repair(twice.as_array().unwrap(), Format::AiSdkUi);
    let crate::RepairedMessage::Composed { message, .. } = &repaired.messages[2] else { panic!() };
    assert_eq!(message, &ui("a-3".into(), "so"));

    let said =
        |id: &str| json!({ "type": "message", "id": id, "role": "assistant", "content": "ho" });
    let items = json!([says("user", "hi"), said("msg_1"), said("msg_1")]);
    check(&items, Format::OpenAiResponses, &["messages[2].id RepeatedId"]);
    let ran = |kind: &str| json!({ "type": kind, "id": "x", "call_id": "x", "output": "1", "action": {} });
    let asks = |call: &str, arguments: &str| {
        json!({
            "type": "function_call", "id": "fc_1", "call_id": call, "name": "f", "arguments": arguments,
        })
    };
    let answers =
        |call: &str| json!({ "type": "function_call_output", "call_id": call, "output": "42" });
    let talk = [says("user", "hi"), asks("a", "{}"), answers("a"), asks("b", "{"), answers("b")];
    let repaired = repair(&talk, Format::OpenAiResponses);
    let crate::RepairedMessage::Composed { message, .. } = &repaired.messages[3] else { panic!() };
    let arguments = message["arguments"].as_str();
    assert_eq!(arguments, Some("{\"unparsed\":\"{\"}"), "its id and its arguments are repaired");
    assert_eq!(message.get("id"), None);
    let shell =
        json!([says("user", "hi"), ran("local_shell_call"), ran("local_shell_call_output")]);
    check(&shell, Format::OpenAiResponses, &[]);
}

#[test]
fn ids_that_only_some_servers_refuse_are_found_in_strict_mode() {
    let check = |messages: Value, format: Format, expected: &str| {
        let messages = messages.as_array().unwrap();
        assert_eq!(found(messages, format, Strictness::Provider), [""; 0]);
        assert_eq!(found(messages, format, Strictness::Strictest), [expected]);
    };
    let reasoning = json!({ "type": "reasoning", "id": "84cf", "summary": [] });
    let items = json!([says("user", "hi"), reasoning, says("assistant", "ho")]);
    check(items, Format::OpenAiResponses, "messages[1].id RefusedId");
    let nameless = json!([{ "role": "user", "parts": [{ "type": "text", "text": "hi" }] }]);
    check(nameless, Format::AiSdkUi, "messages[0].id MissingId");
}

#[test]
fn an_empty_list_of_parts_next_to_calls_is_found_and_repaired() {
    let mut asks = asks(&["a"]);
    asks["content"] = json!([]);
    let mut result = answers("a");
    result["content"] = json!([]);
    let paths = ["messages[1].content MissingContent", "messages[2].content MissingContent"];
    check(&json!([says("user", "hi"), asks, result]), Format::OpenAiChat, &paths);
}

#[test]
fn misplaced_results_and_compactions_of_the_provider_are_found() {
    let said = |blocks: Value| json!({ "role": "assistant", "content": blocks });
    let (user, text) = (says("user", "hi"), json!({ "type": "text", "text": "so" }));
    let condensed = json!({ "type": "compaction", "content": null, "encrypted_content": "x" });
    let all = |messages: Value, format: Format| {
        found(messages.as_array().unwrap(), format, Strictness::Strictest)
    };
    let first = json!([said(json!([condensed])), user]);
    assert_eq!(all(first, Format::Anthropic), [""; 0]);
    let behind = json!([user, said(json!([text, condensed])), user]);
    assert_eq!(all(behind, Format::Anthropic), ["messages[1].content[1] MisplacedCompaction"]);
    let asks = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let result = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
    let paused = json!([user, said(json!([asks])), said(json!([result, text])), user]);
    assert_eq!(all(paused, Format::Anthropic), [""; 0]);
    let orphan = json!([user, said(json!([result, text])), user]);
    assert_eq!(all(orphan, Format::Anthropic), ["messages[1].content[0] OrphanResult"]);

    let trigger = json!({ "type": "compaction_trigger" });
    let responses = Format::OpenAiResponses;
    assert_eq!(all(json!([user, trigger]), responses), [""; 0]);
    let early = all(json!([user, trigger, user]), responses);
    assert_eq!(early, ["messages[1] MisplacedCompaction"]);
}

#[test]
fn a_message_with_only_spoken_output_is_not_blank() {
    let spoken = json!({ "role": "assistant", "content": null, "audio": { "id": "audio_1" } });
    check(&json!([says("user", "hi"), spoken, says("user", "so")]), Format::OpenAiChat, &[]);
}
