// What the API promises about a conversation, with any summarizer.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as epitome from "epitome";
import * as slim from "epitome/slim";
import { fullCompactor, longChat, SYSTEM } from "./fixtures.mjs";

const { createCompactor, isEpitomeError, restoreCompactor } = epitome;
const FORMAT = { format: "openai-chat" };

function throws(action, code, words = "") {
  assert.throws(action, (error) => check(error, code, words));
}

async function rejects(promise, code, words = "") {
  await assert.rejects(promise, (error) => check(error, code, words));
}

function check(error, code, words) {
  assert.ok(isEpitomeError(error), String(error));
  assert.equal(error.code, code);
  assert.ok(error.message.includes(words), error.message);
  return true;
}

test("before a compaction the messages are the same objects that were appended", async () => {
  const messages = longChat(5);
  const compactor = await fullCompactor({}, messages);
  assert.deepEqual(compactor.messages(), messages);
  assert.ok(compactor.messages().every((message, index) => message === messages[index]));
  compactor.dispose();
});

test("a compaction reaches the target, keeps what must stay, and undo restores everything", async () => {
  const messages = longChat(60);
  const compactor = await fullCompactor({}, messages);
  assert.equal(compactor.status().level, "compact");
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied");
  assert.equal(report.tokensAfter, compactor.status().tokens);
  assert.ok(report.tokensAfter <= compactor.status().target);
  const view = compactor.messages();
  assert.equal(view.length, report.messagesAfter);
  assert.equal(view[0], messages[0]);
  const [summary, ...others] = view.filter((message) => !messages.includes(message));
  assert.equal(summary.role, "user");
  assert.ok(summary.content.includes(report.summary));
  assert.deepEqual(others, []);
  assert.ok(view.includes(messages.findLast((message) => message.role === "user")));
  assert.deepEqual(compactor.history(), messages);
  compactor.undo();
  assert.ok(compactor.messages().every((message, index) => message === messages[index]));
  throws(() => compactor.undo(), "nothing-to-undo");
  compactor.dispose();
});

test("a plan lists the action of every message and changes nothing", async () => {
  const compactor = await fullCompactor();
  const before = compactor.snapshot();
  const plan = compactor.plan({ reason: "threshold" });
  assert.equal(compactor.snapshot(), before);
  assert.deepEqual(plan.actions.map(({ id }) => id), compactor.history().map((_, index) => `m${index}`));
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
  assert.equal(compactor.plan().actions[1].action, "summarized");
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

test("a batch with a value that is not a message is refused with its index, and none is appended", async () => {
  const compactor = await fullCompactor({}, []);
  for (const [value, words] of [
    [7, "found a number"],
    [null, "found null"],
    ["hi", "found a string"],
    [[], "found an array"],
    [undefined, "found null"],
  ]) {
    const batch = [{ role: "user", content: "a" }, value, { role: "user", content: "b" }];
    throws(() => compactor.append(batch), "invalid-message", `messages[1]: `);
    throws(() => compactor.append(batch), "invalid-message", words);
    assert.deepEqual(compactor.history(), []);
  }
  const circular = { role: "user", content: [] };
  circular.content.push(circular);
  throws(() => compactor.append(circular), "invalid-message", "contains itself");
  const trap = Object.defineProperty({}, "role", { enumerable: true, get: () => assert.fail("no") });
  throws(() => compactor.append(trap), "invalid-message", '"role" that throws');
  assert.deepEqual(compactor.append([{ role: "user", content: "still works" }]), ["m0"]);
  compactor.dispose();
});

test("an app's own fields in its messages are left unchanged", async () => {
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
  compactor.append(Object.freeze(message));
  assert.equal(compactor.messages()[0], message);
  compactor.dispose();
});

test("append takes one message or several, during a compaction too", async () => {
  const later = { role: "user", content: "One more thing." };
  const summarize = () => {
    assert.deepEqual(compactor.append(later), ["m61"]);
    return "They talked.";
  };
  const compactor = await fullCompactor({ summarize });
  await compactor.compact();
  assert.equal(compactor.messages().at(-1), later);
  compactor.dispose();
});

test("editing a message undoes the summary that covers its old text", async () => {
  const compactor = await fullCompactor();
  await compactor.compact();
  const wording = { role: "user", content: "I meant tulips." };
  compactor.edit("m1", wording);
  assert.equal(compactor.messages()[1], wording);
  assert.equal(compactor.history()[1], wording);
  assert.equal(compactor.messages().length, 61);
  throws(() => compactor.edit("m99", wording), "unknown-id", '"m99"');
  throws(() => compactor.edit("m1", "tulips"), "invalid-message", "found a string");
  compactor.dispose();
});

test("tokens that the provider reported replace the estimate, in either spelling", async () => {
  const compactor = await fullCompactor();
  compactor.reportUsage({ prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 });
  assert.equal(compactor.status().tokens, 320);
  assert.equal(compactor.status().exact, true);
  compactor.reportUsage({ promptTokens: 900, completionTokens: 1 });
  assert.equal(compactor.status().tokens, 901);
  throws(() => compactor.reportUsage({ tokens: 1 }), "invalid-option", "promptTokens");
  throws(() => compactor.reportUsage({ promptTokens: -1, completionTokens: 0 }), "invalid-option");
  compactor.dispose();
});

test("an invalid policy is refused with the name of the field", async () => {
  const make = (policy) => createCompactor({ ...FORMAT, policy });
  await rejects(make({ windw: 1 }), "invalid-policy", "policy.windw: unknown field");
  await rejects(make({ window: "big" }), "invalid-policy", "policy.window: ");
  await rejects(make({ window: 0 }), "invalid-policy", "policy.window: is 0");
  await rejects(make({ preset: "best" }), "invalid-policy", '"best" is not a preset');
  await rejects(make({ summary: { maxTokens: -1 } }), "invalid-policy", "policy.summary.maxTokens");
  await rejects(createCompactor({ format: "html" }), "unknown-format", "openai-chat");
  const compactor = await make(undefined);
  assert.equal(compactor.status().window, 200_000);
  compactor.setPolicy({ window: 5_000, keep: { messages: 4 } });
  assert.equal(compactor.status().window, 5_000);
  throws(() => compactor.setPolicy({ target: 3 }), "invalid-policy", "policy.target");
  compactor.dispose();
});

test("a restored compactor continues as the first one would have", async () => {
  const messages = longChat(60);
  const first = await fullCompactor({}, messages);
  await first.compact();
  const later = [{ role: "user", content: "And the tulips?" }];
  first.append(later);
  const originals = structuredClone([...messages, ...later]);
  const second = await restoreCompactor(first.snapshot(), { ...FORMAT, originals });
  assert.deepEqual(second.messages(), first.messages());
  assert.ok(second.messages().filter((message) => originals.includes(message)).length > 2);
  assert.deepEqual(second.status(), first.status());
  assert.equal(second.snapshot(), first.snapshot());
  assert.deepEqual(second.append({ role: "user", content: "Go on." }), ["m62"]);
  second.undo();
  assert.equal(second.messages().length, 63);
  first.dispose();
  second.dispose();
});

test("originals that differ from those of the snapshot are refused with their index", async () => {
  const messages = longChat(4);
  const compactor = await fullCompactor({}, messages);
  const snapshot = compactor.snapshot();
  const restore = (originals, text = snapshot) => restoreCompactor(text, { ...FORMAT, originals });
  await rejects(restore(messages.slice(0, 3)), "invalid-originals", "originals[3] is missing");
  const other = messages.with(2, { role: "user", content: "else" });
  await rejects(restore(other), "invalid-originals", "originals[2] is not the message m2");
  await rejects(restore(undefined), "invalid-originals");
  await rejects(restore(messages, "{"), "invalid-snapshot");
  await rejects(restore(messages, snapshot.replace('"version":2', '"version":9')), "invalid-snapshot", "update");
  const more = [...messages, { role: "user", content: "since then" }];
  const restored = await restore(more);
  assert.deepEqual(restored.history(), more);
  await rejects(restore([...messages, 5]), "invalid-message", "messages[0]");
  compactor.dispose();
  restored.dispose();
});

test("after dispose every call throws, and disposing twice is allowed", async () => {
  const compactor = await fullCompactor();
  compactor.dispose();
  compactor.dispose();
  compactor[Symbol.dispose]?.();
  const message = { role: "user", content: "hi" };
  for (const call of [
    () => compactor.append(message),
    () => compactor.edit("m0", message),
    () => compactor.status(),
    () => compactor.statusUnder({}),
    () => compactor.setTodo(""),
    () => compactor.offloaded("a"),
    () => compactor.check("turnEnd"),
    () => compactor.due("turnEnd"),
    () => compactor.plan(),
    () => compactor.messages(),
    () => compactor.history(),
    () => compactor.message("m0"),
    () => compactor.undo(),
    () => compactor.reportUsage({ promptTokens: 1, completionTokens: 1 }),
    () => compactor.setPolicy({}),
    () => compactor.snapshot(),
  ]) {
    throws(call, "disposed");
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
  assert.equal(compactor.status().window, preset.policy.window);
  compactor.dispose();
});

test("the slim entry has the same functions, and one more to load the module", () => {
  assert.deepEqual(Object.keys(slim).sort(), [...Object.keys(epitome), "init"].sort());
});
