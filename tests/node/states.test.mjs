// What a page shows of a compactor: the same objects until something has changed, and a call when it has.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";

const POLICY = { window: 2_000 };
const said = (turn) => ({ role: turn % 2 ? "assistant" : "user", content: `All about bed ${turn}. `.repeat(20) });
const chat = (length) => Array.from({ length }, (_, turn) => said(turn));

/** A compactor and the states that a listener has got. */
async function listened(options = {}) {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, ...options });
  const states = [];
  const unsubscribe = compactor.subscribe((state) => states.push(state));
  return { compactor, states, unsubscribe };
}

/** What changes a conversation, each with whether a page sees it. */
const CHANGES = {
  append: (compactor) => compactor.append(said(9)),
  sync: (compactor) => compactor.sync([...compactor.history(), said(11)]),
  edit: (compactor) => compactor.edit("m1", said(3)),
  insert: (compactor) => compactor.insert(said(13), "m2"),
  remove: (compactor) => compactor.remove("m2"),
  truncate: (compactor) => compactor.truncate("m3"),
  reportUsage: (compactor) => compactor.reportUsage({ prompt_tokens: 900, completion_tokens: 9 }),
  setPolicy: (compactor) => compactor.setPolicy({ window: 5_000 }),
  setRequestContext: (compactor) => compactor.setRequestContext({ added: [said(5)] }),
  compact: (compactor) => compactor.compact(),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`m1: status() and messages() are the same objects until ${name}() changes them, and a listener gets the new state once`, async () => {
    const { compactor, states } = await listened();
    compactor.append(chat(12));
    await Promise.resolve();
    const before = compactor.getSnapshot();
    assert.deepEqual(before, { status: compactor.status(), messages: compactor.messages(), isCompacting: false });
    assert.equal(compactor.status(), before.status);
    assert.equal(compactor.messages(), before.messages);
    compactor.plan();
    compactor.history();
    compactor.check("turnEnd");
    await Promise.resolve();
    assert.equal(compactor.getSnapshot(), before);
    assert.equal(states.length, 2, "empty, and 12 messages");
    await change(compactor);
    await Promise.resolve();
    const after = compactor.getSnapshot();
    assert.notEqual(after, before);
    assert.equal(states.at(-1), after);
    assert.ok(name === "compact" || states.length === 3, `${states.length} states`);
  });
}

test("m1: a listener sees a compaction begin and end, and many changes in a row are one call", async () => {
  const { compactor, states } = await listened({ summarize: async () => "They spoke of beds." });
  for (let turn = 0; turn < 40; turn += 1) {
    compactor.append(said(turn));
  }
  await Promise.resolve();
  assert.equal(states.length, 2);
  const report = await compactor.compact();
  await Promise.resolve();
  assert.equal(report.outcome, "applied");
  const phases = states.map(({ isCompacting }) => isCompacting);
  assert.deepEqual([phases.includes(true), phases.at(-1)], [true, false]);
  assert.equal(states.at(-1).messages, compactor.messages());
  compactor.undo();
  await Promise.resolve();
  assert.equal(states.at(-1).messages.length, 40);
});

test("m1: subscribe and getSnapshot work without the compactor in front, and an end of listening ends it", async () => {
  const { compactor, states, unsubscribe } = await listened();
  const { subscribe, getSnapshot } = compactor;
  const others = [];
  const stop = subscribe((state) => others.push(state));
  compactor.append(said(1));
  await Promise.resolve();
  assert.equal(others.at(-1), getSnapshot());
  stop();
  unsubscribe();
  compactor.append(said(2));
  await Promise.resolve();
  assert.deepEqual([others.length, states.length], [2, 2]);
});

test("m1: an agent has a state of its own, and two that listen to each other's changes come to rest", async () => {
  const { compactor, states } = await listened();
  const agent = compactor.agent("coder");
  const own = [];
  agent.subscribe((state) => own.push(state));
  compactor.append(said(1), { audience: ["coder"] });
  compactor.append(said(2));
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([own.at(-1).messages.length, states.at(-1).messages.length], [2, 1]);
  assert.equal(agent.getSnapshot(), own.at(-1));
  const [first, second] = [own.length, states.length];
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([own.length, states.length], [first, second]);
});

test("m1: a listener that throws or changes the conversation hurts nobody", async (context) => {
  const logged = context.mock.method(console, "error", () => {});
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const states = [];
  compactor.subscribe(() => {
    throw new Error("no");
  });
  compactor.subscribe(({ messages }) => messages.length < 3 && compactor.append(said(messages.length)));
  compactor.subscribe((state) => states.push(state));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(compactor.history().length, 3);
  assert.equal(states.at(-1).messages.length, 3);
  assert.ok(logged.mock.callCount() >= 2);
  assert.throws(() => compactor.subscribe("no"), ({ code }) => code === "invalid-option");
});

test("m1: an array of messages() that the app has changed is not shown again", async () => {
  const { compactor } = await listened();
  compactor.append(chat(4));
  compactor.messages().push(said(9));
  assert.equal(compactor.messages().length, 4);
});

test("m1: after the end, the last state stays for a page that is drawn once more, and nobody is called", async () => {
  const { compactor, states } = await listened();
  compactor.append(chat(4));
  const last = compactor.getSnapshot();
  const { length } = states;
  compactor.dispose();
  await Promise.resolve();
  assert.equal(compactor.getSnapshot(), last);
  assert.equal(states.length, length);
  assert.throws(() => compactor.status(), ({ code }) => code === "disposed");
});

test("m1: a restored compactor is listened to like any other", async () => {
  const { compactor } = await listened();
  compactor.append(chat(4));
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: compactor.history() });
  const states = [];
  restored.subscribe((state) => states.push(state));
  restored.append(said(5));
  await Promise.resolve();
  assert.deepEqual(states.map(({ messages }) => messages.length), [4, 5]);
});
