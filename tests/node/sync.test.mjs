// `sync` makes the compactor follow the app's array, whatever the app did to it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, isEpitomeError } from "epitome";
import { chatOf, compactorWith, said, same, toolRound } from "./harness.mjs";
import { both } from "./places.mjs";

const POLICY = { window: 2_000, keep: { messages: 4 } };

/** A conversation of this many messages, synced, and compacted if that is wanted. */
async function followed({ compactorWith }, count, { compact = false, policy = {}, ...options } = {}) {
  const messages = chatOf(count);
  const compactor = await compactorWith({ ...POLICY, ...policy }, [], options);
  await compactor.sync(messages);
  if (compact) {
    assert.equal((await compactor.compact()).outcome, "applied");
  }
  return { compactor, messages };
}

const NOTHING = { appended: [], inserted: [], changed: [], removed: [], left: [], inactive: [], reactivated: [] };
const isSummary = ({ content }) => String(content).includes("<conversation-summary");

both("k1: new messages at the end are appended, and the same array again changes nothing", async (place) => {
  const { compactor, messages } = await followed(place, 4);
  assert.deepEqual(await compactor.sync(messages), NOTHING);
  messages.push(said("user", "and?"), said("assistant", "so"));
  assert.deepEqual(await compactor.sync(messages), { ...NOTHING, appended: ["m4", "m5"] });
  assert.ok(same(await compactor.history(), messages));
});

both("k1: messages that are other objects with the same content are not new messages", async (place) => {
  const { compactor, messages } = await followed(place, 12, { compact: true });
  const view = await compactor.messages();
  const copies = structuredClone(messages);
  assert.deepEqual(await compactor.sync(copies), NOTHING);
  assert.ok(same(await compactor.history(), copies), "the app's latest objects are given back");
  assert.deepEqual(await compactor.messages(), view);
});

both("k1: a streamed message is changed and not appended again, as a new object or in place", async (place) => {
  const { compactor, messages } = await followed(place, 4);
  const answer = said("assistant", "The");
  assert.deepEqual((await compactor.sync([...messages, answer])).appended, ["m4"]);
  const longer = said("assistant", "The roses bloom");
  assert.deepEqual(await compactor.sync([...messages, longer]), { ...NOTHING, changed: ["m4"] });
  longer.content += " in May.";
  assert.deepEqual(await compactor.sync([...messages, longer]), { ...NOTHING, changed: ["m4"] });
  assert.deepEqual((await compactor.messages()).at(-1), said("assistant", "The roses bloom in May."));
  const again = await place.compactorWith(POLICY, [...messages, longer]);
  assert.deepEqual(await compactor.status(), await again.status());
});

both("k1: an answer that is generated again takes the place of the first, which stays as a branch", async (place) => {
  const { compactor, messages } = await followed(place, 12, { compact: true });
  const first = messages.pop();
  assert.deepEqual(await compactor.sync(messages), { ...NOTHING, left: ["m11"] });
  const second = said("assistant", "Another answer");
  assert.deepEqual((await compactor.sync([...messages, second])).appended, ["m12"]);
  assert.ok(isSummary((await compactor.messages())[0]), "the compaction holds");
  assert.equal((await compactor.messages()).at(-1), second);
  assert.deepEqual(await compactor.branches("m12"), ["m11", "m12"]);
  assert.deepEqual(await compactor.sync([...messages, first]), { ...NOTHING, left: ["m12"] });
  assert.equal((await compactor.messages()).at(-1), first);
  await compactor.switchTo("m12");
  assert.ok(same(await compactor.history(), [...messages, second]));
});

both("k1: a question that is edited and sent again begins a branch; the old one comes back with its compaction", async (place) => {
  const { compactor, messages } = await followed(place, 12, { compact: true });
  const view = await compactor.messages();
  const edited = [...messages.slice(0, 2), said("user", "Another question"), said("assistant", "Another answer")];
  const report = await compactor.sync(edited);
  assert.deepEqual(report.appended, ["m12", "m13"]);
  assert.equal(report.left.length, 10);
  assert.deepEqual(report.inactive, [1]);
  assert.ok(same(await compactor.messages(), edited), "what was summarized is not there any more");
  const back = await compactor.sync(messages);
  assert.deepEqual(back.reactivated, [1]);
  assert.deepEqual(await compactor.messages(), view);
});

both("k1: a message that is edited in its place keeps what follows, and its metadata", async (place) => {
  for (const own of [{}, { id: "mine" }]) {
    const messages = chatOf(6).map((message, index) => (index === 2 ? { ...message, ...own } : message));
    const compactor = await place.compactorWith(POLICY);
    await compactor.sync(messages.slice(0, 3), { pinned: true });
    await compactor.sync(messages);
    messages[2] = { ...messages[2], content: "Changed" };
    assert.deepEqual(await compactor.sync(messages), { ...NOTHING, changed: ["m2"] });
    assert.equal((await compactor.metadata("m2")).pinned, true);
    assert.ok(same(await compactor.messages(), messages));
  }
});

both("k1: a deleted message is gone for good, and a compaction of it is taken back", async (place) => {
  const { compactor, messages } = await followed(place, 12, { compact: true });
  const tail = messages.splice(10, 1);
  assert.deepEqual(await compactor.sync(messages), { ...NOTHING, removed: ["m10"] });
  assert.ok(!(await compactor.messages()).includes(tail[0]));
  messages.splice(3, 2);
  assert.deepEqual(await compactor.sync(messages), { ...NOTHING, removed: ["m3", "m4"], inactive: [1] });
  assert.ok(same(await compactor.messages(), messages));
  await assert.rejects(async () => compactor.undo(), { code: "nothing-to-undo" });
});

both("k1: a message that is put between others is inserted there", async (place) => {
  const { compactor, messages } = await followed(place, 6);
  messages.splice(3, 0, said("system", "Be brief."));
  assert.deepEqual(await compactor.sync(messages), { ...NOTHING, inserted: ["m6"] });
  assert.ok(same(await compactor.history(), messages));
  const again = await place.compactorWith(POLICY, messages);
  assert.deepEqual(await compactor.status(), await again.status());
  assert.deepEqual((await compactor.plan()).actions.map(({ id }) => id), ["m0", "m1", "m2", "m6", "m3", "m4", "m5"]);
});

both("k1: an app that stores what messages() returned goes on from there", async (place) => {
  for (const copied of [false, true]) {
    const { compactor } = await followed(place, 12, { compact: true });
    const stored = copied ? structuredClone(await compactor.messages()) : await compactor.messages();
    const more = [...stored, said("user", "and?"), said("assistant", "so")];
    assert.deepEqual(await compactor.sync(more), { ...NOTHING, appended: ["m12", "m13"] });
    assert.deepEqual(await compactor.messages(), more);
    assert.deepEqual(await compactor.sync(more.slice(0, -1)), { ...NOTHING, left: ["m13"] });
    assert.deepEqual(await compactor.messages(), more.slice(0, -1));
    assert.equal((await compactor.compact()).outcome, "applied");
    const later = [...more.slice(0, -1), said("assistant", "later")];
    assert.deepEqual((await compactor.sync(later)).appended, ["m14"], "also after another compaction");
    assert.equal((await compactor.messages()).filter(isSummary).length, 1);
    await compactor.undo();
    await compactor.undo();
    assert.equal((await compactor.history()).length, 14);
  }
});

both("k1: what messages() returned is recognised with fields that the app has added, such as an id", async (place) => {
  const { compactor } = await followed(place, 12, { compact: true });
  const stored = structuredClone(await compactor.messages()).map((message, index) => (isSummary(message) ? { ...message, id: `s${index}`, at: 7 } : message));
  assert.deepEqual(await compactor.sync([...stored, said("user", "and?")]), { ...NOTHING, appended: ["m12"] });
  assert.deepEqual(await compactor.sync([...stored, said("user", "and?")]), NOTHING);
  assert.ok(isSummary((await compactor.messages())[0]), "the compaction holds");
  assert.deepEqual(await compactor.sync(stored), { ...NOTHING, left: ["m12"] });
});

both("k1: a message that was edited after a view was made takes the place that it had before the edit", async (place) => {
  const messages = [said("system", "Be brief."), ...chatOf(12)];
  const compactor = await place.compactorWith(POLICY);
  await compactor.sync(messages);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.equal((await compactor.messages())[0], messages[0]);
  assert.deepEqual((await compactor.sync([said("system", "Be kind."), ...messages.slice(1)])).changed, ["m0"]);
  const before = [...messages.slice(0, 5), said("user", "Another")];
  await compactor.sync(before);
  assert.ok(same(await compactor.history(), before));
});

both("k1: messages of the AI SDK's page are recognised by their ids", async (place) => {
  const ui = (id, role, text) => ({ id, role, parts: [{ type: "text", text }] });
  const compactor = await place.createCompactor({ format: "ai-sdk-ui" });
  const first = [ui("u1", "user", "hi"), ui("a1", "assistant", "hello"), ui("u2", "user", "what?"), ui("a2", "assistant", "that")];
  await compactor.sync(first);
  // The SDK sends an edited question again under its id, and cuts what followed.
  const resent = [...first.slice(0, 2), ui("u2", "user", "what else?")];
  assert.deepEqual(await compactor.sync(resent), { ...NOTHING, appended: ["m4"], left: ["m2", "m3"] });
  assert.deepEqual(await compactor.branches("u2"), ["m2", "m4"]);
  await compactor.edit("a1", ui("a1", "assistant", "hello!"));
  assert.equal((await compactor.history())[1].parts[0].text, "hello!");
  const noted = { ...resent[2], metadata: { seen: true } };
  assert.deepEqual(await compactor.sync([(await compactor.history())[0], (await compactor.history())[1], noted]), NOTHING, "the model gets the same");
  assert.equal((await compactor.history())[2], noted);
});

both("k1: tool rounds that are removed or generated again leave no orphans", async (place) => {
  const messages = [...chatOf(6), ...toolRound("c1", "one"), said("assistant", "So."), ...chatOf(2), ...toolRound("c2", "two")];
  const compactor = await place.compactorWith(POLICY);
  await compactor.sync(messages);
  messages.splice(6, 2);
  assert.deepEqual((await compactor.sync(messages)).removed, ["m6", "m7"]);
  assert.deepEqual(await compactor.findings(), []);
  messages.splice(-2, 2, ...toolRound("c3", "three"));
  assert.equal((await compactor.sync(messages)).left.length, 2);
  assert.deepEqual(await compactor.findings(), []);
  assert.ok(same(await compactor.messages(), messages));
});

test("k1: what cannot be read is refused and changes nothing", async () => {
  const { compactor, messages } = await followed({ compactorWith }, 6, { compact: true });
  const [before, view] = [await compactor.snapshot(), await compactor.messages()];
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
    await assert.rejects(async () => compactor.sync(array), isEpitomeError);
  }
  assert.equal(await compactor.snapshot(), before);
  assert.ok(same(await compactor.messages(), view));
  await assert.rejects(async () => compactor.sync([...messages, 7]), /messages\[6\]/);
});

both("k2: a summary of changed messages is made again if the policy asks for it", async (place) => {
  for (const staleSummary of ["undo", "renew"]) {
    const { compactor, messages } = await followed(place, 12, { compact: true, policy: { staleSummary } });
    messages[1] = { ...messages[1], content: "another answer" };
    assert.equal((await compactor.sync(messages)).inactive.length, 1, "the report says so");
    assert.ok(!(await compactor.messages()).some(isSummary));
    const report = await compactor.compactIfNeeded();
    assert.equal(report?.reason, staleSummary === "renew" ? "renew" : undefined);
    assert.equal((await compactor.messages()).some(isSummary), staleSummary === "renew");
    assert.equal(await compactor.compactIfNeeded(), undefined);
  }
});

both("k2: branches survive a snapshot; their objects come back with the app's array", async (place) => {
  const { compactor, messages } = await followed(place, 12, { compact: true });
  const view = await compactor.messages();
  const other = [...messages.slice(0, 11), said("assistant", "Another answer")];
  await compactor.sync(other);
  const restored = await place.restoreCompactor(await compactor.snapshot(), { format: "openai-chat", originals: other });
  assert.deepEqual(await restored.branches("m12"), ["m11", "m12"]);
  assert.deepEqual(await restored.sync(structuredClone(messages)), { ...NOTHING, left: ["m12"] });
  assert.deepEqual(await restored.messages(), view);
});

both("k2: a branch is left and taken up again by the calls that pages make", async (place) => {
  const { compactor, messages } = await followed(place, 4);
  await compactor.truncate("m2");
  assert.ok(same(await compactor.history(), messages.slice(0, 3)));
  await compactor.append(said("assistant", "Another"));
  assert.deepEqual(await compactor.branches("m4"), ["m3", "m4"]);
  await compactor.switchTo("m3");
  assert.ok(same(await compactor.history(), messages));
  await compactor.remove("m1");
  assert.ok(same(await compactor.messages(), [messages[0], messages[2], messages[3]]));
  const id = await compactor.insert(messages[1], "m2");
  assert.ok(same(await compactor.history(), messages));
  assert.deepEqual((await compactor.plan()).actions.map((row) => row.id), ["m0", id, "m2", "m3"]);
  for (const call of [async () => compactor.remove("m4"), async () => compactor.edit("m4", messages[0])]) {
    await assert.rejects(call, { code: "other-branch" });
  }
  for (const call of [async () => compactor.switchTo("nobody"), async () => compactor.truncate("nobody"), async () => compactor.remove("nobody")]) {
    await assert.rejects(call, { code: "unknown-id" });
  }
  await compactor.truncate();
  assert.deepEqual(await compactor.messages(), []);
});

both("k1: a summary that is written while an answer is generated again is committed", async (place) => {
  // Each request, with the function that answers it.
  const asked = [];
  let heard;
  const summarize = () => new Promise((answer) => heard(asked.push(answer)));
  const request = () => new Promise((resolve) => (heard = resolve));
  const { compactor, messages } = await followed(place, 12, { summarize });
  let requested = request();
  const running = compactor.compact();
  await requested;
  await compactor.sync(messages.slice(0, -1));
  await compactor.sync([...messages.slice(0, -1), said("assistant", "Another")]);
  asked[0]("They worked.");
  assert.equal((await running).outcome, "applied");
  assert.equal((await compactor.messages()).at(-1).content, "Another");
  requested = request();
  const cut = compactor.compact();
  await Promise.race([requested, cut]);
  await compactor.sync(messages.slice(0, 2));
  assert.notEqual((await cut).outcome, "applied");
});

both("k1: every format follows edits, deletions and new answers", async (place) => {
  const round = toolRound("c1", "a cat").map(({ "x-mine": _, ...message }) => message);
  const chat = [...chatOf(8), said("user", "What is there?"), ...round, said("assistant", "A cat.")];
  for (const format of ["openai-chat", "openai-responses", "anthropic", "ai-sdk-ui", "ai-sdk-model", "gemini", "langchain", "bedrock"]) {
    const { messages } = await convert(chat, "openai-chat", format);
    const compactor = await place.createCompactor({ format });
    await compactor.sync(messages);
    assert.deepEqual(await compactor.sync(structuredClone(messages)), NOTHING, format);
    const shorter = messages.slice(0, -1);
    assert.equal((await compactor.sync(shorter)).left.length, 1, format);
    assert.equal((await compactor.sync(messages)).appended.length, 0, format);
    const without = messages.filter((_, index) => index !== 2 && index !== 3);
    assert.equal((await compactor.sync(without)).removed.length, 2, format);
    assert.deepEqual(await compactor.history(), without, format);
    assert.deepEqual(await compactor.messages(), without, format);
  }
});
