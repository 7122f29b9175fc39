// The recorded conversations and the broken histories, where they are at hand.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const folder = process.env.EPITOME_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** To give to `test` as `skip`. */
export const skip = existsSync(join(folder, "openai"))
  ? false
  : "no recorded conversations here; point EPITOME_DATA at a folder that has some";

/** The names of the files of conversations. */
export function files() {
  return skip ? [] : readdirSync(join(folder, "openai")).filter((name) => /\.jsonl(\.gz)?$/.test(name));
}

/** The conversations of a file, each as `{ id, messages }`; those of other formats are in the folder `shapes`. */
export function conversations(name, from = "openai") {
  const bytes = readFileSync(join(folder, from, name));
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.split("\n").filter(Boolean).map((line) => inMessages(JSON.parse(line)));
}

/** Providers have other names for the same list. */
function inMessages({ contents, input, messages = contents ?? input, ...rest }) {
  return { ...rest, messages };
}

/** The broken histories in a shape, each as `{ id, class, messages }`. */
export function malformed(wanted = "openai-chat") {
  if (skip) {
    return [];
  }
  return readdirSync(join(folder, "malformed"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, "malformed", name), "utf8")))
    .filter(({ shape }) => shape === wanted)
    .map(inMessages)
    .map((history) => ({ ...history, messages: history.messages.flatMap(expand) }));
}

/** Writes out what a file only describes. */
function expand(message) {
  const pairs = message.$generateMessages;
  if (pairs === undefined) {
    return [generated(message)];
  }
  return Array.from({ length: pairs.pairs }, (_, index) => [
    { role: "user", content: pairs.user.replaceAll("{i}", index) },
    { role: "assistant", content: pairs.assistant.replaceAll("{i}", index) },
  ]).flat();
}

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
