// Time and memory of the first count: in a new process each time, from before the import to the result.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { counters } from "../node-peers.mjs";
import { median } from "../statistics.mjs";

const CHILD = fileURLToPath(new URL("../children/first-count.mjs", import.meta.url));
const run = promisify(execFile);

export async function measure({ quick, progress }) {
  const candidates = ["nothing", "epitome estimate", "tokenx", "epitome", "epitome, whole vocabulary", ...Object.keys(counters)];
  const runs = Object.fromEntries(candidates.map((name) => [name, []]));
  const repetitions = quick ? 3 : 9;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    progress(`round ${repetition + 1} of ${repetitions}`);
    for (const name of candidates) {
      const { stdout } = await run(process.execPath, ["--expose-gc", CHILD, name]);
      runs[name].push(JSON.parse(stdout));
    }
  }
  const rows = candidates.map((name) => {
    const of = (field) => runs[name].map((one) => one[field]);
    return {
      whose: name,
      cpuMs: Math.min(...of("cpuMs")),
      medianCpuMs: median(of("cpuMs")),
      importMs: Math.min(...of("importMs")),
      heapMB: median(of("heapMB")),
      residentMB: median(of("residentMB")),
      wasmMB: median(of("wasmMB")),
      wasmLaterMB: median(of("wasmLaterMB")),
    };
  });
  return { repetitions, rows };
}
