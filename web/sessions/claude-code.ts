// Sessions of Claude Code: a tree of entries, of which several may be one message of the model.

import { pathOf } from "./path.js";
import type { Session } from "./read.js";
import { type Message, withJoinedResults } from "./results.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

/** The messages that the model has: behind the last compaction, without what was taken back and without subagents. */
export function claudeCode(all: readonly Fields[]): Session | undefined {
  const entries = all.filter(({ isSidechain }) => isSidechain !== true);
  const said = entries.filter(isSaid);
  if (!said.some(({ parentUuid }) => parentUuid !== undefined)) {
    return undefined;
  }
  const path = new Set(pathOf(entries.filter(({ uuid }) => textOf(uuid) !== undefined), ({ uuid }) => textOf(uuid), ({ parentUuid }) => textOf(parentUuid)));
  const onPath = said.filter((entry) => path.has(entry));
  const answers = new Set(onPath.flatMap(({ message }) => textOf(fieldsOf(message).id) ?? []));
  const isOfAnswer = ({ message }: Fields): boolean => answers.has(textOf(fieldsOf(message).id) ?? "");
  const calls = new Set(said.filter(isOfAnswer).flatMap(({ message }) => blocksOf(message).flatMap(({ id }) => textOf(id) ?? [])));
  // Results of parallel calls have different parents, so that only one of them is on the path.
  const isResult = ({ message }: Fields): boolean => blocksOf(message).some((block) => calls.has(textOf(block.tool_use_id) ?? ""));
  const title = entries.filter(({ type }) => type === "summary").at(-1);
  const messages = messagesOf(said.filter((entry) => path.has(entry) || isOfAnswer(entry) || isResult(entry)));
  return { id: textOf(title?.summary) ?? "Claude Code", messages };
}

/** True for what was said to the model or by it. An error of the server was neither. */
function isSaid({ type, message, isApiErrorMessage }: Fields): boolean {
  return (type === "user" || type === "assistant") && textOf(fieldsOf(message).role) !== undefined && isApiErrorMessage !== true;
}

function blocksOf(message: unknown): readonly Fields[] {
  return listOf(fieldsOf(message).content).map(fieldsOf);
}

/** The messages of entries, each of which has one part of an answer. */
function messagesOf(entries: readonly Fields[]): readonly Message[] {
  const messages: Message[] = [];
  const places = new Map<string, number>();
  for (const { message } of entries) {
    const { role, content, id } = fieldsOf(message);
    const place = places.get(textOf(id) ?? "");
    const begun = place === undefined ? undefined : messages[place];
    if (place !== undefined && begun !== undefined) {
      messages[place] = { ...begun, content: [...listOf(begun.content), ...listOf(content)] };
      continue;
    }
    if (textOf(id) !== undefined) {
      places.set(String(id), messages.length);
    }
    messages.push({ role: String(role), content });
  }
  return withJoinedResults(messages);
}
