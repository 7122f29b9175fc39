// Sessions of pi: a tree of entries with messages of its own, here as those of Anthropic.

import { pathOf } from "./path.js";
import type { Session } from "./read.js";
import { type Message, withJoinedResults } from "./results.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

/** The messages that the model has: a compaction stands for those in front of the first one that it has kept. */
export function pi(entries: readonly Fields[]): Session | undefined {
  const header = entries.find(({ type }) => type === "session");
  if (header === undefined) {
    return undefined;
  }
  const path = pathOf(entries.filter(({ type }) => type !== "session"), ({ id }) => textOf(id), ({ parentId }) => textOf(parentId));
  const compaction = path.filter(({ type }) => type === "compaction").at(-1);
  const summary = textOf(compaction?.summary);
  const first = compaction === undefined ? 0 : path.findIndex(({ id }) => id !== undefined && id === compaction.firstKeptEntryId);
  const kept = path.slice(first === -1 ? path.indexOf(compaction as Fields) : first);
  const said = kept.filter(({ type }) => type === "message").flatMap(({ message }) => messageOf(fieldsOf(message)));
  const messages = [...(summary === undefined ? [] : [{ role: "user", content: summary }]), ...withJoinedResults(said)];
  return { id: textOf(header.id) ?? "pi", messages };
}

function messageOf(message: Fields): Message[] {
  const { role, content } = message;
  switch (role) {
    case "user":
      return [{ role, content: typeof content === "string" ? content : listOf(content).flatMap((part) => blockOf(fieldsOf(part))) }];
    case "assistant": {
      const blocks = listOf(content).flatMap((part) => blockOf(fieldsOf(part)));
      return blocks.length === 0 ? [] : [{ role, content: blocks }];
    }
    case "toolResult": {
      const result = { type: "tool_result", tool_use_id: message.toolCallId, is_error: message.isError === true };
      return [{ role: "user", content: [{ ...result, content: listOf(content).flatMap((part) => blockOf(fieldsOf(part))) }] }];
    }
    case "bashExecution":
      return [{ role: "user", content: `$ ${String(message.command)}\n${String(message.output)}` }];
    default:
      return [];
  }
}

function blockOf(part: Fields): object[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "toolCall":
      return [{ type: "tool_use", id: part.id, name: part.name, input: part.arguments }];
    case "thinking":
      // Without its signature no model takes it back.
      return part.thinkingSignature === undefined ? [] : [{ type: "thinking", thinking: part.thinking, signature: part.thinkingSignature }];
    case "image":
      return [{ type: "image", source: { type: "base64", media_type: part.mimeType, data: part.data } }];
    default:
      return [];
  }
}
