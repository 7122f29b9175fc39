// Recorded conversations and broken histories, which are not part of the project: tests skip them if they are absent.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expand } from "./fixtures.mjs";

const folder = process.env.EPITOME_DATA ?? fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** For `test` as `skip`: the reason to skip what needs recordings, or `false`. */
export const skip = existsSync(join(folder, "openai"))
  ? false
  : "no recorded conversations; set EPITOME_DATA to a folder that has some";

/** The names of the files of conversations in Chat Completions. */
export function files() {
  return skip ? [] : readdirSync(join(folder, "openai")).filter((name) => /\.jsonl(\.gz)?$/.test(name));
}

/** The conversations of a file, each as `{ id, messages }`. Those in other formats are in the folder `shapes`. */
export function conversations(name, from = "openai") {
  const bytes = readFileSync(join(folder, from, name));
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text.split("\n").filter(Boolean).map((line) => withMessages(JSON.parse(line)));
}

/** The conversation with its list of messages under that name, which differs by provider. */
function withMessages({ contents, input, messages = contents ?? input, ...rest }) {
  return { ...rest, messages };
}

// Broken for other servers or SDK versions only: arguments that are not JSON, which OpenAI passes on; results in two
// messages, which Anthropic joins; and parts that the AI SDK leaves out by itself.
const ONLY_OTHER_SERVERS = /^(16|17|41|50|53)-/;

/** The recorded broken histories, each as `{ id, class, format, onlyOtherServers, messages }`. */
export function brokenRecordings() {
  if (skip) {
    return [];
  }
  return readdirSync(join(folder, "malformed"))
    .filter((name) => name.endsWith(".json"))
    .map((name) => withMessages(JSON.parse(readFileSync(join(folder, "malformed", name), "utf8"))))
    .map(({ shape, ...history }) => ({
      ...history,
      format: shape.replace("aisdk", "ai-sdk"),
      onlyOtherServers: ONLY_OTHER_SERVERS.test(history.id),
      messages: history.messages.flatMap(expand),
    }));
}
