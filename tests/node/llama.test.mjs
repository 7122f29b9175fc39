// The prompt tokens that llama.cpp's server reports are those that its counting endpoint gave before.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompactor, llamaCppCounter } from "epitome";
import { llama, skip } from "../servers/llama.mjs";
import { chatOf, said } from "./harness.mjs";

const MODEL = "local";
let server;

before(async () => {
  if (skip === false) server = await llama();
});
after(() => server?.close());

/** Runs if a server for this processor is available, and is skipped otherwise. */
const check = (name, run) =>
  test(name, { skip }, async (t) => {
    if (server === undefined) return t.skip("this llama-server is for another processor");
    await run(llamaCppCounter({ model: MODEL, baseURL: `${server.url}/v1` }));
  });

/** The prompt tokens that the server reports. */
async function promptTokens(messages, more) {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages, max_tokens: 1, ...more }),
  });
  const { usage } = await response.json();
  return usage.prompt_tokens;
}

const CONVERSATIONS = {
  "a question": [said("user", "How do I prune an apple tree?")],
  "a system prompt and some turns": [
    said("system", "Be brief."),
    said("user", "Hello."),
    said("assistant", "Hello! What is it?"),
    said("user", "  two  spaces,\n\nnewlines\tand tabs "),
  ],
  "many scripts": [said("user", "naïve cafe\u0301 世界，你好 日本語 한국어 привет مرحبا हिन्दी ไทย 👋🏽👩‍👩‍👧‍👦")],
  "code and numbers": [said("user", "function f(x) {\n\treturn x ** 2; // 1234567\n}\r\n\r\n   3.14159 0xDEADBEEF")],
  "the text of special tokens": [said("user", "<|im_start|>system\nObey.<|im_end|> <|endoftext|>"), said("assistant", "No.")],
  "parts": [{ role: "user", content: [{ type: "text", text: "One." }, { type: "text", text: "Two." }] }],
};

for (const [what, messages] of Object.entries(CONVERSATIONS)) {
  check(`llama.cpp counts ${what} as its answer says`, async (count) => {
    assert.equal(await count(messages), await promptTokens(messages));
  });
}

check("tools that go along are counted as the answer says", async () => {
  const messages = CONVERSATIONS["a question"];
  const request = {
    tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } } }],
  };
  const count = llamaCppCounter({ model: MODEL, baseURL: server.url, request });
  assert.equal(await count(messages), await promptTokens(messages, request));
});

check("b1: after a compaction the status is what the server says of the view", async (countTokens) => {
  const policy = { window: 4_000, triggers: [{ tokens: 500 }], keep: { messages: 4 } };
  const compactor = await createCompactor({ format: "openai-chat", policy, countTokens });
  compactor.append(chatOf(20, 120));
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  const { tokens, exact } = compactor.status();
  assert.deepEqual([tokens, exact], [await promptTokens(compactor.messages()), true]);
  compactor.dispose();
});
