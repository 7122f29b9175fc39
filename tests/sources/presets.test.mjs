// What all five documents share: their presets in windows of every size, after a rejected request, and over many
// compactions of one request.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, presets, resolvePolicy } from "epitome";
import { chatOf, preset, said, scripted, toolRound } from "../node/harness.mjs";

const WINDOWS = [4_000, 8_000, 32_000, 128_000, 200_000, 1_000_000];

/** The number of tokens at which a preset compacts, window by window. */
const THRESHOLDS = {
  workstream: [2_800, 5_600, 22_400, 88_000, 140_000, 700_000],
  loop: [4_000, 8_000, 32_000, 128_000, 200_000, 200_000],
  fill: [3_200, 6_400, 25_600, 102_400, 160_000, 800_000],
  request: [1_600, 3_200, 12_800, 80_000, 80_000, 80_000],
  team: WINDOWS,
};

/** The phase at which each of them is checked, and whether its threshold has to be exceeded. */
const CHECKED = {
  workstream: ["turnEnd", 1],
  loop: ["turnStart", 0],
  fill: ["turnEnd", 0],
  request: ["requestStart", 1],
  team: ["turnEnd", 0],
};

/** A message of this many tokens, and nineteen empty ones, which cost four each. */
const ofTokens = (tokens) => [
  ...Array.from({ length: 15 }, () => said("user", "")),
  said("user", "x".repeat(tokens - 16 * 4)),
];

for (const [name, thresholds] of Object.entries(THRESHOLDS)) {
  test(`b15: ${name} compacts at the same share of a small window as of the one it is made for`, async () => {
    for (const [index, window] of WINDOWS.entries()) {
      const policy = preset(name, window);
      const resolved = await resolvePolicy(policy);
      assert.equal(resolved.window, window);
      const [phase, above] = CHECKED[name];
      const dueAt = async (tokens) => {
        const triggers = resolved.triggers.map((trigger) =>
          "requestBoundary" in trigger ? { requestBoundary: { ...trigger.requestBoundary, minMessages: 16 } } : trigger,
        );
        const compactor = await createCompactor({ format: "openai-chat", policy: { ...policy, triggers } });
        compactor.append(ofTokens(tokens));
        const { threshold } = compactor.status();
        assert.equal(threshold, thresholds[index], `${window}`);
        const due = compactor.check(phase);
        compactor.dispose();
        return due !== undefined && due !== "reduce";
      };
      const first = thresholds[index] + above;
      assert.deepEqual([await dueAt(first - 1), await dueAt(first)], [false, true], `${name} in ${window}`);
    }
  });
}

test("b15: a preset keeps its own numbers in a window that has room for them, and shares of it in others", async () => {
  const reserves = async (window) => {
    const { at } = (await resolvePolicy({ preset: "workstream", window })).triggers[0];
    return [at.trigger.budget.outputReserve, at.trigger.budget.safetyMargin];
  };
  assert.deepEqual(await reserves(200_000), [32_000, 8_000]);
  assert.deepEqual(await reserves(80_002), [32_000, 8_000]);
  assert.deepEqual(await reserves(80_000), [12_800, 3_200]);
  assert.deepEqual(await reserves(8_000), [1_280, 320]);
  const rollup = async (window) => (await resolvePolicy({ preset: "workstream", window })).summary.rollupTokens;
  assert.deepEqual([await rollup(200_000), await rollup(80_001), await rollup(8_000)], [80_000, 80_000, 3_200]);
});

test("b10, b15: a model with another window changes the thresholds of every preset", async () => {
  for (const [name, thresholds] of Object.entries(THRESHOLDS)) {
    const policy = { ...preset(name, undefined), agents: { small: { modelWindow: 8_000 }, large: { modelWindow: 128_000 } } };
    for (const [agent, index] of [["small", 1], ["large", 3]]) {
      const compactor = await createCompactor({ format: "openai-chat", policy, agent });
      assert.equal(compactor.status().threshold, thresholds[index], `${name}, ${agent}`);
      compactor.dispose();
    }
  }
});

for (const format of ["openai-chat", "anthropic"]) {
  test(`b15: after a rejected request every preset compacts, ${format}`, async () => {
    for (const { name } of await presets()) {
      // As the engine counts, everything fits: the provider counts otherwise.
      const policy = preset(name, 8_000);
      const messages = chatOf(30, 150);
      const compactor = await createCompactor({ format, policy, summarize: () => "They worked." });
      compactor.append(messages);
      assert.equal(compactor.due("overflow"), "reactive-full", name);
      const report = await compactor.compactIfNeeded({ phase: "overflow" });
      assert.equal(report.outcome, "applied", `${name}: ${report.message}`);
      assert.equal(report.reason, "reactive-full");
      assert.ok(compactor.messages().length < messages.length, name);
      compactor.undo();
      assert.deepEqual(compactor.messages(), messages);
      compactor.dispose();
    }
  });
}

const PLACEMENTS = ["systemSummaryTail", "oneMessage", "leadingSystem", "inPlace"];
const REQUEST = "Please water the roses behind shed 7 before noon.";

/** How often a text is in a value. */
const times = (value, text) => JSON.stringify(value).split(text).length - 1;

for (const { name, summaryPlacement } of [
  ...["workstream", "team", "team-aggressive", "team-strong", "team-careful", "loop", "fill", "request", "recommended"].map((name) => ({ name })),
  ...PLACEMENTS.map((summaryPlacement) => ({ name: "recommended", summaryPlacement })),
]) {
  const title = summaryPlacement === undefined ? name : `${name}, ${summaryPlacement}`;
  test(`d9, d18: ten compactions in one request keep it once, with one summary of bounded size: ${title}`, async () => {
    const placed = summaryPlacement === undefined ? {} : { summaryPlacement };
    const { requests, summarize } = scripted();
    const policy = preset(name, 16_000, placed);
    const compactor = await createCompactor({ format: "openai-chat", policy, summarize });
    const system = said("system", "You are a gardener.");
    compactor.append([system, ...chatOf(8, 200), said("user", REQUEST)]);
    compactor.setTodo("- [ ] fill the can");
    const sizes = [];
    for (let round = 0; round < 10; round += 1) {
      for (let step = 0; step < 16; step += 1) {
        compactor.append(toolRound(`c${round}-${step}`, `Bed ${round}-${step}: ${"dry ".repeat(60)}`));
      }
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      const messages = compactor.messages();
      assert.deepEqual(messages[0], system);
      assert.equal(times(messages, REQUEST), 1, `round ${round}`);
      assert.equal(times(messages, "<conversation-summary"), 1, "one summary");
      assert.equal(times(messages, "- [ ] fill the can"), 1, "the open task");
      assert.ok(times(requests.at(-1).input, REQUEST) <= 1, "the summarizer reads it at most once");
      sizes.push(compactor.status().tokens);
    }
    assert.ok(requests.some(({ input }) => input.includes(REQUEST)), "the summarizer knows what the work is for");
    assert.ok(Math.max(...sizes) <= 1.25 * sizes[1], `${sizes}`);
    compactor.dispose();
  });
}
