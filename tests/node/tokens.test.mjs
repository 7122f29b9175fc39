// Counting alone: the small module, vocabularies of which only the needed shards are fetched, own tokenizers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { createCompactor, countTokens as countOfAll, estimateTokens as estimateOfAll } from "epitome";
import { countTokens, estimateTokens, isEpitomeError, loadEncoding, loadTokenizer, tokenCounter } from "epitome/tokens";
import { tokenizerFile } from "./tokenizer-file.mjs";

const { get_encoding: reference } = createRequire(import.meta.url)("tiktoken");
const fetched = [];
let server;
let address;

before(async () => {
  server = createServer(async ({ url }, response) => {
    fetched.push(url);
    const body = await readFile(new URL(import.meta.resolve(`epitome/encodings${url}`))).catch(() => undefined);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});

after(() => server.close());

const shards = () => ({
  scripts: "ascii",
  source: `${address}/o200k_base.ascii.vocab`,
  rest: `${address}/o200k_base.rest.vocab`,
});

test("text is estimated for a family of models, or by its characters", async () => {
  const text = "Ein längerer Satz, with some English in it, и немного по-русски.";
  const counter = await tokenCounter();
  for (const options of [undefined, { family: "cl100k_base" }, { family: "gemini" }, { family: "claude" }, { charactersPerToken: 3 }]) {
    const tokens = await estimateTokens(text, options);
    assert.equal(counter.estimate(text, options), tokens);
    assert.equal(await estimateOfAll(text, options), tokens);
  }
  assert.equal(counter.estimate(text, { charactersPerToken: 3 }), Math.ceil(text.length / 3));
  assert.ok(counter.estimate(text, { family: "claude" }) > counter.estimate(text));
  assert.ok(counter.estimate(text, { family: "cl100k_base" }) > counter.estimate(text));
  assert.equal(counter.estimate(text, { family: "o200k_base" }), counter.estimate(text));
  assert.throws(() => counter.estimate(text, { family: "p50k" }), { code: "invalid-option", message: /"p50k"/ });
});

test("text of any length is estimated, and half a surrogate pair counts as U+FFFD", async () => {
  const { estimate } = await tokenCounter();
  for (const length of [0, 1, 21_000, 22_000, 65_536, 400_000, 1_500_000]) {
    const [ascii, mixed] = ["ab cd, ".repeat(length / 7 + 1), "añ 世👍 ".repeat(length / 6 + 1)].map((text) => text.slice(0, length));
    for (const text of [ascii, mixed, ascii + mixed]) {
      assert.equal(estimate(text), estimate(Buffer.from(text).toString()), `${length}`);
    }
    assert.equal(estimate(`${mixed}\ud83d${ascii}`), estimate(`${mixed}\ufffd${ascii}`));
    assert.ok(Math.abs(estimate(ascii + mixed) - estimate(ascii) - estimate(mixed)) <= 2, `${length}`);
  }
  assert.equal(estimate(""), 0);
});

// These tests must keep this order: what is loaded stays loaded.
test("synchronous counting needs a loaded vocabulary, and the ASCII shard counts ASCII", async () => {
  const counter = await tokenCounter();
  const missing = { name: "EpitomeError", code: "encoding-not-loaded", encoding: "o200k_base" };
  assert.throws(() => counter.count("text"), missing);
  const refused = (options, code) => assert.rejects(loadEncoding("o200k_base", options), (error) => isEpitomeError(error) && error.code === code);
  await refused({ scripts: "ascii", source: `${address}/nowhere.vocab` }, "encoding-unavailable");
  await refused({ scripts: "ascii", source: new Uint8Array(9) }, "invalid-vocabulary");
  await refused({ scripts: "ascii", source: `${address}/cl100k_base.vocab` }, "invalid-vocabulary");
  assert.throws(() => counter.count("text"), missing, "nothing of them is used");
  fetched.length = 0;
  await loadEncoding("o200k_base", { ...shards(), rest: `${address}/cl100k_base.vocab` });
  assert.deepEqual(fetched, ["/o200k_base.ascii.vocab"]);
  const encoder = reference("o200k_base");
  for (const text of ["", "The quick brown fox.", "<|endoftext|>", "a\0b\x7f", "x".repeat(9_000)]) {
    assert.equal(counter.count(text), encoder.encode_ordinary(text).length, text);
    assert.equal(await countTokens(text), counter.count(text));
  }
  assert.throws(() => counter.count("naïve"), { ...missing, message: /for text that is not ASCII; await loadEncoding\("o200k_base"\)/ });
  assert.equal(counter.count("still there"), 2);
  assert.deepEqual(fetched.splice(0), ["/o200k_base.ascii.vocab"]);
  await assert.rejects(countTokens("naïve"), { code: "invalid-vocabulary" }, "the rest is another file");
  assert.equal(await countTokens("still there"), 2);
  assert.deepEqual(fetched.splice(0), ["/cl100k_base.vocab"]);
  await loadEncoding("o200k_base", { rest: shards().rest });
  assert.deepEqual(fetched.splice(0), ["/o200k_base.rest.vocab"]);
  const texts = ["naïve", "世界，你好。", "half \ud83d"];
  const counts = await Promise.all(texts.map((text) => countTokens(text)));
  assert.deepEqual(counts, texts.map((text) => encoder.encode_ordinary(text).length));
  assert.deepEqual(counts, texts.map((text) => counter.count(text)));
  assert.deepEqual(fetched, []);
  encoder.free();
});

test("short text of any content is counted unchanged", async () => {
  const counter = await tokenCounter();
  const encoder = reference("o200k_base");
  const boundaries = [0x00, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff];
  for (const unit of [...boundaries.map((code) => String.fromCharCode(code)), "👍", "\udc4b\ud83d", "añя한"]) {
    for (const length of [1, 2, 12, 24, 47, 48, 49, 60]) {
      for (const text of [unit.repeat(length), `a ${unit} b`.repeat(length).slice(0, 48)]) {
        assert.equal(counter.count(text), encoder.encode_ordinary(text).length, JSON.stringify(text));
      }
    }
  }
  encoder.free();
});

test("a compactor reuses what was loaded, without fetching it again", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append({ role: "user", content: "世界，你好。" });
  compactor.setPolicy({ counting: { encoding: "o200k_base" } });
  assert.equal(compactor.status().exact, true);
  compactor.dispose();
  assert.deepEqual(fetched, []);
});

test("an encoding that is not divided is loaded whole for ASCII too", async () => {
  await loadEncoding("cl100k_base", { scripts: "ascii", source: `${address}/cl100k_base.vocab` });
  assert.deepEqual(fetched.splice(0), ["/cl100k_base.vocab"]);
  const encoder = reference("cl100k_base");
  assert.equal(await countTokens("naïve", { encoding: "cl100k_base" }), encoder.encode_ordinary("naïve").length);
  assert.deepEqual(fetched, []);
  encoder.free();
});

test("an own tokenizer counts after it is loaded, under its given name", async () => {
  const missing = { code: "encoding-not-loaded", message: /"mine".*loadTokenizer/ };
  await assert.rejects(countOfAll("lo", { tokenizer: "mine" }), missing);
  const refused = { code: "invalid-vocabulary", message: /"mine" cannot be used/ };
  await assert.rejects(loadTokenizer("mine", { model: { type: "Unigram" } }), refused);
  await assert.rejects(loadTokenizer("mine", "file:///nowhere/tokenizer.json"), { code: "encoding-unavailable" });
  await assert.rejects(countOfAll("lo", { tokenizer: "mine" }), missing);
  const file = tokenizerFile("l o", "Ġ lo");
  for (const source of [file, new TextEncoder().encode(JSON.stringify(file)), new Response(JSON.stringify(file))]) {
    await loadTokenizer("mine", source);
    assert.equal(await countOfAll("lo lo", { tokenizer: "mine" }), 2);
    assert.equal(await countOfAll("lo é", { tokenizer: "mine" }), 4);
  }
});
