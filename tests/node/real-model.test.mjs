// Summaries by a small real model: how requests and answers travel, what is no summary, and what is tried then. What the
// model writes is bad, and is not looked at: only its form, its length, and what becomes of it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createCompactor, openAICompatible } from "epitome";
import { journey, llama, skip, skipOther } from "../servers/llama.mjs";
import { said } from "./harness.mjs";

const MODEL = "local";
let server;

before(async () => {
  if (skip === false) server = await llama();
});
after(() => server?.close());

const check = (name, run) => test(name, { skip }, run);
const checkOwn = (name, run) => test(name, { skip: skipOther }, run);

const endpoint = (more) => openAICompatible({ baseURL: `${server.url}/v1`, model: MODEL, ...more });
const HELLO = { system: "Be brief.", input: "Say hello.", maxTokens: 200 };

for (const stream of [true, false]) {
  check(`i36: a real model answers ${stream ? "in deltas" : "at once"}, with its usage`, async () => {
    const deltas = [];
    const onDelta = (text) => deltas.push(text);
    const { text, usage, instructed } = await endpoint({ stream })(HELLO, { onDelta });
    assert.equal(text, deltas.join("").trim());
    assert.equal(deltas.length > 1, stream);
    assert.ok(usage.promptTokens > 10 && usage.completionTokens > 0, JSON.stringify(usage));
    assert.equal(instructed, true);
  });
}

check("i36: an answer of a real model that reaches its limit is a failure", async () => {
  const request = { ...HELLO, input: "Tell a long story about a garden.", maxTokens: 8 };
  await assert.rejects(endpoint()(request), { code: "truncated", retryable: false });
});

checkOwn("i36: an abort reaches the server of a real model, which stops writing", async () => {
  const log = async (query = "") => (await fetch(`${server.url}/log${query}`)).json();
  const earlier = await log();
  const controller = new AbortController();
  const request = { ...HELLO, input: "Tell a very long story about a garden.", maxTokens: 1_000 };
  const asked = endpoint()(request, { signal: controller.signal, onDelta: () => controller.abort() });
  await assert.rejects(asked, { code: "aborted" });
  const { aborted, written, running } = await log(`?aborted=${earlier.aborted + 1}`);
  assert.deepEqual([aborted, running], [earlier.aborted + 1, 0]);
  assert.ok(written - earlier.written < 500, `${written - earlier.written} tokens were written`);
});

/** What a server writes if it is held to a grammar or a schema. */
async function constrained(fields) {
  const body = { model: MODEL, messages: [said("user", "Name a fruit and its colour.")], max_tokens: 60, ...fields };
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { choices } = await response.json();
  return choices[0].message.content;
}

checkOwn("i36: the server of a real model offers grammars and JSON schemas", async () => {
  const properties = { fruit: { enum: ["apple", "pear"] }, ripe: { type: "boolean" } };
  const schema = { type: "object", properties, required: ["fruit", "ripe"], additionalProperties: false };
  const text = await constrained({ response_format: { type: "json_schema", json_schema: { name: "fruit", schema } } });
  const { fruit, ripe } = JSON.parse(text);
  assert.ok(["apple", "pear"].includes(fruit) && typeof ripe === "boolean", text);
  assert.match(await constrained({ grammar: 'root ::= "fruit: " ("apple" | "pear")' }), /^fruit: (apple|pear)$/);
});

const summary = { maxTokens: 80, ledgerTokens: 20 };
const policy = (more) => ({ window: 2_000, triggers: ["manual"], reducers: [], keep: { messages: 2 }, target: 0.4, summary: { ...summary, ...more } });

check("i36: what a real model cannot do is tried otherwise, step by step, and the report tells each", async () => {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: policy({ fallbackSummarizers: ["extractive"] }),
    summarize: endpoint(),
  });
  compactor.append(journey(2_600));
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  const { steps } = report.summarizer;
  // The transcript is longer than the server's window, which it says.
  assert.equal(steps[0].step, "smallerChunks");
  assert.match(steps[0].because, /2048 tokens/);
  assert.ok(steps.every(({ because }) => because.length > 0));
  const last = steps.at(-1);
  if (last.step === "nextSummarizer") assert.equal(last.summarizer, "extractive");
  assert.ok(report.tokensAfter < report.tokensBefore / 2, JSON.stringify(report.tokensAfter));
  assert.ok(report.summary.length > 0);
  compactor.dispose();
});

/** Three headings with a short line each: the worst case is below what an answer may have. */
const NOTES = ["Key facts", "Course of the conversation", "Open points"].map((heading) => `"## ${heading}\\n- " line`).join(" ");
const GRAMMAR = `root ::= ${NOTES}\nline ::= [a-zA-Z0-9 ,:]{10,60} "\\n"`;

checkOwn("i36: a real model folds 3,000 tokens chunk by chunk, within its window and its budget", async () => {
  const asked = [];
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: policy({ windowTokens: server.context, maxTokens: 140, unsupported: "annotate" }),
    summarize: async ({ system, input, maxTokens, targetTokens, chunkCount }, { signal }) => {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ messages: [said("system", system), said("user", input)], max_tokens: maxTokens, grammar: GRAMMAR }),
        signal,
      });
      const { choices, usage } = await response.json();
      asked.push({ usage, targetTokens, chunkCount });
      return { text: choices[0].message.content, usage, finishReason: choices[0].finish_reason, instructed: true };
    },
  });
  compactor.append(journey(3_000));
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  assert.deepEqual([report.requests, report.summarizer.steps ?? []], [asked.length, []]);
  assert.ok(asked.length > 1 && asked.every(({ chunkCount }) => chunkCount === asked.length), JSON.stringify(asked));
  for (const { usage } of asked) {
    assert.ok(usage.prompt_tokens + usage.completion_tokens <= server.context);
  }
  for (const heading of ["Key facts", "Course of the conversation", "Open points"]) {
    assert.ok(report.summary.includes(`## ${heading}\n`), report.summary);
  }
  // What the model has made up is listed, and marked where it stands.
  for (const name of report.receipt.unsupported) assert.ok(report.summary.includes(`${name} [in no message]`), name);
  compactor.dispose();
});
