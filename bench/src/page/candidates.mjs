// The candidates in a browser. Each is fetched only when it is loaded.

import { counters, estimators } from "../peers.mjs";

const VOCABULARY = "/encodings/o200k_base.vocab";

export const loaders = {
  estimating: { epitome: async () => (await import("../epitome.mjs")).estimating(), ...estimators },
  counting: {
    epitome: async () => (await import("../epitome.mjs")).counting(new URL(VOCABULARY, location.href)),
    ...counters,
  },
};

/** Milliseconds from before the import to the first count. */
export async function start(what, name) {
  const started = performance.now();
  const { count } = await loaders[what][name]();
  await count("How many tokens is this? A line of text, 12 words or so.\n");
  return performance.now() - started;
}
