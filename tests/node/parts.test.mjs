// The engine's module is fetched in parts: what most apps need at first, and the rest when it is first used.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { createGlue } from "../../crates/epitome-wasm/npm/dist/glue/factory.js";
import { compilePart, Joint } from "../../crates/epitome-wasm/npm/dist/wasm/parts.js";
import { fixtures, longChat } from "./fixtures.mjs";

const GLUE = new URL("../../crates/epitome-wasm/npm/dist/glue/", import.meta.url);

/** The part that each format needs, besides what is fetched first. */
const PARTS = {
  "openai-chat": undefined,
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  "ai-sdk-ui": "ai-sdk",
  "ai-sdk-model": "ai-sdk",
  gemini: "gemini",
  langchain: "langchain",
  bedrock: "bedrock",
};

/** Runs a script in a process of its own, which has fetched nothing before. Returns what it gives to `print`, with the wasm that
 * the process has fetched by then. */
function run(script) {
  const hooks = `let fetched = [];
    export async function initialize({ port }) { port.on("message", () => port.postMessage(fetched)); }
    export async function load(url, context, next) {
      const [, name] = /glue\\/(.*)-inlined\\.js$/.exec(url) ?? [];
      if (name !== undefined) fetched.push(name);
      return next(url, context);
    }`;
  const main = `import { register } from "node:module";
    import { MessageChannel } from "node:worker_threads";
    import { once } from "node:events";
    const { port1, port2 } = new MessageChannel();
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)}, { parentURL: import.meta.url, data: { port: port2 }, transferList: [port2] });
    const print = async (value) => {
      port1.postMessage("which");
      const [fetched] = await once(port1, "message");
      process.stdout.write(JSON.stringify({ value, fetched }));
      process.exit();
    };
    const epitome = await import("epitome");
    const { fixtures, longChat } = await import("./fixtures.mjs");
    ${script}`;
  const options = { cwd: new URL(".", import.meta.url), encoding: "utf8", maxBuffer: 1 << 28 };
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", main], options));
}

/** What an app does with a conversation, in any format. */
const USE = `async function use(format, messages) {
    const summarize = () => "They spoke of all this.";
    const options = { format, policy: { window: 4_000 }, summarize };
    const compactor = await epitome.createCompactor(options);
    const seen = [compactor.append(messages), compactor.findings(), compactor.plan({ reason: "manual" })];
    const { waitedMs, ...report } = await compactor.compact({ reason: "manual" });
    seen.push(report, compactor.messages(), compactor.sources("They spoke"), compactor.status().tokens);
    const restored = await epitome.restoreCompactor(compactor.snapshot(), { ...options, originals: compactor.history() });
    seen.push(restored.messages());
    restored.undo();
    restored.edit("m0", messages[0]);
    seen.push(restored.messages(), restored.history().length, await epitome.recentWithin(messages, { format, tokens: 500 }));
    return JSON.parse(JSON.stringify(seen));
  }`;

for (const [format, part] of Object.entries(PARTS)) {
  test(`${format} does the same where no other format was fetched`, () => {
    const conversations = fixtures(format).map(({ messages }) => messages);
    const all = `const given = ${JSON.stringify(conversations)}; const value = []; for (const messages of given) value.push(await use(${JSON.stringify(format)}, messages)); await print(value);`;
    const alone = run(`${USE} ${all}`);
    const others = run(`${USE} await epitome.loadConversion(); for (const other of ${JSON.stringify(Object.keys(PARTS))}) for (const { messages } of fixtures(other)) await use(other, messages); ${all}`);
    assert.deepEqual(alone.value, others.value);
    assert.ok(alone.value.some(([, , , { outcome }]) => outcome === "applied"));
    assert.deepEqual(alone.fetched.sort(), ["epitome", "snapshots", "summaries", ...(part === undefined ? [] : [part])].sort());
  });
}

test("a part is fetched when it is first used", () => {
  const steps = {
    "": "",
    "a status": "compactor.append(longChat(60)); compactor.status(); compactor.plan();",
    "a summary of the app's own": "await compactor.compact();",
    "a snapshot": "await epitome.restoreCompactor(compactor.snapshot(), { ...OPTIONS, originals: compactor.history() });",
    "a summary without a model": 'const other = await epitome.createCompactor({ format: "openai-chat", policy: POLICY }); other.append(longChat(60)); await other.compact();',
  };
  const fetched = Object.keys(steps).map((last, index) => {
    const code = Object.values(steps).slice(0, index + 1).join("\n");
    const setup = `const POLICY = { window: 1_000 }; const OPTIONS = { format: "openai-chat", policy: POLICY, summarize: () => "They planned the garden." };
      const compactor = await epitome.createCompactor(OPTIONS);`;
    return [last, run(`${setup} ${code} await print();`).fetched];
  });
  assert.deepEqual(Object.fromEntries(fetched), {
    "": ["epitome"],
    "a status": ["epitome"],
    "a summary of the app's own": ["epitome", "summaries"],
    "a snapshot": ["epitome", "summaries", "snapshots"],
    "a summary without a model": ["epitome", "summaries", "snapshots", "extractive"],
  });
});

test("an agent with a format of its own has it in every instance of the module", async () => {
  const { value } = run(`const value = [];
    const options = { format: "openai-chat", policy: { window: 1_000 }, summarize: () => "They planned the garden." };
    const before = await epitome.createCompactor(options);
    await epitome.loadConversion();
    for (let count = 0; count < 40; count += 1) await epitome.createCompactor(options);
    const after = await epitome.createCompactor(options);
    for (const team of [before, after]) {
      team.append(longChat(60));
      const agent = team.agent("critic", { format: "anthropic" });
      const { outcome } = await agent.compact({ reason: "manual" });
      value.push([outcome, await epitome.validate(agent.messages(), "anthropic")]);
    }
    await print(value);`);
  assert.deepEqual(value, [["applied", []], ["applied", []]]);
});

test("a part that cannot be loaded fails the compaction by name, and the next one tries again", async (context) => {
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 1_000, retry: { attempts: 1 } }, summarize: () => "They planned the garden." });
  compactor.append(longChat(60));
  const compile = context.mock.method(WebAssembly, "compile", () => Promise.reject(new TypeError("offline")));
  const failed = await compactor.compact();
  assert.deepEqual([failed.outcome, compile.mock.callCount()], ["failed", 1]);
  assert.match(failed.message, /the part summaries of the wasm module could not be loaded: offline/);
  const snapshot = compactor.snapshot();
  const [{ messages }] = fixtures("anthropic");
  const options = { format: "openai-chat", originals: compactor.history() };
  await assert.rejects(restoreCompactor(snapshot, options), { code: "not-loaded", message: /snapshots.*offline/ });
  await assert.rejects(createCompactor({ format: "anthropic" }), { code: "not-loaded", message: /anthropic.*offline/ });
  compile.mock.restore();
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.equal((await restoreCompactor(snapshot, options)).history().length, compactor.history().length);
  const other = await createCompactor({ format: "anthropic" });
  assert.equal(other.append(messages).length, messages.length);
});

test("a part that is being added is there at once where an agent needs it, and is added once", async () => {
  const engine = createGlue();
  const first = await engine.default({ module_or_path: await readFile(new URL("epitome_bg.wasm", GLUE)) });
  const source = (part) => readFile(new URL(`${part}_bg.wasm`, GLUE));
  const added = [];
  const joint = new Joint(first, (exports) => added.push(exports), source);
  await compilePart("gemini", source);
  const adding = joint.add("gemini");
  joint.addCompiled(["gemini", "bedrock"]);
  assert.equal(added.length, 1, "bedrock was not compiled");
  await Promise.all([adding, joint.add("gemini")]);
  assert.equal(added.length, 1);
});
