// What the compaction of a long conversation without a model takes in Node: processor time and the longest block.
//
//   node bench/src/compacting.mjs [FILE] [--rounds 5]
//
// FILE has conversations in the format of OpenAI, one on each line, and may be compressed. Without it, one of about a million
// tokens is made. Needs the package (`cargo xtask package`).

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { processorTime } from "./clock.mjs";
import { history, inOpenAI } from "./histories.mjs";
import { watch } from "./watch.mjs";

const { createCompactor } = await import(new URL("../../crates/epitome-wasm/npm/dist/entrypoints/index.js", import.meta.url));

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: "string", default: "5" } } });
/** Messages of the conversation that is made, which are about a million tokens. */
const MADE = 10_000;

/** The conversations of a file. */
function read(file) {
  const bytes = readFileSync(file);
  const lines = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString().trim().split("\n");
  return lines.map((line) => {
    const value = JSON.parse(line);
    return Array.isArray(value) ? value : value.messages;
  });
}

const conversations = positionals.length === 0 ? [inOpenAI(history(MADE))] : read(positionals[0]);
for (const messages of conversations) {
  const results = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const policy = { window: 2_000_000, target: 0.05, triggers: ["manual"] };
    const compactor = await createCompactor({ format: "openai-chat", policy });
    await compactor.appendInSlices(messages);
    const longest = watch();
    const started = processorTime();
    const { outcome, tokensBefore, tokensAfter, message } = await compactor.compact();
    const spent = processorTime() - started;
    if (outcome !== "applied") throw new Error(`${outcome}: ${message}`);
    results.push({ spent, longest: await longest(), tokensBefore, tokensAfter });
    compactor.dispose();
  }
  const least = (key) => Math.min(...results.map((result) => result[key])).toFixed(1);
  const [{ tokensBefore, tokensAfter }] = results;
  console.log(
    `${messages.length} messages, ${tokensBefore} → ${tokensAfter} tokens: ${least("spent")} ms of processor time, longest block ${least("longest")} ms, the least of ${results.length} rounds`,
  );
}
