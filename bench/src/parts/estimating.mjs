// How fast strings are estimated in Node, crossing into wasm included.

import { processorTime, collectGarbage } from "../clock.mjs";
import { samples } from "../corpus.mjs";
import { estimating } from "../epitome.mjs";
import { estimators } from "../node-peers.mjs";
import { throughput } from "../throughput.mjs";

export async function measure({ quick, progress }) {
  const rows = await throughput({
    kinds: samples(300_000),
    candidates: [await estimating(), await estimators.tokenx()],
    clock: processorTime,
    repetitions: quick ? 6 : 20,
    exact: false,
    collectGarbage,
    progress,
  });
  return { rows };
}
