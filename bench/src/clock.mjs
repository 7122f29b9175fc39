// Time as a process pays for it, so that what else runs on the machine counts as little as possible.

/** Milliseconds of processor time that this process has taken. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Collects garbage where the process was started for that: all of it, or that of the young, which takes a moment. */
export function collectGarbage(generation) {
  globalThis.gc?.({ type: generation === "young" ? "minor" : "major" });
}

/** The least processor time, in milliseconds, of `repetitions` runs of `work`; `prepare` is not counted, and `work` is
 * given what it returns. Nor is `warmUp`, which runs where garbage was collected: what takes microseconds would be outweighed
 * by the machine's looking up anew where memory is. */
export async function leastTime(repetitions, work, prepare = () => undefined, warmUp = () => undefined) {
  let shortest = Number.POSITIVE_INFINITY;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const prepared = await prepare();
    collectGarbage("all");
    await warmUp(prepared);
    const started = processorTime();
    await work(prepared);
    shortest = Math.min(shortest, processorTime() - started);
  }
  return shortest;
}
