// Histories that providers refuse: taken as they are, and mended only in what goes to the model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, repair, validate } from "epitome";
import { refusal } from "./provider.mjs";
import { malformed, skip } from "./recordings.mjs";

const SHAPES = ["openai-chat", "anthropic", "gemini", "aisdk-ui", "aisdk-model"];

for (const shape of SHAPES) {
  const format = shape.replace("aisdk", "ai-sdk");
  for (const { id, class: is, messages } of malformed(shape)) {
    test(`${id} comes out as its class says`, async () => {
      const refused = await validate(messages, format);
      const strict = await validate(messages, format, { strict: true });
      if (is === "broken") {
        assert.notDeepEqual(refused, []);
      } else if (is === "template-dependent") {
        assert.notDeepEqual(strict, []);
      } else {
        assert.deepEqual(refused, []);
      }
      const { messages: mended, done, left } = await repair(messages, format);
      assert.deepEqual(await validate(mended, format), left);
      assert.equal(done.length + left.length >= refused.length, true, "everything is put right or still told");
      const told = new Set(refused.map(({ path }) => path.match(/^messages\[\d+\]/)?.[0]));
      for (const [index, message] of messages.entries()) {
        const there = mended.includes(message) || told.has(`messages[${index}]`) || mended.some((other) => sharesWith(other, message));
        assert.ok(there || messages.length > 1_000, `message ${index} has vanished`);
      }
    });
  }
}

/** True where some text of a message is still in another one. */
function sharesWith(other, message) {
  const texts = JSON.stringify(message).match(/"[^"]{12,}"/g) ?? [];
  const all = JSON.stringify(other);
  return texts.some((text) => all.includes(text));
}

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
