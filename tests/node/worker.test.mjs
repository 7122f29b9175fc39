// A compactor whose engine is in a worker: what crosses to it and back.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HumanMessage, AIMessage } from "@langchain/core/messages";
import { isEpitomeError } from "epitome";
import { statesOf } from "epitome/worker";
import { longChat } from "./fixtures.mjs";
import { chatOf, said, same, toolRound } from "./harness.mjs";
import { inWorker, servingWorker } from "./places.mjs";

const worker = servingWorker();
after(() => worker.terminate());
const { createCompactor, restoreCompactor, compactorWith } = inWorker(worker);
const KEEP = { keep: { messages: 2 } };

test("m6: sync recognises what it knows, reads a last message that was changed in place, and every message comes back as the app's object", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const messages = longChat(10);
  assert.equal((await compactor.sync(messages)).appended.length, 11);
  messages.at(-1).content = "Roses, and";
  assert.deepEqual((await compactor.sync(messages)).changed, ["m10"]);
  const [first, ...others] = messages;
  const edited = { ...others[0], content: "Tulips?" };
  assert.deepEqual((await compactor.sync([first, edited, ...others.slice(1)])).changed, ["m1"]);
  assert.ok(same(await compactor.history(), [first, edited, ...others.slice(1)]));
  assert.match(await compactor.snapshot(), /Roses, and/);
  compactor.dispose();
});

test("m6: the versions of a message that is streamed as a new object each time are not kept", async () => {
  setFlagsFromString("--expose-gc");
  const collect = async () => {
    worker.postMessage("collect");
    await once(worker, "message");
    // What was awaited is kept until the task ends.
    await new Promise(setImmediate);
    runInNewContext("gc")();
  };
  const compactor = await createCompactor({ format: "openai-chat" });
  const [question, ...more] = longChat(3);
  const stream = async (from, to) => {
    const versions = [];
    for (let length = from; length < to; length += 1) {
      const answer = said("assistant", "rose ".repeat(length));
      versions.push(new WeakRef(answer));
      await compactor.sync([question, ...more, answer]);
    }
    return versions;
  };
  const versions = [...(await stream(1, 520))];
  await collect();
  versions.push(...(await stream(521, 1_600)));
  await collect();
  const kept = versions.filter((version) => version.deref() !== undefined).length;
  assert.ok(kept < versions.length * 0.75, `${kept} of ${versions.length}`);
  assert.ok(same((await compactor.history()).slice(0, 4), [question, ...more]));
  assert.equal((await compactor.history()).at(-1), versions.at(-1).deref());
  compactor.dispose();
});

test("m6: a message of a reactive store, of an SDK's class or with functions is read as on the main thread, and comes back itself", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const reactive = new Proxy({ role: "user", content: [new Proxy({ type: "text", text: "Which rose?" }, {})] }, {});
  const busy = { role: "assistant", content: "Any.", retry: () => {}, owner: new (class { fetch = () => {}; })() };
  await compactor.append([reactive, busy]);
  assert.ok(same(await compactor.messages(), [reactive, busy]));
  assert.match(await compactor.snapshot(), /Which rose\?/);
  compactor.dispose();

  const ofSdk = await createCompactor({ format: "langchain" });
  const spoken = [new HumanMessage("Which rose?"), new AIMessage("Any.")];
  await ofSdk.append(spoken);
  assert.deepEqual(await ofSdk.findings(), []);
  assert.ok(same(await ofSdk.messages(), spoken));
  ofSdk.dispose();
});

test("m6: an error of the app's function keeps its class by name, its code and its cause on both sides", async () => {
  const cause = new TypeError("the disk is full");
  const commit = () => {
    throw Object.assign(new Error("not stored", { cause }), { name: "QuotaExceededError", status: 507, request: { send: () => {} } });
  };
  const compactor = await createCompactor({ format: "openai-chat", commit });
  await compactor.append(said("user", "hi"));
  const error = await compactor.commit().catch((thrown) => thrown);
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.message, error.status], ["QuotaExceededError", "not stored", 507]);
  assert.deepEqual([error.cause.name, error.cause.message], ["TypeError", "the disk is full"]);
  const unknown = await compactor.remove("m9").catch((thrown) => thrown);
  assert.ok(isEpitomeError(unknown) && unknown.code === "unknown-id");
  compactor.dispose();
});

test("m6: a summarizer gets the app's messages, and a busy one is asked again", async () => {
  const messages = chatOf(10);
  const seen = [];
  const summarize = (request, { onDelta, onNotes }) => {
    seen.push(request.messages);
    if (seen.length === 1) {
      throw Object.assign(new Error("busy"), { status: 429, retryAfterMs: 1 });
    }
    onDelta("They ");
    onNotes("of roses");
    return { text: "They worked.", usage: { prompt_tokens: 9, completion_tokens: 3, raw: () => {} } };
  };
  const events = [];
  const policy = { ...KEEP, summary: { input: "conversation" }, retry: { attempts: 2, baseMs: 1, capMs: 1 } };
  const compactor = await compactorWith(policy, messages, { summarize, onEvent: ({ type }) => events.push(type) });
  const report = await compactor.compact();
  assert.deepEqual([report.outcome, seen.length], ["applied", 2]);
  assert.ok(messages.includes(seen[0][0]));
  assert.equal(await compactor.notes(), "of roses");
  assert.ok(events.indexOf("retry") < events.indexOf("delta") && events.indexOf("delta") < events.indexOf("end"), events.join());
  compactor.dispose();
});

test("m6: agents have their views, and one in another format needs nothing to be loaded", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  await compactor.append([said("user", "for all")]);
  await compactor.append(said("user", "for one"), { audience: ["critic"] });
  const critic = await compactor.agent("critic", { policy: { window: 9_000 } });
  const coder = await compactor.agent("coder", { format: "anthropic" });
  assert.deepEqual([(await critic.messages()).length, (await coder.messages()).length, (await compactor.messages()).length], [2, 1, 1]);
  assert.deepEqual([critic.name, critic.format, coder.format, (await critic.status()).window], ["critic", "openai-chat", "anthropic", 9_000]);
  const own = { role: "assistant", content: [{ type: "text", text: "Done." }] };
  await coder.append(own);
  assert.equal((await coder.messages()).at(-1), own);
  assert.deepEqual(await compactor.agents(), ["coder", "critic"]);
  compactor.dispose();
});

test("m6: a policy's model and encoding are loaded in the worker before the policy is set, and later calls come after it", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const set = compactor.setPolicy({ model: "gpt-4o", counting: { encoding: "o200k_base" } });
  const status = compactor.status();
  await set;
  assert.deepEqual([(await status).window, (await status).exact], [128_000, true]);
  await assert.rejects(compactor.setPolicy({ windw: 1 }), { code: "invalid-policy" });
  assert.equal((await compactor.statusUnder({ window: 9_000 })).window, 9_000);
  compactor.dispose();
});

test("m6: a listener gets states until it has ended, with the app's own messages", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const states = [];
  const stop = await compactor.subscribe((state) => states.push(state));
  const message = said("user", "Which rose?");
  await compactor.append(message);
  assert.equal((await compactor.getSnapshot()).messages[0], message);
  await stop();
  await compactor.append(said("assistant", "Any."));
  assert.deepEqual(states.map(({ messages }) => messages.length), [0, 1]);
  assert.equal(states[1].messages[0], message);
  compactor.dispose();
});

test("m6: the states of a compactor and of an agent in a worker are at hand without waiting, as those of a store", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const states = await statesOf(compactor);
  const first = states.getSnapshot();
  assert.deepEqual([first.messages, first.isCompacting, states.getSnapshot() === first], [[], false, true]);
  const seen = [];
  const stop = states.subscribe((state) => seen.push(state.messages.length));
  const message = said("user", "Which rose?");
  await compactor.append(message);
  assert.ok(states.getSnapshot() !== first && states.getSnapshot().messages[0] === message);
  stop();
  await compactor.append(said("assistant", "Any."), { audience: ["gardener"] });
  assert.deepEqual(seen, [0, 1]);
  const agent = await statesOf(await compactor.agent("gardener"));
  assert.equal(agent.getSnapshot().messages.length, 2);
  compactor.dispose();
});

test("m6: a turn runs in the worker, with request, tools, middleware, transforms and providers of this thread", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const question = said("user", "Which rose?");
  await compactor.append(question);
  const [call, result] = toolRound("c1", "Any.");
  const sent = [];
  const answers = [call, said("assistant", "Any rose.")];
  const steps = [];
  const { end, response } = await compactor.runTurn({
    request: (messages) => (sent.push(messages), { messages: answers[sent.length - 1] }),
    tools: ({ messages }) => (messages.tool_calls === undefined ? undefined : [result]),
    middleware: [{ before: ({ step, status }) => void steps.push([step, status.window]) }],
    transforms: [(messages) => messages.filter(({ role }) => role !== "system")],
    providers: [() => "Today is Monday."],
  });
  assert.deepEqual([end, response.messages.content, steps.map(([step]) => step)], ["answered", "Any rose.", [1, 2]]);
  assert.ok(sent[0].includes(question) && sent[0].some(({ content }) => content === "Today is Monday."));
  assert.equal((await compactor.history()).length, 4);
  await assert.rejects(compactor.runTurn({ request: () => Promise.reject(Object.assign(new Error("no"), { code: "mine" })) }), { code: "mine" });
  compactor.dispose();
});

test("m6: disposing cancels what runs as on the main thread, and a restored conversation goes on", async () => {
  const summarize = (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const compactor = await compactorWith(KEEP, chatOf(10), { summarize });
  const snapshot = await compactor.snapshot();
  const compaction = compactor.compact();
  await compactor.status();
  compactor.dispose();
  assert.equal((await compaction).outcome, "cancelled");
  const restored = await restoreCompactor(snapshot, { format: "openai-chat", originals: chatOf(10), summarize: () => "They worked." });
  assert.equal((await restored.compact()).outcome, "applied");
  restored.dispose();
});
