// The time of worst cases: each at growing sizes, in a process that is ended when it takes too long.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { counters } from "../node-peers.mjs";
import { worstCases } from "../worst-cases.mjs";

const CHILD = fileURLToPath(new URL("../children/worst-case.mjs", import.meta.url));

/** A size that would take more milliseconds is not measured. */
const LIMIT_MS = { quick: 500, full: 15_000 };
const SIZES = [1_000, 10_000, 100_000];

export async function measure({ quick, progress }) {
  const limitMs = quick ? LIMIT_MS.quick : LIMIT_MS.full;
  const rows = worstCases.map((name) => ({ case: name, ms: {} }));
  for (const whose of ["epitome", "epitome estimate", ...Object.keys(counters)]) {
    progress(whose);
    let child = undefined;
    for (const row of rows) {
      const times = {};
      row.ms[whose] = times;
      for (const [index, bytes] of SIZES.entries()) {
        const before = times[SIZES[index - 1]];
        // Quadratic algorithms take a hundred times as long for ten times the text.
        if (index > 0 && (before === undefined || before * (before > 20 ? 60 : 1) > limitMs)) {
          break;
        }
        child ??= fork(CHILD, [whose], { execArgv: ["--expose-gc"] });
        times[bytes] = await answer(child, { name: row.case, bytes }, limitMs);
        if (times[bytes] === undefined) {
          child.kill("SIGKILL");
          child = undefined;
          break;
        }
      }
    }
    child?.disconnect();
  }
  return { limitMs, sizes: SIZES, rows };
}

/** The milliseconds that the process answers with; undefined if they exceed the limit. */
function answer(child, question, limitMs) {
  return new Promise((resolve, reject) => {
    const settleWith = (finish) => (value) => {
      clearTimeout(timer);
      child.off("message", done).off("exit", failed);
      finish(value);
    };
    // The process also loads the vocabulary, and makes several passes if one is short.
    const timer = setTimeout(() => settleWith(resolve)(undefined), limitMs * 1.5 + 10_000);
    const done = settleWith(({ ms }) => resolve(ms));
    const failed = settleWith((code) => reject(new Error(`the process of ${JSON.stringify(question)} ended with ${code}`)));
    child.on("message", done).on("exit", failed);
    child.send(question);
  });
}
