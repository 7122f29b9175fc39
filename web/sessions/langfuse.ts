// Exports of Langfuse: the latest request of a trace, with its answer.

import type { Session } from "./read.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

/** The messages of the latest generation in an observation, a list of them, or a trace. */
export function langfuse(document: unknown): Session | undefined {
  const { observations, name, id } = fieldsOf(document);
  const all = listOf(observations ?? (Array.isArray(document) ? document : [document])).map(fieldsOf);
  const generations = all.filter(({ type, input }) => type === "GENERATION" && messagesOf(input).length > 0);
  const startOf = ({ startTime }: Fields): string => String(startTime ?? "");
  const latest = [...generations].sort((one, other) => startOf(one).localeCompare(startOf(other))).at(-1);
  if (latest === undefined) {
    return undefined;
  }
  return { id: textOf(name) ?? textOf(latest.name) ?? textOf(id) ?? "Langfuse", messages: [...messagesOf(latest.input), ...answerOf(latest.output)] };
}

/** Input and output are JSON, or a text with JSON. */
function valueOf(value: unknown): unknown {
  if (typeof value !== "string") {
    return value;
  }
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function messagesOf(given: unknown): readonly object[] {
  const input = valueOf(given);
  const list = Array.isArray(input) ? input : listOf(fieldsOf(input).messages ?? fieldsOf(input).input);
  return list.map(fieldsOf).filter((message) => Object.keys(message).length > 0);
}

function answerOf(given: unknown): readonly object[] {
  const output = valueOf(given);
  if (typeof output === "string") {
    return output === "" ? [] : [{ role: "assistant", content: output }];
  }
  const fields = fieldsOf(output);
  const chosen = fieldsOf(fieldsOf(listOf(fields.choices)[0]).message);
  const found = [listOf(output), listOf(fields.output), listOf(fields.messages), [chosen], [fields]].find((list) => list.some((message) => isMessage(fieldsOf(message))));
  return (found ?? []).map(fieldsOf).filter(isMessage);
}

function isMessage({ role, type }: Fields): boolean {
  return textOf(role) !== undefined || type === "function_call" || type === "reasoning";
}
