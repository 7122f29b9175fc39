// Results of compactions of the stories and fixtures, in every format, under every preset and in many windows, are legal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "epitome";
import { examples } from "../out/conformance/examples/index.js";
import { instances, stored } from "../out/conformance/examples/langchain.js";
import { checks } from "../out/conformance/index.js";
import { fixtures } from "./fixtures.mjs";
import { assertLegal, FEW_WINDOWS, refusals } from "./legality.mjs";

for (const [format, { valid }] of Object.entries(examples)) {
  test(`${format}: the story is legal after every compaction`, async (context) => {
    const forms = format === "langchain" ? { instances: instances(24), stored: stored(24) } : {};
    const all = Object.entries({ story: valid(24), "an open loop": valid(24).slice(0, -1), ...forms });
    await assertLegal(
      context,
      format,
      all.map(([id, messages]) => ({ id, messages })),
    );
  });
}

for (const format of Object.keys(checks)) {
  test(`${format}: the fixtures are legal after every compaction`, async (context) => {
    await assertLegal(context, format, fixtures(format), FEW_WINDOWS);
  });
}

const weighs = { id: "slow", type: "function", function: { name: "weigh", arguments: "{}" } };
const chat = Array.from({ length: 24 }, (_, turn) => ({
  role: turn % 2 === 0 ? "user" : "assistant",
  content: `Turn ${turn}: the bed by the wall gets ${turn} roses, and compost before the frost.`,
}));

// A call, and a result that arrives after the call was summarized.
const LATE = {
  "openai-chat": [
    { role: "assistant", content: null, tool_calls: [weighs] },
    { role: "tool", tool_call_id: "slow", content: "seventeen kilos" },
  ],
  "openai-responses": [
    { type: "function_call", call_id: "slow", name: "weigh", arguments: "{}" },
    { type: "function_call_output", call_id: "slow", output: "seventeen kilos" },
  ],
  anthropic: [
    { role: "assistant", content: [{ type: "tool_use", id: "slow", name: "weigh", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "slow", content: "seventeen kilos" }] },
  ],
};

for (const [format, [call, result]] of Object.entries(LATE)) {
  test(`${format}: a result that arrives after its call was summarized is quoted, and legal`, async () => {
    const before = [chat[0], call, ...chat.slice(2)];
    const compactor = await createCompactor({ format, policy: { window: 600, keep: { messages: 2 } } });
    compactor.append(before);
    assert.equal((await compactor.compact({ reason: "manual" })).outcome, "applied");
    const last = { role: "user", content: "And now?" };
    compactor.append([result, last]);
    const view = compactor.messages();
    assert.deepEqual(await refusals(format, view, [...before, result, last]), []);
    assert.match(JSON.stringify(view), /late-result.*seventeen kilos/);
    assert.ok(!view.includes(result) && view.includes(last));
    compactor.dispose();
  });
}
