// The texts of the measurements, by kind, from sources that the estimator was never fitted on.
//
// `fit/collect.mjs` writes them to a folder: from packages, and from recorded conversations if these are present.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Kinds in other scripts than Latin. */
const OTHER_SCRIPTS = [
  "arabic",
  "chat-chinese-japanese",
  "chinese",
  "emoji",
  "hindi",
  "japanese",
  "korean",
  "other-scripts",
  "russian",
];

/** Kinds that are recorded conversations, one document each. */
const CONVERSATIONS = ["chat", "coding", "meetings"];

/** Each kind with its sources; a source is a list of documents, a document a list of messages. */
export function corpus(folder = process.env.BENCH_TEXTS) {
  const heldOut = join(folder, "held-out");
  if (!existsSync(heldOut)) {
    throw new Error(`there are no texts in ${folder}; cargo xtask bench collects them`);
  }
  return readdirSync(heldOut)
    .sort()
    .map((kind) => ({
      kind,
      script: OTHER_SCRIPTS.includes(kind) ? "other" : "latin",
      conversations: CONVERSATIONS.some((start) => kind.startsWith(start)),
      sources: readdirSync(join(heldOut, kind))
        .sort()
        .map((file) =>
          readFileSync(join(heldOut, kind, file), "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line)),
        ),
    }));
}

/** Messages of about `bytes` in total: the same number of bytes from each source, from documents spread evenly over it. */
export function sample({ sources }, bytes) {
  return sources.flatMap((documents) => {
    const taken = [];
    let left = bytes / sources.length;
    for (const document of spread(documents)) {
      for (const message of document) {
        if (left <= 0) {
          return taken;
        }
        taken.push(message);
        left -= Buffer.byteLength(message);
      }
    }
    return taken;
  });
}

/** A sample of each kind, in UTF-8. */
export function samples(bytes) {
  const encoder = new TextEncoder();
  return corpus().map(({ kind, script, ...one }) => ({
    kind,
    script,
    messages: sample(one, bytes).map((text) => encoder.encode(text)),
  }));
}

/** The same items in an order in which the first few, however many, are spread evenly over all. */
function spread(items) {
  const digits = Math.ceil(Math.log2(Math.max(2, items.length)));
  const mirrored = (index) => Number.parseInt(index.toString(2).padStart(digits, "0").split("").reverse().join(""), 2);
  return Array.from({ length: 2 ** digits }, (_, index) => items[mirrored(index)]).filter((item) => item !== undefined);
}
