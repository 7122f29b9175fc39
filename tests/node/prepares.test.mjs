// The summary of the next compaction is written before it is due, while the chat goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compactMessages, createCompactor, resolvePolicy, restoreCompactor, runTurn } from "epitome";
import { deferred } from "./fixtures.mjs";
import { said } from "./harness.mjs";

const POLICY = { window: 1_000, counting: { charactersPerToken: 4 }, reducers: [], prepareAt: { fraction: 0.6 }, keep: { fraction: 0.2 }, keepRequestsTokens: 0 };

/** A chat whose summarizer answers when it is told to. A message has 50 tokens, and a compaction is due at 750. */
async function chat(policy = {}) {
  const asked = [];
  const events = [];
  const waiting = new Map();
  const summarize = (request, { signal }) => {
    const answer = deferred();
    asked.push({ request, signal, answer });
    return answer.promise;
  };
  const onEvent = (event) => {
    events.push(event);
    waiting.get(event.type)?.();
  };
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...POLICY, ...policy }, summarize, onEvent });
  let count = 0;
  const say = (messages) => {
    for (let left = messages; left > 0; left -= 1) {
      compactor.append(said(count % 2 ? "assistant" : "user", `Message ${count} `.padEnd(184, "x")));
      count += 1;
    }
  };
  const types = () => events.map(({ type }) => type);
  const next = (type) => new Promise((resolve) => waiting.set(type, resolve));
  return { compactor, asked, events, say, types, next };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("k9: the next summary is written while the chat goes on, and a compaction has it at once", async () => {
  const { compactor, asked, say, types, next } = await chat();
  say(12);
  assert.equal(compactor.check("turnStart"), undefined);
  await settled();
  assert.deepEqual([asked.length, asked[0].request.isAhead, types()], [1, true, ["preparing"]]);
  say(1);
  const prepared = next("prepared");
  asked[0].answer.resolve("They have talked of everything.");
  await prepared;
  assert.deepEqual(types(), ["preparing", "prepared"]);
  assert.equal(compactor.messages().length, 13, "nothing has changed yet");
  say(2);
  const report = await compactor.compactIfNeeded({ phase: "turnStart" });
  assert.deepEqual([report.outcome, report.requests, report.prepared.used], ["applied", 1, "asWritten"]);
  assert.deepEqual([asked.length, report.waitedMs, report.prepared.wasted], [1, 0, { requests: 0, tokens: 0 }]);
  assert.match(JSON.stringify(compactor.messages()), /talked of everything/);
  compactor.undo();
  assert.equal(compactor.messages().length, 15);
  compactor.dispose();
});

test("k9: a compaction waits for a summary that is still being written, and not for another one", async () => {
  const { compactor, asked, say } = await chat();
  say(12);
  compactor.check("turnStart");
  say(3);
  const compacting = compactor.compactIfNeeded({ phase: "turnStart" });
  await settled();
  assert.equal(asked.length, 1);
  asked[0].answer.resolve({ text: "They have talked of everything." });
  const { outcome, prepared, requests } = await compacting;
  assert.deepEqual([outcome, prepared.used, requests], ["applied", "asWritten", 1]);
  compactor.dispose();
});

test("k9: an edit, a removal or another branch of what it covers ends its request, and the report has its cost", async () => {
  const changes = {
    edit: (compactor) => compactor.edit("m0", said("user", "Another one.")),
    remove: (compactor) => compactor.remove("m1"),
    sync: (compactor) => compactor.sync([said("user", "Another chat."), ...compactor.history().slice(1)]),
    truncate: (compactor) => compactor.truncate("m2"),
    setPolicy: (compactor) => compactor.setPolicy({ ...POLICY, target: 0.4 }),
  };
  for (const [name, change] of Object.entries(changes)) {
    const { compactor, asked, say, types } = await chat();
    say(12);
    compactor.check("turnStart");
    await settled();
    change(compactor);
    compactor.status();
    compactor.check("turnStart");
    await settled();
    assert.ok(asked[0].signal.aborted && types().includes("preparationDropped"), name);
    asked[0].answer.resolve("Too late.");
    await settled();
    assert.ok(!types().includes("prepared"), name);
    if (name === "remove") {
      say(4);
      const compacting = compactor.compactIfNeeded({ phase: "turnStart" });
      await settled();
      asked.at(-1).answer.resolve("They have talked.");
      const { prepared } = await compacting;
      assert.deepEqual([prepared.wasted.requests, prepared.wasted.tokens > 400], [1, true]);
    }
    compactor.dispose();
  }
});

test("k9: a restored conversation goes on with what is written", async () => {
  const { compactor, asked, say } = await chat();
  say(12);
  compactor.check("turnStart");
  await settled();
  asked[0].answer.resolve("They have talked of everything.");
  await settled();
  const again = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: compactor.history() });
  again.append([1, 2, 3].map((turn) => said("user", `Message ${turn} `.padEnd(184, "x"))));
  const { prepared, requests } = await again.compactIfNeeded({ phase: "turnStart" });
  assert.deepEqual([prepared.used, requests], ["asWritten", 1]);
  again.dispose();
  compactor.dispose();
});

test("k9: a turn begins it between its requests", async () => {
  const { compactor, asked, say } = await chat();
  say(12);
  compactor.append(said("user", "And now?"));
  const { compactions } = await runTurn(compactor, { request: () => ({ messages: said("assistant", "Now.") }) });
  assert.deepEqual([asked.length, compactions], [1, []]);
  compactor.dispose();
  assert.ok(asked[0].signal.aborted, "nothing goes on after dispose");
});

test("k9: without a compactor that lives on, none is written in advance", async () => {
  const messages = Array.from({ length: 12 }, (_, turn) => said(turn % 2 ? "assistant" : "user", `Message ${turn} `.padEnd(184, "x")));
  let asked = 0;
  const summarize = () => (asked += 1) && "They have talked.";
  const { report } = await compactMessages(messages, { format: "openai-chat", policy: POLICY, summarize });
  await settled();
  assert.deepEqual([report, asked], [undefined, 0]);
});

test("k9: a point that cannot work is refused by name", async () => {
  for (const prepareAt of [{ fraction: 0 }, { fraction: 1 }, { tokens: 0 }, { share: 0.5 }, 0.5]) {
    await assert.rejects(resolvePolicy({ window: 1_000, prepareAt }), /prepareAt/);
  }
  assert.deepEqual((await resolvePolicy({ window: 1_000, prepareAt: { tokens: 600 } })).prepareAt, { tokens: 600 });
});
