// Compacts conversations under every preset and in many windows, and checks each result by two independent checks.

import assert from "node:assert/strict";
import { createCompactor, presets, validate } from "epitome";
import { checks } from "../out/conformance/index.js";

export const WINDOWS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
// In smaller windows, some triggers that are scaled to the window are 0 tokens.
const SMALLEST = 100;
// For conversations of hundreds of thousands of tokens, and for fixtures: their shapes are those of the stories.
export const FEW_WINDOWS = [0.1, 0.3, 0.5, 0.75, 1];

const PRESETS = await presets();

// The fields of triggers that are in tokens.
const SIZES = new Set(["outputReserve", "safetyMargin", "maxTokens", "triggerTokens", "tokens"]);

/** A preset scaled to this window: its triggers are meant for the preset's own window. */
function inWindow({ name, policy }, window) {
  const scaled = (key, value) => (SIZES.has(key) ? Math.floor((value * window) / policy.window) : value);
  return { preset: name, window, triggers: JSON.parse(JSON.stringify(policy.triggers), scaled) };
}

/** Why these messages would be refused: by the library's `validate`, and by the checks in `conformance`. */
export async function refusals(format, messages, history) {
  const issues = await validate(messages, format);
  const refused = issues.filter(({ severity }) => severity === "refused").map(({ path, code }) => `validate: ${path} ${code}`);
  return [...refused, ...(await checks[format](messages, { history }))];
}

// Defects of single messages in the recordings, which are given back unchanged: reasoning of another provider under its
// own ids, an empty list of parts next to calls, UIMessages without an id, and one that uses an id for two calls.
const OWN = [/\.id does not begin with rs_/, /content missing-content|content is an empty list/, /"id"/, /shared-call-id/];

/** The reasons that did not apply to the original messages. */
async function worse(format, reasons, messages) {
  if (reasons.length === 0) {
    return [];
  }
  const before = await refusals(format, messages, messages);
  const own = OWN.filter((pattern) => before.some((reason) => pattern.test(reason)));
  return reasons.filter((reason) => !own.some((pattern) => pattern.test(reason)));
}

/** Compacts a conversation under every preset in each of these windows, and undoes it every time. Equal results are
 * checked once; a compaction that fails counts as illegal. */
async function tried(format, { id, messages }, windows) {
  const compactor = await createCompactor({ format });
  compactor.append(messages);
  const sent = compactor.messages();
  const { tokens } = compactor.status();
  const outcomes = { applied: 0, skipped: 0, failed: 0 };
  const seen = new Set();
  const illegal = [];
  for (const preset of PRESETS) {
    for (const share of windows) {
      compactor.setPolicy(inWindow(preset, Math.max(SMALLEST, Math.ceil(tokens * share))));
      const { outcome, message } = await compactor.compact({ reason: "manual" });
      const view = compactor.messages();
      outcomes[outcome] += 1;
      if (outcome === "applied") {
        const json = JSON.stringify(view);
        const reasons = seen.has(json) ? [] : await worse(format, await refusals(format, view, messages), messages);
        seen.add(json);
        illegal.push(...reasons.map((reason) => `${id}, ${preset.name}, ${share * 100} %: ${reason}`));
        compactor.undo();
      } else {
        illegal.push(...(outcome === "failed" ? [`${id}, ${preset.name}, ${share * 100} %: ${message}`] : []));
        const same = view.length === sent.length && view.every((message, index) => message === sent[index]);
      // Messages that had to be repaired are composed again after an undo.
      assert.ok(same || JSON.stringify(view) === JSON.stringify(sent), id);
      }
    }
  }
  compactor.dispose();
  return { outcomes, distinct: seen.size, illegal };
}

/** Tries all of these conversations, in these windows or in those that a function gives for each index. Prints the number
 * of combinations, and fails with the first illegal results. */
export async function assertLegal(context, format, all, windows = WINDOWS) {
  const windowsOf = typeof windows === "function" ? windows : () => windows;
  const totals = { applied: 0, skipped: 0, failed: 0 };
  const illegal = [];
  let distinct = 0;
  for (const [index, conversation] of all.entries()) {
    const result = await tried(format, conversation, windowsOf(index));
    illegal.push(...result.illegal);
    distinct += result.distinct;
    for (const [outcome, count] of Object.entries(result.outcomes)) {
      totals[outcome] += count;
    }
  }
  const outcomes = Object.entries(totals).map(([outcome, count]) => `${count} ${outcome}`);
  context.diagnostic(`${all.length} conversations × ${PRESETS.length} presets × ${windowsOf(0).length} windows`);
  context.diagnostic(`${outcomes.join(", ")}; ${distinct} distinct results`);
  assert.deepEqual(illegal.slice(0, 10), [], `${illegal.length} in all`);
  assert.ok(totals.applied > 0, "nothing was compacted");
}
