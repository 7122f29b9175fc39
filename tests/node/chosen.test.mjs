// What an app chooses for one compaction alone: where its summary ends, and what it leaves as it is.

import assert from "node:assert/strict";
import { SYSTEM } from "./fixtures.mjs";
import { both } from "./places.mjs";

/** A policy that keeps the newest 30 messages and no requests beside them. */
const POLICY = { window: 8_000, keep: { messages: 30 }, keepRequestsTokens: 0 };

/** A chat of 41 messages, each of about a hundred tokens. */
async function chat(place) {
  const said = (turn) => ({ role: turn % 2 === 0 ? "user" : "assistant", content: `Of bed ${turn}: ${"the roses there want water. ".repeat(15)}` });
  const compactor = await place.createCompactor({ format: "openai-chat", policy: POLICY, summarize: async () => "They talked about beds." });
  await compactor.append([SYSTEM, ...Array.from({ length: 40 }, (_, turn) => said(turn))]);
  return compactor;
}

both("a summary ends with the message that is chosen, whatever the policy keeps", async (place) => {
  for (const last of [8, 33]) {
    const compactor = await chat(place);
    const [ids, before] = [await compactor.ids(), await compactor.messages()];
    const plan = await compactor.plan({ upTo: ids[last] });
    assert.ok(plan.actions.slice(last + 1).every(({ action }) => action === "keep"));
    const { outcome } = await compactor.compact({ reason: "manual", upTo: ids[last] });
    assert.equal(outcome, "applied");
    assert.deepEqual((await compactor.compacted()).at(-1), ids[last]);
    assert.deepEqual((await compactor.messages()).slice(-(before.length - 1 - last)), before.slice(last + 1));
    await compactor.undo();
    assert.deepEqual(await compactor.messages(), before);
    await compactor.dispose();
  }
});

both("what is exempt stays, and the next compaction summarizes it", async (place) => {
  const compactor = await chat(place);
  const ids = await compactor.ids();
  const [kept, last] = [ids[4], ids[10]];
  const message = await compactor.message(kept);
  const { actions } = await compactor.plan({ upTo: last, exempt: [kept] });
  assert.equal(actions.find(({ id }) => id === kept).action, "keep");
  await compactor.compact({ reason: "manual", upTo: last, exempt: [kept] });
  assert.ok((await compactor.messages()).some((sent) => sent.content === message.content));
  assert.ok(!(await compactor.compacted()).includes(kept));
  await compactor.compact({ reason: "manual", upTo: ids[20] });
  assert.ok((await compactor.compacted()).includes(kept));
  await compactor.dispose();
});

both("a message of several steps is chosen with all of them, by the id that the app gave it", async (place) => {
  const lookUp = (call) => ({ type: "tool-look", toolCallId: call, state: "output-available", input: {}, output: "a long answer ".repeat(30) });
  const messages = [];
  for (let turn = 0; turn < 12; turn += 1) {
    messages.push({ id: `question-${turn}`, role: "user", parts: [{ type: "text", text: `And what of part ${turn}?` }] });
    const parts = ["a", "b"].flatMap((step) => [{ type: "step-start" }, lookUp(`${turn}${step}`)]);
    messages.push({ id: `answer-${turn}`, role: "assistant", parts: [...parts, { type: "step-start" }, { type: "text", text: "That is it." }] });
  }
  const compactor = await place.createCompactor({ format: "ai-sdk-ui", policy: { ...POLICY, window: 4_000 }, summarize: async () => "They looked." });
  await compactor.append(messages);
  const compacted = async (options) => {
    await compactor.compact({ reason: "manual", ...options });
    const sent = (await compactor.messages()).map(({ id }) => id);
    await compactor.undo();
    return messages.map(({ id }) => id).filter((id) => !sent.includes(id));
  };
  const upTo = await compacted({ upTo: "answer-2" });
  assert.deepEqual(upTo, ["question-0", "answer-0", "question-1", "answer-1", "question-2", "answer-2"]);
  assert.deepEqual(await compacted({ upTo: "answer-2", exempt: ["answer-1"] }), upTo.filter((id) => id !== "answer-1"));
  await compactor.dispose();
});

both("a choice that names no message is refused, and changes nothing", async (place) => {
  const compactor = await chat(place);
  const before = await compactor.messages();
  const refused = async (options, code, words) => {
    for (const call of [() => compactor.plan(options), () => compactor.compact(options)]) {
      await assert.rejects(async () => call(), { code, message: words });
    }
  };
  await refused({ upTo: "nobody" }, "unknown-id", /nobody/);
  await refused({ exempt: ["nobody"] }, "unknown-id", /nobody/);
  await refused({ upTo: 3 }, "invalid-option", /upTo: expected a string, not a value of the type number/);
  await refused({ exempt: "m3" }, "invalid-option", /exempt: give the messages as an array, not a value of the type string/);
  await refused({ exempt: ["m3", null] }, "invalid-option", /exempt\[1\]: expected a string/);
  assert.deepEqual(await compactor.messages(), before);
  const { outcome } = await compactor.compact({ reason: "manual" });
  assert.equal(outcome, "applied");
  await compactor.dispose();
});
