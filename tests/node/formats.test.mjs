// Every format: messages are given back unchanged, what a provider would refuse is found, and binary values stay the app's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, detectFormat, recentWithin, repair, restoreCompactor, validate } from "epitome";
import { chatOf, said, toolRound } from "./harness.mjs";

const FORMATS = [
  "openai-chat",
  "openai-responses",
  "anthropic",
  "ai-sdk-ui",
  "ai-sdk-model",
  "gemini",
  "langchain",
  "bedrock",
];

/** A conversation with parallel calls, in Chat Completions. */
function chat() {
  const [first, one] = toolRound("a1", "a cat, asleep on the mat");
  const [second, two] = toolRound("b2", "a dog, awake");
  const both = { ...first, tool_calls: [...first.tool_calls, ...second.tool_calls] };
  return [...chatOf(12), said("user", "What is there?"), both, one, two, said("assistant", "Two animals."), ...chatOf(3), ...toolRound("c3", "nothing"), said("assistant", "There is nothing."), ...chatOf(3)].map(
    ({ "x-mine": _, ...message }) => message,
  );
}

const POLICY = { window: 1_200, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keep: { messages: 6 } };

for (const format of FORMATS) {
  test(`${format}: kept messages are the same objects, the result is legal, undo is exact`, async () => {
    const { messages, lost } = await convert(chat(), "openai-chat", format);
    assert.deepEqual(lost, []);
    assert.deepEqual(await validate(messages, format), []);
    const before = structuredClone(messages);
    const compactor = await createCompactor({ format, policy: POLICY });
    compactor.append(messages);
    assert.ok(compactor.messages().every((message, index) => message === messages[index]));
    const report = await compactor.compact();
    assert.equal(report.outcome, "applied", report.message);
    const view = compactor.messages();
    assert.ok(view.length < messages.length);
    assert.deepEqual(await validate(view, format), []);
    assert.ok(view.filter((message) => messages.includes(message)).length >= 1);
    assert.deepEqual(compactor.messages(), view);
    assert.ok(compactor.messages().every((message, index) => message === view[index]), "the same objects again");
    const restored = await restoreCompactor(compactor.snapshot(), { format, originals: messages });
    assert.deepEqual(restored.messages(), view);
    compactor.undo();
    assert.ok(compactor.messages().every((message, index) => message === messages[index]));
    assert.deepEqual(messages, before, "nothing in the app's objects was changed");
    compactor.dispose();
    restored.dispose();
  });

  test(`${format}: conversion and back keeps texts, calls and results`, async () => {
    const there = await convert(chat(), "openai-chat", format);
    const back = await convert(there.messages, format, "openai-chat");
    assert.deepEqual(back.lost, []);
    assert.deepEqual(back.messages, chat());
  });

  test(`${format}: is detected by a tool call`, async () => {
    const { messages } = await convert(chat(), "openai-chat", format);
    assert.deepEqual(await detectFormat(messages), { kind: "known", format });
  });

  test(`${format}: a call without a result is found, and repaired`, async () => {
    const cut = chat().filter(({ tool_call_id: id }) => id !== "b2");
    const { messages } = await convert(cut, "openai-chat", format);
    const issues = await validate(messages, format);
    assert.deepEqual(issues.map(({ code, severity }) => [code, severity]), [["missing-result", "refused"]]);
    const { messages: repaired, done, left } = await repair(messages, format);
    assert.deepEqual(done.map(({ code }) => code), ["missing-result"]);
    assert.deepEqual(left, []);
    assert.deepEqual(await validate(repaired, format), []);
    assert.equal(repaired[0], messages[0], "a valid message is the same object");
  });
}

test("bytes and URLs of ModelMessages stay the app's objects, also in composed messages", async () => {
  const image = new Uint8Array([1, 2, 3]);
  const url = new URL("https://example.com/cat.png");
  const picture = { type: "image", image, mediaType: "image/png" };
  const linked = { type: "file", data: url, mediaType: "image/png" };
  const call = { type: "tool-call", toolCallId: "c", toolName: "look", input: {} };
  const long = "A long answer. ".repeat(40);
  const output = { type: "content", value: [{ type: "text", text: long }, { type: "media", data: image, mediaType: "image/png" }] };
  const messages = [
    { role: "user", content: [{ type: "text", text: "look" }, picture, linked] },
    { role: "assistant", content: [call] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output }] },
    { role: "user", content: "thanks" },
  ];
  const compactor = await createCompactor({ format: "ai-sdk-model" });
  compactor.append(messages);
  assert.equal(compactor.messages()[0].content[1].image, image);
  assert.deepEqual(await validate(messages, "ai-sdk-model"), []);
  const orphaned = [messages[0], { role: "tool", content: [...messages[2].content, { ...messages[2].content[0], toolCallId: "z" }] }, messages[1], messages[2]];
  const { messages: repaired } = await repair(orphaned, "ai-sdk-model");
  assert.equal(repaired[0], messages[0]);
  assert.equal(repaired.find(({ role }) => role === "tool").content[0].output.value[1].data, image);
  compactor.dispose();
});

test("half a surrogate pair is found, and sent as a replacement character", async () => {
  const messages = [said("user", "cut \ud83d"), said("assistant", "whole \ud83d\ude80")];
  const issues = await validate(messages, "openai-chat");
  assert.deepEqual(issues.map(({ path, code }) => [path, code]), [["messages[0].content", "lone-surrogate"]]);
  const { messages: repaired, done } = await repair(messages, "openai-chat");
  assert.deepEqual(repaired[0], said("user", "cut \ufffd"));
  assert.equal(repaired[1], messages[1]);
  assert.deepEqual(done.map(({ code }) => code), ["lone-surrogate"]);
});

test("an answer that grows step by step is updated, and counted again", async () => {
  const tool = (id) => ({ type: "tool-look", toolCallId: id, state: "output-available", input: {}, output: "a cat" });
  const step = (id) => [{ type: "step-start" }, tool(id)];
  const answer = (...ids) => ({ id: "answer", role: "assistant", parts: ids.flatMap(step) });
  const compactor = await createCompactor({ format: "ai-sdk-ui", policy: { ...POLICY, window: 100_000 } });
  const [, id] = compactor.append([{ id: "q", role: "user", parts: [{ type: "text", text: "look" }] }, answer("a")]);
  const { tokens } = compactor.status();
  const grown = answer("a", "b", "c");
  compactor.edit(id, grown);
  assert.ok(compactor.status().tokens > tokens);
  assert.equal(compactor.messages().at(-1), grown);
  assert.equal(compactor.messages().length, 2);
  compactor.edit(id, answer("a"));
  assert.equal(compactor.messages().length, 2);
  compactor.append({ id: "q2", role: "user", parts: [{ type: "text", text: "more" }] });
  assert.equal(compactor.messages().length, 3);
  compactor.dispose();
});

test("a long answer of many steps can be cut between them", async () => {
  const step = (n) => [
    { type: "step-start" },
    { type: "text", text: `Step ${n} looks at one more thing.`, state: "done" },
    { type: "tool-look", toolCallId: `call-${n}`, state: "output-available", input: { n }, output: `thing ${n} `.repeat(8) },
  ];
  const parts = Array.from({ length: 20 }, (_, n) => step(n)).flat();
  const messages = [
    { id: "q", role: "user", parts: [{ type: "text", text: "look at everything" }] },
    { id: "a", role: "assistant", parts, metadata: { mine: true } },
  ];
  const compactor = await createCompactor({ format: "ai-sdk-ui", policy: POLICY });
  compactor.append(messages);
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  const answer = compactor.messages().find(({ id }) => id === "a");
  assert.ok(answer.parts.length < parts.length, "some steps are in the summary");
  assert.ok(answer.parts.every((part) => parts.includes(part)), "and the others are the very same parts");
  assert.deepEqual(answer.metadata, { mine: true });
  assert.deepEqual(await validate(compactor.messages(), "ai-sdk-ui"), []);
  compactor.dispose();
});

test("the most recent messages that fit are complete, in every format", async () => {
  for (const format of FORMATS) {
    const { messages } = await convert(chat(), "openai-chat", format);
    const recent = await recentWithin(messages, { format, tokens: 700, counting: { charactersPerToken: 1 } });
    assert.ok(recent.length > 0 && recent.length < messages.length, format);
    assert.deepEqual(await validate(recent, format), [], format);
    assert.ok(recent.every((message) => messages.includes(message)), format);
  }
});

/** A conversation of eight turns, followed by these messages. */
const behind = (format, ...messages) => convert(chatOf(8), "openai-chat", format).then(({ messages: old }) => [...old, ...messages]);

async function compacted(format, messages) {
  const compactor = await createCompactor({ format, policy: POLICY });
  compactor.append(messages);
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  return compactor;
}

test("an approval stays before the result of the tool that it allowed", async () => {
  const call = { type: "tool-call", toolCallId: "c1", toolName: "order", input: { n: 1 } };
  const ask = { type: "tool-approval-request", approvalId: "ap1", toolCallId: "c1" };
  const messages = await behind(
    "ai-sdk-model",
    { role: "user", content: "Order the seeds." },
    { role: "assistant", content: [call, ask] },
    { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ap1", approved: true }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "order", output: { type: "text", value: "ordered" } }] },
  );
  const compactor = await compacted("ai-sdk-model", messages);
  assert.deepEqual(compactor.messages().slice(-4), messages.slice(-4));
  compactor.dispose();
  const { messages: same, done } = await repair(messages, "ai-sdk-model");
  assert.ok(same.every((message, index) => message === messages[index]));
  assert.deepEqual(done, []);
});

test("an unsolicited approval response is found, and left out", async () => {
  const answer = { type: "tool-approval-response", approvalId: "zz", approved: true };
  const messages = [{ role: "user", content: "hi" }, { role: "tool", content: [answer] }];
  assert.deepEqual((await validate(messages, "ai-sdk-model")).map(({ code }) => code), ["orphan-result"]);
  assert.deepEqual((await repair(messages, "ai-sdk-model")).messages, [messages[0]]);
});

test("a message in the middle may grow and shrink without losing content", async () => {
  const tool = (id, state) => ({ type: "tool-look", toolCallId: id, state, input: {}, ...(state === "output-available" && { output: "a cat" }) });
  const text = (said) => ({ type: "text", text: said });
  const answer = (...parts) => ({ id: "answer", role: "assistant", parts });
  const messages = await behind("ai-sdk-ui", { id: "q", role: "user", parts: [text("look")] }, answer(tool("c1", "input-available")), { id: "q2", role: "user", parts: [text("well?")] });
  const compactor = await createCompactor({ format: "ai-sdk-ui", policy: POLICY });
  const ids = compactor.append(messages);
  const grown = answer(tool("c1", "output-available"), { type: "step-start" }, text("A cat."), tool("c2", "output-available"), text("IMPORTANT"));
  compactor.edit(ids.at(-2), grown);
  const restored = await restoreCompactor(compactor.snapshot(), { format: "ai-sdk-ui", originals: compactor.history() });
  assert.equal(restored.history().at(-2), grown);
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.equal(compactor.messages().at(-2), grown);
  assert.deepEqual(await validate(compactor.messages(), "ai-sdk-ui"), []);
  const less = answer(text("Nothing."));
  compactor.edit(ids.at(-2), less);
  assert.equal(compactor.messages().at(-2), less);
  const again = await restoreCompactor(compactor.snapshot(), { format: "ai-sdk-ui", originals: compactor.history() });
  assert.equal(again.messages().length, compactor.messages().length);
  for (const each of [compactor, restored, again]) {
    each.dispose();
  }
});

test("a system prompt becomes a user message only with a notice of the loss", async () => {
  const { messages, lost } = await convert([said("system", "Be kind."), said("user", "hi")], "openai-chat", "bedrock");
  assert.deepEqual(messages, [{ role: "user", content: [{ text: "Be kind." }, { text: "hi" }] }]);
  assert.equal(lost.length, 1);
});

test("reasoning stays with what follows it, and no empty message is written", async () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "opaque" };
  const messages = [said("user", "hi"), reasoning, said("assistant", "hello"), said("user", "so?"), { ...reasoning, id: "rs_2" }];
  for (const format of FORMATS.filter((name) => name !== "openai-responses")) {
    const { messages: written } = await convert(messages, "openai-responses", format);
    assert.deepEqual(await validate(written, format), [], format);
  }
});

test("ids of calls are written in the form that the target accepts", async () => {
  const call = { functionCall: { name: "look", args: {} } };
  const result = { functionResponse: { name: "look", response: { output: "a cat" } } };
  const messages = [{ role: "user", parts: [{ text: "look" }] }, { role: "model", parts: [call, call] }, { role: "user", parts: [result, result] }];
  const { messages: written } = await convert(messages, "gemini", "anthropic");
  assert.deepEqual(await validate(written, "anthropic"), []);
  const ids = written[1].content.map(({ id }) => id);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(written[2].content.map(({ tool_use_id: id }) => id), ids);
  assert.ok(ids.every((id) => /^[\w-]+$/.test(id)), ids.join());
});

test("the provider's own compaction stays first", async () => {
  const old = (await convert(chatOf(8), "openai-chat", "anthropic")).messages;
  const messages = [{ role: "assistant", content: [{ type: "compaction", content: "so far" }] }, ...old];
  assert.deepEqual((await repair(messages, "anthropic")).messages, messages);
  const compactor = await compacted("anthropic", messages);
  assert.equal(compactor.messages()[0], messages[0]);
  compactor.dispose();
});

test("reasoning that is followed only by reasoning is left out", async () => {
  const reasoning = (id) => ({ type: "reasoning", id, summary: [] });
  const { messages, left } = await repair([said("user", "a"), reasoning("rs_1"), reasoning("rs_2"), said("user", "b")], "openai-responses");
  assert.deepEqual([messages.length, left], [2, []]);
});

test("a signed call of Gemini is not rewritten, an unsigned one is", async () => {
  const call = (signature) => ({ role: "model", parts: [{ functionCall: { name: "look", args: { text: "long ".repeat(60) } }, ...signature }] });
  const result = { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "a cat" } } }] };
  const messages = [{ role: "user", parts: [{ text: "look" }] }, call({ thoughtSignature: "SIG" }), result, call({}), result, { role: "model", parts: [{ text: "so" }] }, { role: "user", parts: [{ text: "and?" }] }];
  const prune = { reducer: { clearToolInputs: { protectFraction: 0, argThresholdTokens: 10 } }, when: "always" };
  const compactor = await createCompactor({ format: "gemini", policy: { ...POLICY, window: 100_000, reducers: [prune], summary: { agent: null, defaultAgent: null } } });
  compactor.append(messages);
  const report = await compactor.compact();
  assert.equal(report.outcome, "applied", report.message);
  assert.ok(compactor.messages().includes(messages[1]));
  assert.ok(!compactor.messages().includes(messages[3]));
  compactor.dispose();
});

test("a message that throws when it is read is refused, and the compactor still works", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  const revocable = Proxy.revocable({}, {});
  revocable.revoke();
  const closed = new Proxy({}, { ownKeys: () => { throw new TypeError("no"); } });
  for (const bad of [revocable.proxy, closed, { role: "user", content: revocable.proxy }]) {
    assert.throws(() => compactor.append([bad]), { code: "invalid-message" });
  }
  compactor.append(said("user", "hi"));
  assert.equal(compactor.messages().length, 1);
  compactor.dispose();
});
