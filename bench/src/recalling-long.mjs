// How long a search in a very long conversation takes in Node by the package, and how much memory all of it takes.
//
//   node --max-old-space-size=16000 bench/src/recalling-long.mjs [--tokens 100000000] [--rounds 9]
//
// Needs the package (`cargo xtask package`). The words are as common as those of a language: the second one is said half as often
// as the first, the third one a third as often; every hundredth message has a name of its own. The search alone, in native code:
// `cargo run --release --package epitome-recall --example large`.

import { parseArgs } from "node:util";
import { prng } from "../../tests/node/random.mjs";
import { median } from "./statistics.mjs";

const { createCompactor } = await import(new URL("../../crates/epitome-wasm/npm/dist/entrypoints/index.js", import.meta.url));

const { values } = parseArgs({ options: { tokens: { type: "string", default: "100000000" }, rounds: { type: "string", default: "9" } } });
const POLICY = { window: 200_000, triggers: ["manual"], reducers: [], keep: { messages: 60 } };
const WORDS = 100_000;
/** Messages between two that have a name of their own. */
const NAMED = 100;
/** Characters for each token, as in English. */
const CHARACTERS = 4;
const BATCH = 2_000;
const SYLLABLES = "ba ko mi ru te va zo li pe na gu do fa ki so wu".split(" ");

function word(number) {
  let text = "";
  do {
    text += SYLLABLES[number % SYLLABLES.length];
    number = Math.floor(number / SYLLABLES.length);
  } while (number > 0);
  return text;
}

const below = prng(7);
/** A word, as frequent as in a language: the logarithm of its rank is uniformly distributed. */
const common = () => word(Math.floor(WORDS ** (below(1 << 20) / (1 << 20))));
const prose = () => Array.from({ length: 10 + below(110) }, common).join(" ");
const megabytes = () => (process.memoryUsage.rss() / 1e6).toFixed(0);

async function timed(what, work) {
  const started = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s, ${megabytes()} MB`);
}

const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize: () => "They talked." });
let [messages, characters] = [0, 0];
await timed("messages made and appended", () => {
  while (characters < Number(values.tokens) * CHARACTERS) {
    const batch = [];
    for (const until = messages + BATCH; messages < until; messages += 1) {
      const content = messages % NAMED === 0 ? `${prose()} Quillfeather${messages} keeps it.` : prose();
      characters += content.length;
      batch.push({ role: messages % 2 ? "assistant" : "user", content });
    }
    compactor.append(batch);
  }
});
console.log(`${messages} messages, ${(characters / 1e6).toFixed(0)} million characters`);
await timed("compaction", () => compactor.compact());
await timed("first search, which makes the index", () => compactor.recall("Quillfeather"));
const named = Math.floor(messages / 2 / NAMED) * NAMED;
const questions = {
  "a name that one message has": `What did Quillfeather${named} keep?`,
  "rare and common words": Array.from({ length: 8 }, (_, power) => word(4 ** power + 1)).join(" "),
  "only the commonest words": Array.from({ length: 11 }, (_, rank) => word(rank + 1)).join(" "),
  "a long question": Array.from({ length: 40 }, (_, at) => word(at * at * 7 + 1)).join(" "),
};
for (const [what, question] of Object.entries(questions)) {
  const times = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const started = performance.now();
    const { passages } = await compactor.recall(question);
    times.push(performance.now() - started);
    if (passages.length === 0) {
      throw new Error(`${what}: nothing was found`);
    }
  }
  console.log(`${what}: median ${median(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`);
}
console.log(`${megabytes()} MB`);
