// Sessions of Codex: the items of OpenAI's responses among events.

import type { Session } from "./read.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

/** The items that the model has: those behind a compaction begin with what it has put in their place. */
export function codex(entries: readonly Fields[]): Session | undefined {
  let input: object[] = [];
  let instructions: string | undefined;
  let id: string | undefined;
  for (const { type, payload } of entries) {
    const fields = fieldsOf(payload);
    if (type === "response_item") {
      input.push(fields);
    } else if (type === "compacted" && Array.isArray(fields.replacement_history)) {
      input = fields.replacement_history.map(fieldsOf);
    } else if (type === "session_meta") {
      id = textOf(fields.id);
      instructions = textOf(fieldsOf(fields.base_instructions).text) ?? textOf(fields.instructions);
    }
  }
  const known = input.filter((item) => KINDS.has(textOf(fieldsOf(item).type) ?? "") && !isEmpty(fieldsOf(item)));
  return known.length === 0 ? undefined : { id: id ?? "Codex", input: known, ...(instructions !== undefined && { instructions }) };
}

/** The items that a request may have. */
const KINDS = new Set([
  "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
  "local_shell_call_output", "web_search_call",
]);

function isEmpty({ type, content }: Fields): boolean {
  return type === "message" && listOf(content).length === 0;
}
