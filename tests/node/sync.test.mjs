// `sync` makes the compactor follow the app's array, whatever the app did to it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, isEpitomeError, restoreCompactor } from "epitome";
import { chatOf, compactorWith, said, same, toolRound } from "./harness.mjs";

const POLICY = { window: 2_000, keep: { messages: 4 } };

/** A conversation of this many messages, synced, and compacted if that is wanted. */
async function followed(count, { compact = false, policy = {}, ...options } = {}) {
  const messages = chatOf(count);
  const compactor = await compactorWith({ ...POLICY, ...policy }, [], options);
  compactor.sync(messages);
  if (compact) {
    assert.equal((await compactor.compact()).outcome, "applied");
  }
  return { compactor, messages };
}

const NOTHING = { appended: [], inserted: [], changed: [], removed: [], left: [], inactive: [], reactivated: [] };
const isSummary = ({ content }) => String(content).includes("<conversation-summary");

test("k1: new messages at the end are appended, and the same array again changes nothing", async () => {
  const { compactor, messages } = await followed(4);
  assert.deepEqual(compactor.sync(messages), NOTHING);
  messages.push(said("user", "and?"), said("assistant", "so"));
  assert.deepEqual(compactor.sync(messages), { ...NOTHING, appended: ["m4", "m5"] });
  assert.ok(same(compactor.history(), messages));
});

test("k1: messages that are other objects with the same content are not new messages", async () => {
  const { compactor, messages } = await followed(12, { compact: true });
  const view = compactor.messages();
  const copies = structuredClone(messages);
  assert.deepEqual(compactor.sync(copies), NOTHING);
  assert.ok(same(compactor.history(), copies), "the app's latest objects are given back");
  assert.deepEqual(compactor.messages(), view);
});

test("k1: a streamed message is changed and not appended again, as a new object or in place", async () => {
  const { compactor, messages } = await followed(4);
  const answer = said("assistant", "The");
  assert.deepEqual(compactor.sync([...messages, answer]).appended, ["m4"]);
  const longer = said("assistant", "The roses bloom");
  assert.deepEqual(compactor.sync([...messages, longer]), { ...NOTHING, changed: ["m4"] });
  longer.content += " in May.";
  assert.deepEqual(compactor.sync([...messages, longer]), { ...NOTHING, changed: ["m4"] });
  assert.deepEqual(compactor.messages().at(-1), said("assistant", "The roses bloom in May."));
  const again = await compactorWith(POLICY, [...messages, longer]);
  assert.deepEqual(compactor.status(), again.status());
});

test("k1: an answer that is generated again takes the place of the first, which stays as a branch", async () => {
  const { compactor, messages } = await followed(12, { compact: true });
  const first = messages.pop();
  assert.deepEqual(compactor.sync(messages), { ...NOTHING, left: ["m11"] });
  const second = said("assistant", "Another answer");
  assert.deepEqual(compactor.sync([...messages, second]).appended, ["m12"]);
  assert.ok(isSummary(compactor.messages()[0]), "the compaction holds");
  assert.equal(compactor.messages().at(-1), second);
  assert.deepEqual(compactor.branches("m12"), ["m11", "m12"]);
  assert.deepEqual(compactor.sync([...messages, first]), { ...NOTHING, left: ["m12"] });
  assert.equal(compactor.messages().at(-1), first);
  compactor.switchTo("m12");
  assert.ok(same(compactor.history(), [...messages, second]));
});

test("k1: a question that is edited and sent again begins a branch; the old one comes back with its compaction", async () => {
  const { compactor, messages } = await followed(12, { compact: true });
  const view = compactor.messages();
  const edited = [...messages.slice(0, 2), said("user", "Another question"), said("assistant", "Another answer")];
  const report = compactor.sync(edited);
  assert.deepEqual(report.appended, ["m12", "m13"]);
  assert.equal(report.left.length, 10);
  assert.deepEqual(report.inactive, [1]);
  assert.ok(same(compactor.messages(), edited), "what was summarized is not there any more");
  const back = compactor.sync(messages);
  assert.deepEqual(back.reactivated, [1]);
  assert.deepEqual(compactor.messages(), view);
});

test("k1: a message that is edited in its place keeps what follows, and its metadata", async () => {
  for (const own of [{}, { id: "mine" }]) {
    const messages = chatOf(6).map((message, index) => (index === 2 ? { ...message, ...own } : message));
    const compactor = await compactorWith(POLICY);
    compactor.sync(messages.slice(0, 3), { pinned: true });
    compactor.sync(messages);
    messages[2] = { ...messages[2], content: "Changed" };
    assert.deepEqual(compactor.sync(messages), { ...NOTHING, changed: ["m2"] });
    assert.equal(compactor.metadata("m2").pinned, true);
    assert.ok(same(compactor.messages(), messages));
  }
});

test("k1: a deleted message is gone for good, and a compaction of it is taken back", async () => {
  const { compactor, messages } = await followed(12, { compact: true });
  const tail = messages.splice(10, 1);
  assert.deepEqual(compactor.sync(messages), { ...NOTHING, removed: ["m10"] });
  assert.ok(!compactor.messages().includes(tail[0]));
  messages.splice(3, 2);
  assert.deepEqual(compactor.sync(messages), { ...NOTHING, removed: ["m3", "m4"], inactive: [1] });
  assert.ok(same(compactor.messages(), messages));
  assert.throws(() => compactor.undo(), { code: "nothing-to-undo" });
});

test("k1: a message that is put between others is inserted there", async () => {
  const { compactor, messages } = await followed(6);
  messages.splice(3, 0, said("system", "Be brief."));
  assert.deepEqual(compactor.sync(messages), { ...NOTHING, inserted: ["m6"] });
  assert.ok(same(compactor.history(), messages));
  const again = await compactorWith(POLICY, messages);
  assert.deepEqual(compactor.status(), again.status());
  assert.deepEqual(compactor.plan().actions.map(({ id }) => id), ["m0", "m1", "m2", "m6", "m3", "m4", "m5"]);
});

test("k1: an app that stores what messages() returned goes on from there", async () => {
  for (const copied of [false, true]) {
    const { compactor } = await followed(12, { compact: true });
    const stored = copied ? structuredClone(compactor.messages()) : compactor.messages();
    const more = [...stored, said("user", "and?"), said("assistant", "so")];
    assert.deepEqual(compactor.sync(more), { ...NOTHING, appended: ["m12", "m13"] });
    assert.deepEqual(compactor.messages(), more);
    assert.deepEqual(compactor.sync(more.slice(0, -1)), { ...NOTHING, left: ["m13"] });
    assert.deepEqual(compactor.messages(), more.slice(0, -1));
    assert.equal((await compactor.compact()).outcome, "applied");
    const later = [...more.slice(0, -1), said("assistant", "later")];
    assert.deepEqual(compactor.sync(later).appended, ["m14"], "also after another compaction");
    assert.equal(compactor.messages().filter(isSummary).length, 1);
    compactor.undo();
    compactor.undo();
    assert.equal(compactor.history().length, 14);
  }
});

test("k1: what messages() returned is recognised with fields that the app has added, such as an id", async () => {
  const { compactor } = await followed(12, { compact: true });
  const stored = structuredClone(compactor.messages()).map((message, index) => (isSummary(message) ? { ...message, id: `s${index}`, at: 7 } : message));
  assert.deepEqual(compactor.sync([...stored, said("user", "and?")]), { ...NOTHING, appended: ["m12"] });
  assert.deepEqual(compactor.sync([...stored, said("user", "and?")]), NOTHING);
  assert.ok(isSummary(compactor.messages()[0]), "the compaction holds");
  assert.deepEqual(compactor.sync(stored), { ...NOTHING, left: ["m12"] });
});

test("k1: a message that was edited after a view was made takes the place that it had before the edit", async () => {
  const messages = [said("system", "Be brief."), ...chatOf(12)];
  const compactor = await compactorWith(POLICY);
  compactor.sync(messages);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.equal(compactor.messages()[0], messages[0]);
  assert.deepEqual(compactor.sync([said("system", "Be kind."), ...messages.slice(1)]).changed, ["m0"]);
  const before = [...messages.slice(0, 5), said("user", "Another")];
  compactor.sync(before);
  assert.ok(same(compactor.history(), before));
});

test("k1: messages of the AI SDK's page are recognised by their ids", async () => {
  const ui = (id, role, text) => ({ id, role, parts: [{ type: "text", text }] });
  const compactor = await createCompactor({ format: "ai-sdk-ui" });
  const first = [ui("u1", "user", "hi"), ui("a1", "assistant", "hello"), ui("u2", "user", "what?"), ui("a2", "assistant", "that")];
  compactor.sync(first);
  // The SDK sends an edited question again under its id, and cuts what followed.
  const resent = [...first.slice(0, 2), ui("u2", "user", "what else?")];
  assert.deepEqual(compactor.sync(resent), { ...NOTHING, appended: ["m4"], left: ["m2", "m3"] });
  assert.deepEqual(compactor.branches("u2"), ["m2", "m4"]);
  compactor.edit("a1", ui("a1", "assistant", "hello!"));
  assert.equal(compactor.history()[1].parts[0].text, "hello!");
  const noted = { ...resent[2], metadata: { seen: true } };
  assert.deepEqual(compactor.sync([compactor.history()[0], compactor.history()[1], noted]), NOTHING, "the model gets the same");
  assert.equal(compactor.history()[2], noted);
});

test("k1: tool rounds that are removed or generated again leave no orphans", async () => {
  const messages = [...chatOf(6), ...toolRound("c1", "one"), said("assistant", "So."), ...chatOf(2), ...toolRound("c2", "two")];
  const compactor = await compactorWith(POLICY);
  compactor.sync(messages);
  messages.splice(6, 2);
  assert.deepEqual(compactor.sync(messages).removed, ["m6", "m7"]);
  assert.deepEqual(compactor.findings(), []);
  messages.splice(-2, 2, ...toolRound("c3", "three"));
  assert.equal(compactor.sync(messages).left.length, 2);
  assert.deepEqual(compactor.findings(), []);
  assert.ok(same(compactor.messages(), messages));
});

test("k1: what cannot be read is refused and changes nothing", async () => {
  const { compactor, messages } = await followed(6, { compact: true });
  const [before, view] = [compactor.snapshot(), compactor.messages()];
  const deep = {};
  for (let depth = 0, inner = deep; depth < 300; depth += 1, inner = inner.inner) {
    inner.inner = {};
  }
  const hostile = [
    [...messages, 7],
    [...messages.slice(0, 3), null, ...messages.slice(3)],
    [...messages.slice(0, 2), said("user", deep)],
    [messages[0], { get role() { throw new Error("no role"); } }, ...messages.slice(2)],
    "messages",
  ];
  for (const array of hostile) {
    assert.throws(() => compactor.sync(array), isEpitomeError);
  }
  assert.equal(compactor.snapshot(), before);
  assert.ok(same(compactor.messages(), view));
  assert.throws(() => compactor.sync([...messages, 7]), /messages\[6\]/);
});

test("k2: a summary of changed messages is made again if the policy asks for it", async () => {
  for (const staleSummary of ["undo", "renew"]) {
    const { compactor, messages } = await followed(12, { compact: true, policy: { staleSummary } });
    messages[1] = { ...messages[1], content: "another answer" };
    assert.equal(compactor.sync(messages).inactive.length, 1, "the report says so");
    assert.ok(!compactor.messages().some(isSummary));
    const report = await compactor.compactIfNeeded();
    assert.equal(report?.reason, staleSummary === "renew" ? "renew" : undefined);
    assert.equal(compactor.messages().some(isSummary), staleSummary === "renew");
    assert.equal(await compactor.compactIfNeeded(), undefined);
  }
});

test("k2: branches survive a snapshot; their objects come back with the app's array", async () => {
  const { compactor, messages } = await followed(12, { compact: true });
  const view = compactor.messages();
  const other = [...messages.slice(0, 11), said("assistant", "Another answer")];
  compactor.sync(other);
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: other });
  assert.deepEqual(restored.branches("m12"), ["m11", "m12"]);
  assert.deepEqual(restored.sync(structuredClone(messages)), { ...NOTHING, left: ["m12"] });
  assert.deepEqual(restored.messages(), view);
});

test("k2: a branch is left and taken up again by the calls that pages make", async () => {
  const { compactor, messages } = await followed(4);
  compactor.truncate("m2");
  assert.ok(same(compactor.history(), messages.slice(0, 3)));
  compactor.append(said("assistant", "Another"));
  assert.deepEqual(compactor.branches("m4"), ["m3", "m4"]);
  compactor.switchTo("m3");
  assert.ok(same(compactor.history(), messages));
  compactor.remove("m1");
  assert.ok(same(compactor.messages(), [messages[0], messages[2], messages[3]]));
  const id = compactor.insert(messages[1], "m2");
  assert.ok(same(compactor.history(), messages));
  assert.deepEqual(compactor.plan().actions.map((row) => row.id), ["m0", id, "m2", "m3"]);
  for (const call of [() => compactor.remove("m4"), () => compactor.edit("m4", messages[0])]) {
    assert.throws(call, { code: "other-branch" });
  }
  for (const call of [() => compactor.switchTo("nobody"), () => compactor.truncate("nobody"), () => compactor.remove("nobody")]) {
    assert.throws(call, { code: "unknown-id" });
  }
  compactor.truncate();
  assert.deepEqual(compactor.messages(), []);
});

test("k1: a summary that is written while an answer is generated again is committed", async () => {
  let answer;
  const summarize = () => new Promise((resolve) => (answer = resolve));
  const { compactor, messages } = await followed(12, { summarize });
  const running = compactor.compact();
  await new Promise((resolve) => setImmediate(resolve));
  compactor.sync(messages.slice(0, -1));
  compactor.sync([...messages.slice(0, -1), said("assistant", "Another")]);
  answer("They worked.");
  assert.equal((await running).outcome, "applied");
  assert.equal(compactor.messages().at(-1).content, "Another");
  const cut = compactor.compact();
  compactor.sync(messages.slice(0, 2));
  assert.notEqual((await cut).outcome, "applied");
});

test("k1: every format follows edits, deletions and new answers", async () => {
  const round = toolRound("c1", "a cat").map(({ "x-mine": _, ...message }) => message);
  const chat = [...chatOf(8), said("user", "What is there?"), ...round, said("assistant", "A cat.")];
  for (const format of ["openai-chat", "openai-responses", "anthropic", "ai-sdk-ui", "ai-sdk-model", "gemini", "langchain", "bedrock"]) {
    const { messages } = await convert(chat, "openai-chat", format);
    const compactor = await createCompactor({ format });
    compactor.sync(messages);
    assert.deepEqual(compactor.sync(structuredClone(messages)), NOTHING, format);
    const shorter = messages.slice(0, -1);
    assert.equal(compactor.sync(shorter).left.length, 1, format);
    assert.equal(compactor.sync(messages).appended.length, 0, format);
    const without = messages.filter((_, index) => index !== 2 && index !== 3);
    assert.equal(compactor.sync(without).removed.length, 2, format);
    assert.deepEqual(compactor.history(), without, format);
    assert.deepEqual(compactor.messages(), without, format);
  }
});
