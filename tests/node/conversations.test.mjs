// Every conversation in Chat Completions, in a window of 60 % of its tokens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, validate } from "epitome";
import { fixtures } from "./fixtures.mjs";
import { refusal } from "./provider.mjs";
import { conversations, files, skip } from "./recordings.mjs";

/** Compacts a conversation and checks everything that is promised. Returns whether it is still above its
 * threshold, which the report then explains. */
async function compacted({ id, messages }) {
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(messages);
  const sent = compactor.messages();
  const window = Math.ceil(compactor.status().tokens * 0.6);
  compactor.setPolicy({ window });
  assert.equal(compactor.status().level, "compact", id);
  const report = await compactor.compact({ reason: "threshold" });

  const view = compactor.messages();
  const kept = view.filter((message) => messages.includes(message));
  const { level, tokens } = compactor.status();
  if (report.outcome === "applied") {
    assert.equal(refusal(view), undefined, id);
    assert.equal(tokens, report.tokensAfter, id);
    assert.ok(report.tokensAfter < report.tokensBefore, id);
    assert.ok(view.length - kept.length >= 1, id);
  } else {
    assert.equal(report.outcome, "skipped", `${id}: ${report.message}`);
    assert.ok(report.floor !== undefined, `${id}: ${report.message}`);
  }
  assert.ok(level !== "compact" || report.floor !== undefined, `${id}: ${tokens} of ${window} tokens`);
  if (messages[0].role === "system") {
    assert.equal(view[0], messages[0], id);
  }
  const request = messages.findLast(({ role, content }) => role === "user" && String(content).trim() !== "");
  assert.ok(request === undefined || view.includes(request), id);
  assert.deepEqual(kept, messages.filter((message) => kept.includes(message)), id);
  assert.deepEqual(compactor.history(), messages, id);

  if (report.outcome === "applied") {
    compactor.undo();
  }
  const restored = compactor.messages();
  assert.deepEqual(restored, sent, id);
  const legal = (await validate(messages, "openai-chat")).length === 0;
  assert.ok(!legal || restored.every((message, index) => message === messages[index]), id);
  compactor.dispose();
  return { above: level === "compact" };
}

const sources = { fixtures: () => fixtures("openai-chat"), ...Object.fromEntries(files().map((name) => [name, () => conversations(name)])) };

for (const [name, read] of Object.entries(sources)) {
  test(`${name}: conversations fit after compaction, are valid, and are restored by undo`, async (context) => {
    let above = 0;
    const all = read();
    for (const conversation of all) {
      above += (await compacted(conversation)).above ? 1 : 0;
    }
    context.diagnostic(`${all.length} conversations, ${above} of them still above the threshold because of their floor`);
  });
}

test("recorded conversations are available", { skip }, () => {
  assert.ok(files().length > 0);
});
