// One contestant in a process of its own: imports it, counts one text, and prints what that cost.

import { performance } from "node:perf_hooks";
import { countingEntry } from "../entries.mjs";

const ENTRY = countingEntry();
const TEXT = "How many tokens is this? A line of text, 12 words or so.\n";

// wasm-bindgen gives nobody the memory of its module: what is instantiated is noted on the way.
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

const openers = {
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
  // What lies in buffers is part of what is external.
  return { heap: heapUsed + Math.max(external, arrayBuffers), resident: rss };
};

const [name] = process.argv.slice(2);
const open = openers[name] ?? (await peer(name));
const before = used();
const started = { cpu: process.cpuUsage(), wall: performance.now() };
const { count } = await open();
const importMs = performance.now() - started.wall;
await count(TEXT);
const { user, system } = process.cpuUsage(started.cpu);
const after = used();
const megabytes = (bytes) => bytes / 1e6;
console.log(
  JSON.stringify({
    cpuMs: (user + system) / 1000,
    importMs,
    heapMB: megabytes(after.heap - before.heap),
    residentMB: megabytes(after.resident - before.resident),
    wasmMB: megabytes(memories.reduce((bytes, { buffer }) => bytes + buffer.byteLength, 0)),
  }),
);
process.exit();

/** Loads the list of peers first, which is not what is measured. */
async function peer(name) {
  const { counters, estimators } = await import("../node-peers.mjs");
  return counters[name] ?? estimators[name];
}
