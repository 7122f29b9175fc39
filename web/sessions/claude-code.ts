// Sessions of Claude Code: a tree of entries, of which several may be one message of the model.

import { pathOf } from "./path.js";
import type { Session } from "./read.js";
import { fieldsOf, type Fields, listOf, textOf } from "./values.js";

interface Message {
  readonly role: string;
  content: unknown;
}

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
  const messages = joined(said.filter((entry) => path.has(entry) || isOfAnswer(entry) || isResult(entry)));
  return { id: textOf(title?.summary) ?? "Claude Code", messages };
}

/** True for what was said to the model or by it. An error of the server was neither. */
function isSaid({ type, message, isApiErrorMessage }: Fields): boolean {
  return (type === "user" || type === "assistant") && textOf(fieldsOf(message).role) !== undefined && isApiErrorMessage !== true;
}

function blocksOf(message: unknown): readonly Fields[] {
  return listOf(fieldsOf(message).content).map(fieldsOf);
}

/** An entry has one part of an answer; results that follow each other are of one message. */
function joined(entries: readonly Fields[]): readonly object[] {
  const messages: Message[] = [];
  const answers = new Map<string, Message>();
  for (const { message } of entries) {
    const { role, content, id } = fieldsOf(message);
    const answer = answers.get(textOf(id) ?? "");
    const last = messages.at(-1);
    const results = role === "user" && isOfResults(content) && last?.role === "user" && isOfResults(last.content) ? last : undefined;
    const whole = answer ?? results;
    if (whole !== undefined) {
      whole.content = [...listOf(whole.content), ...listOf(content)];
      continue;
    }
    const made = { role: String(role), content };
    messages.push(made);
    if (textOf(id) !== undefined) {
      answers.set(String(id), made);
    }
  }
  return messages;
}

function isOfResults(content: unknown): boolean {
  return Array.isArray(content) && content.every((block) => fieldsOf(block).type === "tool_result");
}
