// Histories that providers refuse: accepted as they are, and repaired only in what goes to the model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, repair, validate } from "epitome";
import { brokenFixtures } from "./fixtures.mjs";
import { refusal } from "./provider.mjs";
import { brokenRecordings, skip } from "./recordings.mjs";

const HISTORIES = [...brokenFixtures(), ...brokenRecordings()];

for (const { id, class: kind, format, messages } of HISTORIES) {
  test(`${id}: is recognized, and repaired or reported`, async () => {
    const refused = await validate(messages, format);
    const strict = await validate(messages, format, { strict: true });
    if (kind === "broken") {
      assert.notDeepEqual(refused, []);
    } else if (kind === "template-dependent") {
      assert.notDeepEqual(strict, []);
    } else {
      assert.deepEqual(refused, []);
    }
    const { messages: repaired, done, left } = await repair(messages, format);
    assert.deepEqual(await validate(repaired, format), left);
    assert.ok(done.length + left.length >= refused.length, "every issue is repaired or still reported");
    const reported = new Set(refused.map(({ path }) => path.match(/^messages\[\d+\]/)?.[0]));
    const kept = new Set(repaired);
    const texts = repaired.length > 1_000 ? [] : repaired.map((message) => JSON.stringify(message));
    for (const [index, message] of messages.entries()) {
      const found = kept.has(message) || reported.has(`messages[${index}]`) || texts.some((text) => sharesText(text, message));
      assert.ok(found, `message ${index} has vanished`);
    }
  });
}

/** True if some text of a message is still in the JSON of another one. */
function sharesText(json, message) {
  const texts = JSON.stringify(message).match(/"[^"]{12,}"/g) ?? [];
  return texts.some((text) => json.includes(text));
}

for (const { id, messages } of HISTORIES.filter(({ format }) => format === "openai-chat")) {
  test(`${id}: is accepted, compacted and given back`, async () => {
    const before = structuredClone(messages.length < 1_000 ? messages : []);
    const compactor = await createCompactor({ format: "openai-chat" });
    compactor.append(messages);
    const sent = compactor.messages();
    const untouched = await createCompactor({ format: "openai-chat", repair: false });
    untouched.append(messages);
    assert.ok(untouched.messages().every((message, index) => message === messages[index]));
    untouched.dispose();
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
    assert.deepEqual(compactor.messages(), sent);
    assert.ok(compactor.history().every((message, index) => message === messages[index]));
    assert.equal(compactor.history().length, messages.length);
    if (before.length > 0) {
      assert.deepEqual(messages, before);
    }
    compactor.dispose();
  });
}

test("recorded broken histories are available", { skip }, () => {
  assert.equal(brokenRecordings().length, 57);
});

/** The message with an empty id where it has none: calls and results without an id are kept, and paired by order. */
function withoutOddIds(message) {
  const calls = message.tool_calls?.map((call) => ({ ...call, id: call.id ?? "" }));
  const { tool_call_id: id = "" } = message;
  return { ...message, tool_call_id: id, ...(calls && { tool_calls: calls }) };
}
