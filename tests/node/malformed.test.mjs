// Histories that providers refuse: taken as they are, and mended only in what goes to the model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "epitome";
import { refusal } from "./provider.mjs";
import { malformed, skip } from "./recordings.mjs";

for (const { id, messages } of malformed()) {
  test(`${id} is taken, compacted and given back`, async () => {
    const before = structuredClone(messages.length < 1_000 ? messages : []);
    const compactor = await createCompactor({ format: "openai-chat" });
    compactor.append(messages);
    const { tokens } = compactor.status();
    compactor.setPolicy({ window: Math.max(400, Math.ceil(tokens * 0.6)), keep: { messages: 2 } });
    const report = await compactor.compact();
    const view = compactor.messages();
    if (report.outcome === "applied") {
      assert.equal(refusal(view.map(withoutOddIds)), undefined);
      assert.ok(report.tokensAfter < report.tokensBefore);
      compactor.undo();
    } else {
      assert.ok(report.message.length > 0, JSON.stringify(report));
    }
    assert.ok(compactor.messages().every((message, index) => message === messages[index]));
    assert.equal(compactor.history().length, messages.length);
    if (before.length > 0) {
      assert.deepEqual(messages, before);
    }
    compactor.dispose();
  });
}

test("broken histories are at hand", { skip }, () => {
  assert.ok(malformed().length > 0);
});

/** Calls and results without an id are kept so, and belong together by their order. */
function withoutOddIds(message) {
  const calls = message.tool_calls?.map((call) => ({ ...call, id: call.id ?? "" }));
  const { tool_call_id: id = "" } = message;
  return { ...message, tool_call_id: id, ...(calls && { tool_calls: calls }) };
}
