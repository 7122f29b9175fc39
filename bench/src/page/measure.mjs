// The throughput of all candidates in this page.

import { throughput } from "../throughput.mjs";
import { loaders } from "./candidates.mjs";

const encoder = new TextEncoder();

/** Measures the candidates `names` on `bytes` bytes of each kind. */
export async function measure(what, names, bytes, repetitions) {
  const kinds = await (await fetch(`/kinds.json?bytes=${bytes}`)).json();
  const candidates = [];
  for (const name of names) {
    candidates.push(await loaders[what][name]());
  }
  return throughput({
    kinds: kinds.map((one) => ({ ...one, messages: one.messages.map((text) => encoder.encode(text)) })),
    candidates,
    clock: () => performance.now(),
    repetitions,
    exact: what === "counting",
    collectGarbage: (generation) => globalThis.gc?.({ type: generation === "young" ? "minor" : "major" }),
    // The bench reads the page's console to show its progress.
    progress: (kind) => console.info(`${what}: ${kind}`),
  });
}
