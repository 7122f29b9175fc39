// The tokens of a plan's rows, of its total and of the status are in one unit: the provider's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "epitome";
import { chatOf } from "./harness.mjs";

const REQUEST_OVERHEAD = 1_500;
const POLICY = { window: 6_000, counting: { charactersPerToken: 4 }, keep: { messages: 4 } };

/** A compactor over a chat, after a provider reported `factor` times the counted tokens in each turn. */
async function reported(factor) {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  // Counts the same messages and never gets a report.
  const uncalibrated = await createCompactor({ format: "openai-chat", policy: POLICY });
  const provider = () => Math.round(uncalibrated.status().tokens * factor) + REQUEST_OVERHEAD;
  const append = (message) => [compactor, uncalibrated].forEach((each) => each.append(message));
  const messages = chatOf(40, 900);
  for (let turn = 0; turn < 20; turn += 1) {
    const [question, answer] = messages.slice(turn * 2);
    append(question);
    const promptTokens = provider();
    append(answer);
    compactor.reportUsage({ promptTokens, completionTokens: provider() - promptTokens });
  }
  uncalibrated.dispose();
  // Each row and each total is rounded by half a token at most, and a provider may add 3 tokens per request.
  return { compactor, rounding: messages.length / 2 + 1 + 3 };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const near = (actual, expected, within, what) => assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual} and ${expected}`);

for (const factor of [1, 1.3, 0.8]) {
  test(`after a provider reported ${factor} times the counted tokens, a plan's rows and the request overhead sum to its total`, async () => {
    const { compactor, rounding } = await reported(factor);
    const plan = compactor.plan();
    const { breakdown } = compactor.status();
    assert.ok(plan.summarizes, plan.idle);
    near(breakdown.tools, REQUEST_OVERHEAD, 300, "request overhead");
    const before = sum(plan.actions.map(({ tokensBefore }) => tokensBefore));
    near(before + breakdown.tools, plan.tokensBefore, rounding, "before");
    const after = sum(plan.actions.map(({ tokensAfter }) => tokensAfter));
    const tags = plan.tokensAfter - (after + plan.summaryTokens + breakdown.tools);
    assert.ok(tags >= -rounding && tags <= 60 * factor + rounding, `tokens of the tags around the summary: ${tags}`);
    compactor.dispose();
  });
}
