// Conversations that always exist: the committed fixtures, and a generated chat that fills a window.

import { readdirSync, readFileSync } from "node:fs";
import { createCompactor } from "epitome";

const folder = new URL("../fixtures/", import.meta.url);

/** The files in a folder of fixtures. Throws if there are none. */
function read(name) {
  const files = readdirSync(new URL(`${name}/`, folder)).filter((file) => file.endsWith(".json"));
  if (files.length === 0) {
    throw new Error(`tests/fixtures/${name} is empty`);
  }
  return files.map((file) => JSON.parse(readFileSync(new URL(`${name}/${file}`, folder), "utf8")));
}

/** The committed conversations, each as `{ id, format, messages }`: all of them, or those in one format. */
export function fixtures(wanted) {
  const found = read("conversations").filter(({ format }) => wanted === undefined || format === wanted);
  if (found.length === 0) {
    throw new Error(`tests/fixtures/conversations has none in the format ${wanted}`);
  }
  return found;
}

/** The committed broken histories, each as `{ id, class, format, onlyOtherServers, messages }`. */
export function brokenFixtures() {
  return read("broken").map((history) => ({ ...history, messages: history.messages.flatMap(expand) }));
}

/** The messages that an entry of a history describes: usually the entry itself. */
export function expand(message) {
  const pairs = message.$generateMessages;
  if (pairs === undefined) {
    return [generated(message)];
  }
  return Array.from({ length: pairs.pairs }, (_, index) => [
    { role: "user", content: pairs.user.replaceAll("{i}", index) },
    { role: "assistant", content: pairs.assistant.replaceAll("{i}", index) },
  ]).flat();
}

/** The value with every text written out that it only describes by `$generate`. */
function generated(value) {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (value.$generate !== undefined) {
    return value.$generate.unit.repeat(value.$generate.times);
  }
  if (Array.isArray(value)) {
    return value.map(generated);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, generated(inner)]));
}

export const SYSTEM = { role: "system", content: "You help with the garden." };

/** A system prompt and `turns` messages of about thirty tokens each. */
export function longChat(turns) {
  const messages = [SYSTEM];
  for (let turn = 0; turn < turns; turn += 1) {
    const role = turn % 2 === 0 ? "user" : "assistant";
    const content = `Turn ${turn}: bed ${turn * 7} of the garden gets ${turn} roses, and compost before the frost.`;
    messages.push({ role, content, "x-mine": { turn } });
  }
  return messages;
}

/** A compactor over a chat that is larger than its window. */
export async function fullCompactor(options = {}, messages = longChat(60), create = createCompactor) {
  const policy = { window: 1_000, retry: { attempts: 3, baseMs: 10, capMs: 20 }, ...options.policy };
  const compactor = await create({ format: "openai-chat", ...options, policy });
  await compactor.append(messages);
  return compactor;
}

/** A promise, and the functions that settle it. */
export function deferred() {
  const settle = {};
  const promise = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, ...settle };
}
