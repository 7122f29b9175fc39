// What the API promises about a conversation, with any summarizer.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as epitome from "epitome";
import * as slim from "epitome/slim";
import { longChat, SYSTEM } from "./fixtures.mjs";
import { both } from "./places.mjs";

const { createCompactor, isEpitomeError } = epitome;
const FORMAT = { format: "openai-chat" };

async function rejects(promise, code, words = "") {
  await assert.rejects(promise, (error) => check(error, code, words));
}

function check(error, code, words) {
  assert.ok(isEpitomeError(error), String(error));
  assert.equal(error.code, code);
  assert.ok(error.message.includes(words), error.message);
  return true;
}

both("before a compaction the messages are the same objects that were appended", async ({ fullCompactor }) => {
  const messages = longChat(5);
  const compactor = await fullCompactor({}, messages);
  assert.deepEqual(await compactor.messages(), messages);
  assert.ok((await compactor.messages()).every((message, index) => message === messages[index]));
  compactor.dispose();
});

both("a compaction reaches the target, keeps what must stay, and undo restores everything", async ({ fullCompactor }) => {
  const messages = longChat(60);
  const compactor = await fullCompactor({}, messages);
  assert.equal((await compactor.status()).level, "compact");
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied");
  assert.equal(report.tokensAfter, (await compactor.status()).tokens);
  assert.ok(report.tokensAfter <= (await compactor.status()).target);
  const view = await compactor.messages();
  assert.equal(view.length, report.messagesAfter);
  assert.equal(view[0], messages[0]);
  const [summary, ...others] = view.filter((message) => !messages.includes(message));
  assert.equal(summary.role, "user");
  assert.ok(summary.content.includes(report.summary));
  assert.deepEqual(others, []);
  assert.ok(view.includes(messages.findLast((message) => message.role === "user")));
  assert.deepEqual(await compactor.history(), messages);
  await compactor.undo();
  assert.ok((await compactor.messages()).every((message, index) => message === messages[index]));
  await rejects(async () => compactor.undo(), "nothing-to-undo");
  compactor.dispose();
});

both("a plan lists the action of every message and changes nothing", async ({ fullCompactor }) => {
  const compactor = await fullCompactor();
  const before = await compactor.snapshot();
  const plan = await compactor.plan({ reason: "threshold" });
  assert.equal(await compactor.snapshot(), before);
  assert.deepEqual(plan.actions.map(({ id }) => id), (await compactor.history()).map((_, index) => `m${index}`));
  const request = 3;
  assert.equal(plan.tokensBefore, plan.actions.reduce((sum, { tokensBefore }) => sum + tokensBefore, request));
  assert.ok(plan.actions.every(({ action, tokensAfter }) => action === "keep" || tokensAfter === 0));
  const [system] = plan.actions;
  assert.deepEqual([system.action, system.tokensAfter], ["keep", system.tokensBefore]);
  assert.ok(plan.tokensAfter < plan.tokensBefore && plan.requests === 1);
  const policy = { window: 1_000 };
  assert.deepEqual(
    await epitome.plan(longChat(60), { ...FORMAT, policy, reason: "threshold" }),
    plan,
  );
  await compactor.compact();
  assert.equal((await compactor.plan()).actions[1].action, "summarized");
  compactor.dispose();
});

test("a plan lists every step of a message that has several", async () => {
  const step = (id, output) => [
    { type: "step-start" },
    { type: "tool-look", toolCallId: id, state: "output-available", input: { at: id }, output },
  ];
  const asked = { id: "u", role: "user", parts: [{ type: "text", text: "Look around." }] };
  const answer = { id: "a", role: "assistant", parts: [...step("one", "a rose"), ...step("two", "a tulip")] };
  const plan = await epitome.plan([asked, answer], { format: "ai-sdk-ui", policy: { window: 1_000 } });
  const ids = plan.actions.map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => !id.includes("#")), ["m0", "m1"]);
  assert.ok(ids.includes("m1#1"), ids.join(" "));
  assert.ok(plan.actions.every(({ action, tokensBefore }) => action === "keep" && tokensBefore > 0));
});

both("a batch with a value that is not a message is refused with its index, and none is appended", async ({ fullCompactor }) => {
  const compactor = await fullCompactor({}, []);
  for (const [value, words] of [
    [7, "found a number"],
    [null, "found null"],
    ["hi", "found a string"],
    [[], "found an array"],
    [undefined, "found null"],
  ]) {
    const batch = [{ role: "user", content: "a" }, value, { role: "user", content: "b" }];
    await rejects(async () => compactor.append(batch), "invalid-message", `messages[1]: `);
    await rejects(async () => compactor.append(batch), "invalid-message", words);
    assert.deepEqual(await compactor.history(), []);
  }
  const circular = { role: "user", content: [] };
  circular.content.push(circular);
  await rejects(async () => compactor.append(circular), "invalid-message", "contains itself");
  const trap = Object.defineProperty({}, "role", { enumerable: true, get: () => assert.fail("no") });
  await rejects(async () => compactor.append(trap), "invalid-message", '"role" that throws');
  assert.deepEqual(await compactor.append([{ role: "user", content: "still works" }]), ["m0"]);
  compactor.dispose();
});

both("an app's own fields in its messages are left unchanged", async ({ fullCompactor }) => {
  const message = {
    role: "user",
    content: "hi",
    when: new Date(),
    self: () => message,
    big: 10n,
    key: Symbol("k"),
    nothing: undefined,
    bytes: new Uint8Array(3),
  };
  const compactor = await fullCompactor({}, []);
  await compactor.append(Object.freeze(message));
  assert.equal((await compactor.messages())[0], message);
  compactor.dispose();
});

both("append takes one message or several, during a compaction too", async ({ fullCompactor }) => {
  const later = { role: "user", content: "One more thing." };
  const summarize = async () => {
    assert.deepEqual(await compactor.append(later), ["m61"]);
    return "They talked.";
  };
  const compactor = await fullCompactor({ summarize });
  await compactor.compact();
  assert.equal((await compactor.messages()).at(-1), later);
  compactor.dispose();
});

both("editing a message undoes the summary that covers its old text", async ({ fullCompactor }) => {
  const compactor = await fullCompactor();
  await compactor.compact();
  const wording = { role: "user", content: "I meant tulips." };
  await compactor.edit("m1", wording);
  assert.equal((await compactor.messages())[1], wording);
  assert.equal((await compactor.history())[1], wording);
  assert.equal((await compactor.messages()).length, 61);
  await rejects(async () => compactor.edit("m99", wording), "unknown-id", '"m99"');
  await rejects(async () => compactor.edit("m1", "tulips"), "invalid-message", "found a string");
  compactor.dispose();
});

both("tokens that the provider reported replace the estimate, in either spelling", async ({ fullCompactor }) => {
  const compactor = await fullCompactor();
  await compactor.reportUsage({ prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 });
  assert.equal((await compactor.status()).tokens, 320);
  assert.equal((await compactor.status()).exact, true);
  await compactor.reportUsage({ promptTokens: 900, completionTokens: 1 });
  assert.equal((await compactor.status()).tokens, 901);
  await rejects(async () => compactor.reportUsage({ tokens: 1 }), "invalid-option", "promptTokens");
  await rejects(async () => compactor.reportUsage({ promptTokens: -1, completionTokens: 0 }), "invalid-option");
  compactor.dispose();
});

both("an invalid policy is refused with the name of the field", async ({ createCompactor }) => {
  const make = (policy) => createCompactor({ ...FORMAT, policy });
  await rejects(make({ windw: 1 }), "invalid-policy", "policy.windw: unknown field");
  await rejects(make({ window: "big" }), "invalid-policy", "policy.window: ");
  await rejects(make({ window: 0 }), "invalid-policy", "policy.window: is 0");
  await rejects(make({ preset: "best" }), "invalid-policy", '"best" is not a preset');
  await rejects(make({ summary: { maxTokens: -1 } }), "invalid-policy", "policy.summary.maxTokens");
  await rejects(createCompactor({ format: "html" }), "unknown-format", "openai-chat");
  const compactor = await make(undefined);
  assert.equal((await compactor.status()).window, 200_000);
  await compactor.setPolicy({ window: 5_000, keep: { messages: 4 } });
  assert.equal((await compactor.status()).window, 5_000);
  await rejects(async () => compactor.setPolicy({ target: 3 }), "invalid-policy", "policy.target");
  compactor.dispose();
});

both("a restored compactor continues as the first one would have", async ({ restoreCompactor, fullCompactor }) => {
  const messages = longChat(60);
  const first = await fullCompactor({}, messages);
  await first.compact();
  const later = [{ role: "user", content: "And the tulips?" }];
  await first.append(later);
  const originals = structuredClone([...messages, ...later]);
  const second = await restoreCompactor(await first.snapshot(), { ...FORMAT, originals });
  assert.deepEqual(await second.messages(), await first.messages());
  assert.ok((await second.messages()).filter((message) => originals.includes(message)).length > 2);
  assert.deepEqual(await second.status(), await first.status());
  assert.equal(await second.snapshot(), await first.snapshot());
  assert.deepEqual(await second.append({ role: "user", content: "Go on." }), ["m62"]);
  await second.undo();
  assert.equal((await second.messages()).length, 63);
  first.dispose();
  second.dispose();
});

both("originals that differ from those of the snapshot are refused with their index", async ({ restoreCompactor, fullCompactor }) => {
  const messages = longChat(4);
  const compactor = await fullCompactor({}, messages);
  const snapshot = await compactor.snapshot();
  const restore = (originals, text = snapshot) => restoreCompactor(text, { ...FORMAT, originals });
  await rejects(restore(messages.slice(0, 3)), "invalid-originals", "originals[3] is missing");
  const other = messages.with(2, { role: "user", content: "else" });
  await rejects(restore(other), "invalid-originals", "originals[2] is not the message m2");
  await rejects(restore(undefined), "invalid-originals");
  await rejects(restore(messages, "{"), "invalid-snapshot");
  await rejects(restore(messages, snapshot.replace('"version":2', '"version":9')), "invalid-snapshot", "update");
  const more = [...messages, { role: "user", content: "since then" }];
  const restored = await restore(more);
  assert.deepEqual(await restored.history(), more);
  // As the app names them in other calls.
  const ids = await restored.ids();
  assert.deepEqual(await Promise.all(ids.map((id) => restored.message(id))), more);
  await rejects(restore([...messages, 5]), "invalid-message", "messages[0]");
  compactor.dispose();
  restored.dispose();
});

both("after dispose every call throws, and disposing twice is allowed", async ({ fullCompactor }) => {
  const compactor = await fullCompactor();
  compactor.dispose();
  compactor.dispose();
  compactor[Symbol.dispose]?.();
  const message = { role: "user", content: "hi" };
  for (const call of [
    async () => compactor.append(message),
    async () => compactor.edit("m0", message),
    async () => compactor.status(),
    async () => compactor.statusUnder({}),
    async () => compactor.setTodo(""),
    async () => compactor.offloaded("a"),
    async () => compactor.check("turnEnd"),
    async () => compactor.due("turnEnd"),
    async () => compactor.plan(),
    async () => compactor.messages(),
    async () => compactor.history(),
    async () => compactor.message("m0"),
    async () => compactor.undo(),
    async () => compactor.reportUsage({ promptTokens: 1, completionTokens: 1 }),
    async () => compactor.setPolicy({}),
    async () => compactor.snapshot(),
  ]) {
    await rejects(call, "disposed");
  }
  await rejects(compactor.compact(), "disposed");
  await rejects(compactor.compactIfNeeded({ phase: "turnEnd" }), "disposed");
});

test("tokens, formats and presets are available without a compactor", async () => {
  assert.equal(await epitome.estimateTokens(""), 0);
  const tokens = await epitome.estimateTokens("The quick brown fox jumps over the lazy dog.");
  assert.ok(tokens >= 8 && tokens <= 12, String(tokens));
  assert.deepEqual(await epitome.detectFormat([SYSTEM]), { kind: "known", format: "openai-chat" });
  const gemini = [{ role: "user", parts: [{ text: "hi" }] }];
  assert.deepEqual(await epitome.detectFormat(gemini), { kind: "known", format: "gemini" });
  assert.deepEqual(await epitome.detectFormat([1, null]), { kind: "unclear" });
  const [preset] = await epitome.presets();
  assert.equal(preset.name, "recommended");
  const compactor = await createCompactor({ ...FORMAT, policy: preset.policy });
  assert.equal((await compactor.status()).window, preset.policy.window);
  compactor.dispose();
});

test("the slim entry has the same functions, and one more to load the module", () => {
  assert.deepEqual(Object.keys(slim).sort(), [...Object.keys(epitome), "init"].sort());
});
