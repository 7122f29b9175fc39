//! Ten written conversations of ten kinds, and their summaries as `bench/examples/` shows them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{data, engine, tokens};

/// The conversations: a title, and the messages in the notation of [`messages`].
pub(crate) const CHATS: [(&str, &str); 10] = [
    ("booking", include_str!("../chats/booking.txt")),
    ("coding", include_str!("../chats/coding.txt")),
    ("meeting", include_str!("../chats/meeting.txt")),
    ("support", include_str!("../chats/support.txt")),
    ("research", include_str!("../chats/research.txt")),
    ("data", include_str!("../chats/data.txt")),
    ("planning", include_str!("../chats/planning.txt")),
    ("chinese", include_str!("../chats/chinese.txt")),
    ("german", include_str!("../chats/german.txt")),
    ("writing", include_str!("../chats/writing.txt")),
];

/// The share of a conversation that its summary may have, in percent.
const SHARE: usize = 45;

/// The messages of a conversation, one for each line: `user NAME: text`, `assistant: text`, `call TOOL ARGUMENTS`,
/// `result TEXT` with `\n` as a line break. A line that begins with blanks belongs to the one before.
pub(crate) fn messages(chat: &str) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for line in chat.lines() {
        let id = format!("call_{}", messages.len() / 2);
        if let Some(more) = line.strip_prefix("  ") {
            let last = messages.last_mut().expect("a line before");
            last["content"] = format!("{}\n{more}", data::content(last)).into();
        } else if let Some(text) = line.strip_prefix("result ") {
            let call = messages.last().expect("a call")["tool_calls"][0]["id"].clone();
            let text = text.replace("\\n", "\n");
            messages.push(json!({"role": "tool", "tool_call_id": call, "content": text}));
        } else if let Some(call) = line.strip_prefix("call ") {
            let (name, arguments) = call.split_once(' ').expect("arguments");
            let function = json!({"name": name, "arguments": arguments});
            let call = json!({"id": id, "type": "function", "function": function});
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        } else {
            let (speaker, text) = line.split_once(": ").expect("a speaker");
            let mut message = json!({"role": speaker, "content": text});
            if let Some((role, name)) = speaker.split_once(' ') {
                message["role"] = role.into();
                message["name"] = name.into();
            }
            messages.push(message);
        }
    }
    messages
}

/// The summary of a written conversation.
pub(crate) fn summary(messages: &[Value]) -> String {
    let all: usize = messages.iter().map(|message| tokens::count(&data::text_of(message))).sum();
    // Not fitted to the share: a list of tasks stays whole beyond it.
    engine::summary_of(messages, u32::try_from(all * SHARE / 100).unwrap_or(u32::MAX))
}

/// Writes a file for each conversation: its summary, and the conversation below it.
pub(crate) fn write() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    fs::create_dir_all(&folder).expect("a folder for the examples");
    for (title, chat) in CHATS {
        let messages = messages(chat);
        let summary = summary(&messages);
        let (own, all) = (tokens::count(&summary), tokens::count(chat));
        let text = format!(
            "# {title}\n\nMade by `cargo xtask fidelity examples`: {all} tokens in {own}, without a model.\n\n\
             ```text\n{}\n```\n\n## The conversation\n\n```text\n{}\n```\n",
            summary.trim_end(),
            chat.trim_end()
        );
        fs::write(folder.join(format!("{title}.md")), text).expect("an example can be written");
    }
}
