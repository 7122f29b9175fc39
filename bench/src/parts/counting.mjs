// How fast strings are counted exactly in Node, by o200k_base.

import { processorTime, collectGarbage } from "../clock.mjs";
import { samples } from "../corpus.mjs";
import { counting } from "../epitome.mjs";
import { counters } from "../node-peers.mjs";
import { throughput } from "../throughput.mjs";

export async function measure({ quick, progress }) {
  const candidates = [await counting()];
  for (const open of Object.values(counters)) {
    candidates.push(await open());
  }
  const rows = await throughput({
    kinds: samples(quick ? 50_000 : 300_000),
    candidates,
    clock: processorTime,
    repetitions: quick ? 5 : 8,
    exact: true,
    collectGarbage,
    progress,
  });
  return { rows };
}
