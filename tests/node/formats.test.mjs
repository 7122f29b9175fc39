// Every format: what goes in comes out, what a provider would refuse is found, and bytes stay where they are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, detectFormat, recentWithin, repair, restoreCompactor, validate } from "epitome";
import { round, said, talk } from "./workshop.mjs";

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
  const [first, one] = round("a1", "a cat, asleep on the mat");
  const [second, two] = round("b2", "a dog, awake");
  const both = { ...first, tool_calls: [...first.tool_calls, ...second.tool_calls] };
  return [...talk(12), said("user", "What is there?"), both, one, two, said("assistant", "Two animals."), ...talk(3), ...round("c3", "nothing"), said("assistant", "There is nothing."), ...talk(3)].map(
    ({ "x-mine": _, ...message }) => message,
  );
}

const POLICY = { window: 1_200, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keep: { messages: 6 } };

for (const format of FORMATS) {
  test(`${format}: kept messages are the very objects, the result is legal, undo is exact`, async () => {
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

  test(`${format}: there and back keeps what was said, called and answered`, async () => {
    const there = await convert(chat(), "openai-chat", format);
    const back = await convert(there.messages, format, "openai-chat");
    assert.deepEqual(back.lost, []);
    assert.deepEqual(back.messages, chat());
  });

  test(`${format}: is told from the others by a call`, async () => {
    const { messages } = await convert(chat(), "openai-chat", format);
    assert.deepEqual(await detectFormat(messages), { kind: "known", format });
  });

  test(`${format}: a call without a result is found, and given one`, async () => {
    const cut = chat().filter(({ tool_call_id: id }) => id !== "b2");
    const { messages } = await convert(cut, "openai-chat", format);
    const issues = await validate(messages, format);
    assert.deepEqual(issues.map(({ code, severity }) => [code, severity]), [["missing-result", "refused"]]);
    const { messages: mended, done, left } = await repair(messages, format);
    assert.deepEqual(done.map(({ code }) => code), ["missing-result"]);
    assert.deepEqual(left, []);
    assert.deepEqual(await validate(mended, format), []);
    assert.equal(mended[0], messages[0], "what was right is the very same object");
  });
}

test("bytes and addresses of ModelMessages stay the app's own, in messages that are made too", async () => {
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
  const policy = { window: 100_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [{ offload: { minCharacters: 100 } }], minSaving: 0 };
  const compactor = await createCompactor({ format: "ai-sdk-model", policy: { ...policy, reducers: [] } });
  compactor.append(messages);
  assert.equal(compactor.messages()[0].content[1].image, image);
  assert.deepEqual(await validate(messages, "ai-sdk-model"), []);
  const orphaned = [messages[0], { role: "tool", content: [...messages[2].content, { ...messages[2].content[0], toolCallId: "z" }] }, messages[1], messages[2]];
  const { messages: mended } = await repair(orphaned, "ai-sdk-model");
  assert.equal(mended[0], messages[0]);
  assert.equal(mended.find(({ role }) => role === "tool").content[0].output.value[1].data, image);
  compactor.dispose();
});

test("half a character is found, and sent as a replacement character", async () => {
  const messages = [said("user", "cut \ud83d"), said("assistant", "whole \ud83d\ude80")];
  const issues = await validate(messages, "openai-chat");
  assert.deepEqual(issues.map(({ path, code }) => [path, code]), [["messages[0].content", "lone-surrogate"]]);
  const { messages: mended, done } = await repair(messages, "openai-chat");
  assert.deepEqual(mended[0], said("user", "cut \ufffd"));
  assert.equal(mended[1], messages[1]);
  assert.deepEqual(done.map(({ code }) => code), ["lone-surrogate"]);
});

test("an answer that grows step by step is given again, and counted again", async () => {
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

test("the most recent messages that fit are whole ones, in every format", async () => {
  for (const format of FORMATS) {
    const { messages } = await convert(chat(), "openai-chat", format);
    const recent = await recentWithin(messages, { format, tokens: 700, counting: { charactersPerToken: 1 } });
    assert.ok(recent.length > 0 && recent.length < messages.length, format);
    assert.deepEqual(await validate(recent, format), [], format);
    assert.ok(recent.every((message) => messages.includes(message)), format);
  }
});
