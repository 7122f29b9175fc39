// Every block of both READMEs runs, with a scripted model in the place of the reader's.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import { before, test } from "node:test";
import { HumanMessage } from "@langchain/core/messages";
import { createCompactor } from "epitome";
import ts from "typescript";
import { tokenizerFile } from "../node/tokenizer-file.mjs";
import { blocks } from "./readme.mjs";
import { modelOf, tools } from "./scripted-ai-sdk.mjs";
import { ScriptedChatModel } from "./scripted-langchain.mjs";
import { question, ScriptedModel } from "./scripted-model.mjs";
import { serve } from "./scripted-server.mjs";

const out = fileURLToPath(new URL("../out/readme", import.meta.url));
const UI = [{ id: "u1", role: "user", parts: [{ type: "text", text: question(1) }] }];

before(async () => {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
});

/** Runs a block with these values for the names that it leaves open. Returns what it exports. */
async function runBlock({ name, code, given }, values) {
  for (const open of Object.keys(given)) {
    assert.ok(open in values, `${name}: a value for ${open}`);
  }
  globalThis.given = values;
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: "esnext", target: "es2022" } });
  const file = join(out, `${name.replace(/\W/g, "-")}.mjs`);
  await writeFile(file, `const { ${Object.keys(given).join(", ")} } = globalThis.given;\n${outputText}`);
  return import(pathToFileURL(file));
}

/** A scripted model that calls its tool twice before it answers. */
function twice() {
  const script = new ScriptedModel({ isPromised: false });
  script.begin(2);
  return script;
}

async function agentAnswers({ agent }) {
  const { messages } = await agent.invoke({ messages: [new HumanMessage(question(1))] });
  assert.match(messages.at(-1).text, /^Answer 1/);
}

/** An agent without tools: the model answers at once. */
const answering = () => ({ model: new ScriptedChatModel(new ScriptedModel({ isPromised: false })) });

/** Points an SDK to a server by its environment, and waits for the loop that the block runs. */
async function withServer(context, block, format, variables) {
  const { script, address } = await serve(context, format, { isPromised: false });
  script.begin(2);
  for (const [name, value] of Object.entries(variables(address))) {
    const before = process.env[name];
    process.env[name] = value;
    context.after(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)));
  }
  await runBlock(block, { run: async () => "Roses." });
  assert.equal(script.prompts.length, 3);
}

/** What to do with a block, by what is in it; the first that matches. What it prints is in `printed`. */
const RUNS = [
  ["streamText(", async (block) => {
    const script = twice();
    const { POST } = await runBlock(block, { model: modelOf(script), tools });
    const body = JSON.stringify({ messages: UI });
    assert.match(await (await POST(new Request("http://localhost", { method: "POST", body }))).text(), /Answer 1/);
    assert.equal(script.prompts.length, 3);
  }],
  ["wrapModelCall", async (block) => agentAnswers(await runBlock(block, answering()))],
  ["compactionMiddleware(", async (block) => agentAnswers(await runBlock(block, answering()))],
  ["compactingMessages(", async (block) => {
    const { chain } = await runBlock(block, answering());
    assert.match((await chain.invoke({ messages: [new HumanMessage(question(1))] })).text, /^Answer 1/);
  }],
  ["new OpenAI()", (block, { context }) =>
    withServer(context, block, "openai-chat", (address) => ({ OPENAI_API_KEY: "key", OPENAI_BASE_URL: `${address}/v1` }))],
  ["new Anthropic()", (block, { context }) =>
    withServer(context, block, "anthropic", (address) => ({ ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: address }))],
  ["function prepare", async (block) => {
    const { prepare } = await runBlock(block, {});
    assert.deepEqual(await prepare({ messages: [] }, "hi"), { messages: [{ role: "user", content: "hi" }], notes: "" });
  }],
  ["useSyncExternalStore", async (block) => {
    const { follow, useCompaction } = await runBlock(block, {});
    assert.equal(follow(UI).appended.length, 1);
    assert.equal(typeof useCompaction, "function");
  }],
  ["You look after a garden.", async (block, { printed }) => {
    await runBlock(block, {});
    const [before, after] = printed[0].slice(1);
    assert.ok(before > 3_000 && after < before / 2, printed.join());
  }],
  ["parseDocument", async (block, { printed }) => {
    await runBlock(block, {});
    assert.deepEqual(printed, [["summary.chunks", 3]]);
  }],
  ["anthropicCompaction(", async (block, { context }) => {
    const content = [{ type: "compaction", content: "They said hi.", signature: "c2ln" }];
    const fetched = context.mock.method(globalThis, "fetch", async () => new Response(JSON.stringify({ content, stop_reason: "compaction" })));
    await runBlock(block, { apiKey: "key", messages: [{ role: "user", content: "hi" }], model: "m", system: "Be brief.", tools: [] });
    assert.equal(fetched.mock.callCount(), 1);
  }],
  ["", async (block, { context }) => {
    const served = async () => new Response(JSON.stringify(tokenizerFile()));
    context.mock.method(globalThis, "fetch", served);
    const compactor = await createCompactor({ format: "openai-chat" });
    const messages = [{ role: "user", content: "hi" }];
    const ask = () => ({ text: "They worked." });
    await runBlock(block, { apiKey: "key", ask, compactor, countBy: () => 9, messages, model: "m", system: "Be brief.", text: "hi", tools: [] });
  }],
];

for (const block of blocks) {
  test(`k5: a block of the READMEs runs: ${block.heading}`, async (context) => {
    const printed = [];
    context.mock.method(console, "log", (...values) => printed.push(values));
    const [, run] = RUNS.find(([sign]) => block.code.includes(sign));
    await run(block, { context, printed });
  });
}
