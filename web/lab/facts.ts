// The facts of a conversation, and which of them messages still have word for word.

import { createCompactor, type Fact, type FactKind } from "epitome/slim";
import type { Message } from "./requests.js";
import { callsOf, textOf } from "./strategy.js";
import { LAST_REQUEST, SUMMARIZE_ALL } from "./summarizer.js";

/** Kinds of facts that are looked for word for word. Others are whole sentences, which a summary may say in other words. */
const EXACT: ReadonlySet<FactKind> = new Set<FactKind>(["url", "path", "package", "identifier", "quote", "name", "number"]);

/** The facts of messages, as the receipt of a compaction of all of them has them. */
export async function factsOf(messages: readonly Message[], signal: AbortSignal): Promise<Fact[]> {
  const compactor = await createCompactor<Message>({ format: "openai-chat", policy: SUMMARIZE_ALL });
  try {
    await compactor.appendInSlices([...messages, LAST_REQUEST], { signal });
    const { receipt } = await compactor.compact({ signal });
    signal.throwIfAborted();
    const found = [...receipt.kept, ...receipt.appended, ...receipt.givenUp];
    return found.filter(({ kind }) => EXACT.has(kind));
  } finally {
    compactor.dispose();
  }
}

/** Those of the facts that the messages have. */
export async function survivors(facts: readonly Fact[], messages: readonly Message[], pause: () => Promise<void>): Promise<Fact[]> {
  const texts: string[] = [];
  for (const message of messages) {
    texts.push(...textsOf(message).map(folded));
    await pause();
  }
  const text = texts.join("\n");
  const found: Fact[] = [];
  for (const fact of facts) {
    if (stands(folded(fact.text), text)) found.push(fact);
    await pause();
  }
  return found;
}

/** What a message says and calls, with what is inside of the arguments. */
function textsOf(message: Message): string[] {
  const calls = callsOf(message).flatMap((call) => [call.function.name, ...textsIn(parsed(call.function.arguments))]);
  const text = textOf(message);
  return [text, ...textsIn(parsed(text)), ...calls];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The texts and numbers in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") {
    return [String(value)];
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
}

/** True if a text has the words, and not only as a part of longer ones. */
export function stands(words: string, text: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isPart(text[at - 1], words[0]) && !isPart(text[at + words.length], words.at(-1))) {
      return true;
    }
  }
  return false;
}

/** True if the character beside goes on with the word that the other one is in. */
function isPart(beside: string | undefined, own: string | undefined): boolean {
  const inWord = /[\p{L}\p{N}]/u;
  const isSpaced = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
  return beside !== undefined && own !== undefined && inWord.test(beside) && isSpaced.test(own) && isSpaced.test(beside);
}
