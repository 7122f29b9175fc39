// Time and memory for a conversation of a million tokens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, estimateTokens } from "epitome";
import { conversations, files, skip } from "./recordings.mjs";

const NAME = "long-aider-1M.jsonl.gz";
const available = files().includes(NAME);

test("a million tokens are appended, viewed and compacted", { skip: skip || !available }, async (context) => {
  const [{ messages }] = conversations(NAME);
  await estimateTokens("");
  const timed = async (what, action) => {
    const started = performance.now();
    const result = await action();
    context.diagnostic(`${what}: ${(performance.now() - started).toFixed(1)} ms`);
    return result;
  };
  const before = process.memoryUsage.rss();
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 600_000 } });
  await timed(`append ${messages.length} messages`, () => compactor.append(messages));
  const { tokens } = await timed("status", () => compactor.status());
  assert.ok(tokens > 800_000 && tokens < 1_200_000, String(tokens));
  await timed("plan", () => compactor.plan());
  await timed("append one more", () => compactor.append({ role: "user", content: "And now?" }));
  await timed("messages", () => compactor.messages());
  const report = await timed("compact, extractive", () => compactor.compact());
  assert.equal(report.outcome, "applied");
  context.diagnostic(`${report.tokensBefore} to ${report.tokensAfter} tokens in ${report.requests} requests`);
  await timed("messages afterwards", () => compactor.messages());
  const snapshot = await timed("snapshot", () => compactor.snapshot());
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  context.diagnostic(`resident memory: +${grown.toFixed(1)} MB`);
  assert.ok(grown < 200, `${grown} MB`);
  context.diagnostic(`snapshot: ${(snapshot.length / 1e6).toFixed(1)} M characters`);
  compactor.dispose();
});
