// Exact counts from JavaScript equal the pinned tokenizer's; vocabularies are loaded when needed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import { countTokens, createCompactor, loadEncoding, plan, recentWithin, restoreCompactor } from "epitome";
import { block, corpus, golden } from "./golden-counts.mjs";
import { said } from "./harness.mjs";

const { get_encoding: reference } = createRequire(import.meta.url)("tiktoken");
const NAMES = ["o200k_base", "cl100k_base"];
const file = (name) => new URL(import.meta.resolve(`epitome/encodings/${name}.vocab`));
const exactly = (encoding) => ({ counting: { encoding } });
/** What a message costs besides its text. */
const AROUND = 4;
/** What a request costs besides its messages. */
const REQUEST = 3;

const TEXTS = [
  "",
  "The quick brown fox jumps over the lazy dog.",
  "<|endoftext|>",
  "Not the end: <|endoftext|><|fim_prefix|> <|im_start|>user",
  "👋🏽 👩‍👩‍👧‍👦 🇨🇭 naïve café e\u0301",
  "世界，你好。日本語のテキスト、한국어 텍스트",
  "مرحبا بالعالم हिन्दी ไทย",
  "function f(x) {\n\treturn x ** 2; // 1234567\n}\r\n\r\n   ",
  "half a pair: \ud83d, the other half: \udc4b",
  "a".repeat(5_000),
];

// This test must be first: nothing is loaded yet.
test("b1: the current policy can change to an encoding only after it is loaded", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(said("user", TEXTS[1]));
  const before = compactor.status();
  assert.deepEqual([before.exact, before.errorBand > 0], [false, true]);
  const problem = {
    name: "EpitomeError",
    code: "encoding-not-loaded",
    encoding: "cl100k_base",
    message: 'the vocabulary of cl100k_base is not loaded; await loadEncoding("cl100k_base") first',
  };
  assert.throws(() => compactor.setPolicy(exactly("cl100k_base")), problem);
  assert.deepEqual(compactor.status(), before);
  await loadEncoding("cl100k_base");
  compactor.setPolicy(exactly("cl100k_base"));
  const { tokens, exact, errorBand } = compactor.status();
  assert.deepEqual([tokens, exact, errorBand], [10 + AROUND + REQUEST, true, 0]);
  compactor.dispose();
});

test("an encoding that cannot be loaded says why, and can be loaded later", async () => {
  const refused = (source, code, words) =>
    assert.rejects(loadEncoding("o200k_base", source), (error) => {
      assert.deepEqual([error.name, error.code], ["EpitomeError", code]);
      assert.match(error.message, words);
      return true;
    });
  const nowhere = new URL("file:///nowhere/o200k_base.vocab");
  await refused(nowhere, "encoding-unavailable", /o200k_base .*nowhere.*ENOENT.*encodings\/o200k_base\.vocab/);
  await refused(new Response("", { status: 404 }), "encoding-unavailable", /404/);
  await refused("not an address", "encoding-unavailable", /from not an address/);
  await refused(new Response("<!doctype html>"), "invalid-vocabulary", /o200k_base is not a packed vocabulary/);
  await refused(new Uint8Array(9), "invalid-vocabulary", /not a packed vocabulary/);
  const other = await readFile(file("cl100k_base"));
  await refused(other, "invalid-vocabulary", /that of cl100k_base/);
  await refused(other.subarray(0, 99), "invalid-vocabulary", /of 99 bytes instead of/);
  for (const asked of [loadEncoding("p50k_base"), countTokens("text", { encoding: "p50k_base" })]) {
    await assert.rejects(asked, { code: "unknown-encoding", message: /"p50k_base".*o200k_base or cl100k_base/ });
  }
  const bytes = await readFile(file("o200k_base"));
  await Promise.all([loadEncoding("o200k_base", bytes), loadEncoding("o200k_base", nowhere)]);
  await loadEncoding("o200k_base", nowhere);
});

for (const name of NAMES) {
  test(`b1: texts have the pinned tokenizer's counts by ${name}`, async () => {
    const encoder = reference(name);
    for (const text of TEXTS) {
      const expected = encoder.encode_ordinary(text).length;
      assert.equal(await countTokens(text, { encoding: name }), expected, JSON.stringify(text));
    }
    encoder.free();
    for (let index = 0; index < corpus.blocks; index += 100) {
      let tokens = 0;
      for (const text of block(index)) tokens += await countTokens(text, { encoding: name });
      assert.equal(tokens, golden()[name].blocks[index][0], `block ${index}`);
    }
  });

  test(`b1: a compactor counts exactly by ${name}, and so does one restored from its snapshot`, async () => {
    const encoder = reference(name);
    const messages = TEXTS.filter((text) => text !== "").map((text) => said("user", text));
    const expected = messages.reduce((sum, { content }) => sum + encoder.encode_ordinary(content).length + AROUND, REQUEST);
    encoder.free();
    const compactor = await createCompactor({ format: "openai-chat", policy: exactly(name) });
    compactor.append(messages);
    const status = compactor.status();
    assert.deepEqual([status.tokens, status.exact, status.errorBand], [expected, true, 0]);
    const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: messages });
    assert.deepEqual(restored.status(), status);
    const drawn = await plan(messages, { format: "openai-chat", policy: exactly(name) });
    assert.equal(drawn.tokensBefore, expected);
    assert.equal((await recentWithin(messages, { tokens: expected, ...exactly(name) })).length, messages.length);
    compactor.reportUsage({ promptTokens: expected - 3, completionTokens: 7 });
    compactor.append(said("user", TEXTS[1]));
    assert.deepEqual([compactor.status().tokens, compactor.status().exact], [expected - 3 + 10 + AROUND, true]);
    compactor.setPolicy({});
    assert.equal(compactor.status().exact, false);
    for (const one of [compactor, restored]) one.dispose();
  });
}

test("o200k_base counts if no encoding is named", async () => {
  assert.equal(await countTokens("世界，你好。"), await countTokens("世界，你好。", { encoding: "o200k_base" }));
});
