// The throughput of all contestants in this page.

import { throughput } from "../throughput.mjs";
import { openers } from "./contestants.mjs";

const encoder = new TextEncoder();

/** `names` are the contestants, `bytes` the texts of a kind. */
export async function measure(what, names, bytes, repetitions) {
  const kinds = await (await fetch(`/kinds.json?bytes=${bytes}`)).json();
  const contestants = [];
  for (const name of names) {
    contestants.push(await openers[what][name]());
  }
  return throughput({
    kinds: kinds.map((one) => ({ ...one, messages: one.messages.map((text) => encoder.encode(text)) })),
    contestants,
    clock: () => performance.now(),
    repetitions,
    exact: what === "counting",
    settle: (generation) => globalThis.gc?.({ type: generation === "young" ? "minor" : "major" }),
    // The console is how a page tells how far it is.
    told: (kind) => console.info(`${what}: ${kind}`),
  });
}
