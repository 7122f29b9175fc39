// One candidate in its own process: counts the worst cases that it receives, and answers with milliseconds.

import { leastTime, processorTime } from "../clock.mjs";
import { counting, estimating } from "../epitome.mjs";
import { counters } from "../node-peers.mjs";
import { worstCase } from "../worst-cases.mjs";

const [whose] = process.argv.slice(2);
const ours = { epitome: counting, "epitome estimate": async () => estimating() };
const candidate = await (ours[whose] ?? counters[whose])();

// Some packages build tables at the first count, and code is slow until it has run for a while.
for (let round = 0; round < 50; round += 1) {
  await candidate.count("Some words, and 1234 numbers:\n  as ever. これは普通の文です。");
}

process.on("message", async ({ name, bytes }) => {
  const { count, clearCache } = candidate;
  // A different text each time, because the processor's branch prediction is better the second time.
  let seed = 0;
  const fresh = () => worstCase(name, bytes, (seed += 7919));
  clearCache();
  const started = processorTime();
  await count(fresh());
  const once = processorTime() - started;
  // Short work is measured in many runs, so that the code is warm and the clock precise enough.
  const runs = once > 200 ? 0 : Math.min(50, Math.ceil(2 / Math.max(once, 0.01)));
  const batch = async (texts) => {
    for (const text of texts) {
      clearCache();
      await count(text);
    }
  };
  const prepare = () => Array.from({ length: runs }, fresh);
  const warmUp = () => batch([fresh()]);
  process.send({ ms: runs === 0 ? once : (await leastTime(once > 10 ? 9 : 15, batch, prepare, warmUp)) / runs });
});
