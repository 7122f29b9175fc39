// Processor time, so that other work of the machine affects the results as little as possible.

/** Milliseconds of processor time that this process has used. */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Collects garbage if the process was started with --expose-gc: all of it, or only the young generation's, which is fast. */
export function collectGarbage(generation) {
  globalThis.gc?.({ type: generation === "young" ? "minor" : "major" });
}

/** The shortest processor time of `repetitions` runs of `work`, in milliseconds. `work` gets what `prepare` returns. Neither
 * `prepare` nor `warmUp` is measured. `warmUp` runs after garbage collection, which leaves the processor's address caches
 * empty: filling them would take longer than work of a few microseconds. */
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
