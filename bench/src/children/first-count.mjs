// One candidate in its own process: imports it, counts one text, and prints the time and memory that took. epitome then
// counts many more texts, and prints the memory of its module.

import { performance } from "node:perf_hooks";
import { countingEntry } from "../entries.mjs";

const ENTRY = countingEntry();
const TEXT = "How many tokens is this? A line of text, 12 words or so.\n";

// wasm-bindgen does not export the memory of its module, so each instance is noted when it is made.
const memories = [];
const note = (instance) => {
  memories.push(...Object.values(instance.exports).filter((item) => item instanceof WebAssembly.Memory));
  return instance;
};
const { Instance, instantiate } = WebAssembly;
WebAssembly.instantiate = async (source, imports) => {
  const made = await instantiate(source, imports);
  note(made.instance ?? made);
  return made;
};
WebAssembly.Instance = new Proxy(Instance, { construct: (target, given) => note(new target(...given)) });

const loaders = {
  nothing: async () => ({ count: (text) => text.length }),
  "epitome estimate": async () => {
    const { estimateTokens } = await import(ENTRY);
    return { count: estimateTokens };
  },
  epitome: async () => {
    const { countTokens } = await import(ENTRY);
    return { count: countTokens };
  },
  "epitome, whole vocabulary": async () => {
    const { countTokens, loadEncoding } = await import(ENTRY);
    await loadEncoding("o200k_base");
    return { count: countTokens };
  },
};

const used = () => {
  globalThis.gc();
  const { arrayBuffers, external, heapUsed, rss } = process.memoryUsage();
  // Array buffers are part of the external memory.
  return { heap: heapUsed + Math.max(external, arrayBuffers), resident: rss };
};

const [name] = process.argv.slice(2);
const open = loaders[name] ?? (await peer(name));
const before = used();
const started = { cpu: process.cpuUsage(), wall: performance.now() };
const { count } = await open();
const importMs = performance.now() - started.wall;
await count(TEXT);
const { user, system } = process.cpuUsage(started.cpu);
const after = used();
const megabytes = (bytes) => bytes / 1e6;
const wasmMB = () => megabytes(memories.reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0));
const atFirstMB = wasmMB();
if (name.startsWith("epitome")) {
  // Counting builds the index in the background and fills the cache of pieces, because every text has other words.
  for (let text = 0; text < 4_000; text += 1) {
    await count(TEXT.repeat(50) + scripts(text));
  }
}
console.log(
  JSON.stringify({
    cpuMs: (user + system) / 1000,
    importMs,
    heapMB: megabytes(after.heap - before.heap),
    residentMB: megabytes(after.resident - before.resident),
    wasmMB: atFirstMB,
    wasmLaterMB: wasmMB(),
  }),
);
process.exit();

/** Words in several scripts that no other seed gives. */
function scripts(seed) {
  const firsts = [0x61, 0x430, 0x5d0, 0x627, 0x905, 0xe01, 0x4e00 + seed, 0xac00 + seed];
  const word = (first, at) =>
    Array.from({ length: 6 }, (_, letter) => String.fromCodePoint(first + ((seed * 7 + at * 5 + letter * letter * 3) % 26)));
  return firsts.map((first, at) => word(first, at).join("")).join(" ");
}

/** Loads the list of the other packages before the measurement begins. */
async function peer(name) {
  const { counters, estimators } = await import("../node-peers.mjs");
  return counters[name] ?? estimators[name];
}
