// A real model's server: its counts are those of its answers, and a turn that overflows it goes on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompactor, llamaCppCounter, runTurn } from "epitome";
import { llama, skip } from "../servers/llama.mjs";
import { chatOf, said } from "./harness.mjs";

const MODEL = "local";
let server;

before(async () => {
  if (skip === false) server = await llama(1_024);
});
after(() => server?.close());

/** Runs if there is a model, and is skipped otherwise. */
const check = (name, run) =>
  test(name, { skip }, () => run(llamaCppCounter({ model: MODEL, baseURL: `${server.url}/v1` })));

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

/** The answer of the server to these messages, or its error as an SDK throws it. */
async function ask(messages) {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages, max_tokens: 8 }),
  });
  const body = await response.json();
  if (!response.ok) throw Object.assign(new Error(body.error.message), { status: response.status, error: body.error });
  return body;
}

check("g1, b9: a tool loop that overflows in its middle ends with an answer of the real server", async () => {
  // The policy believes in a larger window than the server has, so that only the server's error says that it is full.
  const policy = { window: 5_000, triggers: ["manual"], reducers: [], target: 0.1, keep: { messages: 2 } };
  const compactor = await createCompactor({ format: "openai-chat", policy });
  compactor.append([said("system", "Be brief."), said("user", "Read the four files, and say what they have in common.")]);
  const attempts = [];
  let read = 0;
  const request = async (messages, { step }) => {
    attempts.push(step);
    const { choices, usage } = await ask(messages);
    // The model is real, and what it calls is scripted: it is too small to call tools by itself.
    if (read === 4) return { messages: said("assistant", choices[0].message.content), usage };
    const call = { id: `call_${(read += 1)}`, type: "function", function: { name: "read", arguments: `{"file":${read}}` } };
    return { messages: { role: "assistant", content: null, tool_calls: [call] }, usage };
  };
  const tools = ({ messages: { tool_calls: calls } }) =>
    calls?.map(({ id }) => ({ role: "tool", tool_call_id: id, content: `File ${id}: ${"apples, pears and plums; ".repeat(50)}` }));
  const { end, steps, compactions, response } = await runTurn(compactor, { request, tools });
  assert.deepEqual([end, steps], ["answered", 5]);
  assert.equal(typeof response.messages.content, "string");
  assert.ok(compactions.length > 0 && attempts.length === steps + compactions.length);
  for (const { report, overflow } of compactions) {
    assert.deepEqual([report.reason, report.outcome, overflow.limitTokens], ["reactive-full", "applied", server.context]);
    assert.ok(overflow.requestedTokens >= server.context);
  }
  compactor.dispose();
});
