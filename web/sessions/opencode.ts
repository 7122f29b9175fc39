// Sessions that opencode exports, as messages of the AI SDK's page, whose parts have results too.

import type { Session } from "./read.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

/** The messages of an exported session. */
export function opencode(document: unknown): Session | undefined {
  const { info, messages } = fieldsOf(document);
  const entries = listOf(Array.isArray(document) ? document : messages).map(fieldsOf);
  const isOpencode = entries.length > 0 && entries.every((entry) => Array.isArray(entry.parts) && textOf(fieldsOf(entry.info).role) !== undefined);
  if (!isOpencode) {
    return undefined;
  }
  const said = entries.map(({ info: about, parts }) => {
    const { id, role } = fieldsOf(about);
    return { id, role, parts: listOf(parts).flatMap((part) => partOf(fieldsOf(part))) };
  });
  const { title, id } = fieldsOf(info);
  return { id: textOf(title) ?? textOf(id) ?? "opencode", messages: said.filter(({ parts }) => parts.length > 0) };
}

function partOf(part: Fields): object[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "reasoning":
      return [{ type: "reasoning", text: part.text }];
    case "step-start":
      return [{ type: "step-start" }];
    case "file":
      return [{ type: "file", mediaType: part.mime, url: part.url, ...(textOf(part.filename) !== undefined && { filename: part.filename }) }];
    case "tool": {
      const { status, input, output, error } = fieldsOf(part.state);
      const call = { type: `tool-${String(part.tool)}`, toolCallId: part.callID, input };
      const done = status === "completed" ? { state: "output-available", output } : { state: "output-error", errorText: error };
      return [{ ...call, ...(status === "completed" || status === "error" ? done : { state: "input-available" }) }];
    }
    default:
      return [];
  }
}
