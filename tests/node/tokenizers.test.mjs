// A compactor counts exactly by the app's own tokenizer, which is read once for all compactors.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import {
  countTokens,
  createCompactor,
  isEpitomeError,
  loadTokenizer,
  plan,
  recentWithin,
  resolvePolicy,
  restoreCompactor,
} from "epitome";
import { tokenizerFile } from "./tokenizer-file.mjs";
import { said } from "./harness.mjs";

const FILE = tokenizerFile("l o", "Ġ lo");
const NOWHERE = "file:///nowhere/tokenizer.json";
/** What a message costs besides its text. */
const AROUND = 4;

const fetched = [];
let server;
let address;

before(async () => {
  server = createServer(({ url }, response) => {
    fetched.push(url);
    response.end(JSON.stringify(FILE));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/tokenizer.json`;
});

after(() => server.close());

const TEXTS = [
  "lo lo, hello: 12345",
  "世界 👍 e\u0301 naïve",
  "<|endoftext|> lo",
  "half a pair: \ud83d, the other half: \udc4b",
  "a  \n\t b",
  "lo ".repeat(9_000),
  `${"lo ".repeat(400_000)}世界`,
  "",
];

const exactly = (name) => ({ counting: { tokenizer: name } });
const chat = (name, more) => createCompactor({ format: "openai-chat", policy: exactly(name), ...more });

async function counted(name, texts) {
  let tokens = 0;
  for (const text of texts) tokens += (await countTokens(text, { tokenizer: name })) + AROUND;
  return tokens;
}

test("b1: a policy names the tokenizer, and so does the resolved policy", async () => {
  assert.deepEqual((await resolvePolicy(exactly("mine"))).counting, { tokenizer: "mine" });
  const wrong = resolvePolicy({ counting: { tokenizer: 7 } });
  await assert.rejects(wrong, { code: "invalid-policy", message: /policy\.counting.*expected a string/ });
});

// This test must be before all that load anything.
test("b1: a missing tokenizer is an error that says what to do", async () => {
  const missing = {
    name: "EpitomeError",
    code: "encoding-not-loaded",
    tokenizer: "mine",
    message: 'the tokenizer "mine" is not loaded; await loadTokenizer("mine", …) first',
  };
  await assert.rejects(chat("mine"), missing);
  await assert.rejects(chat("mine", { tokenizers: { other: FILE } }), missing);
  await assert.rejects(chat("constructor", { tokenizers: {} }), { ...missing, tokenizer: "constructor", message: /"constructor"/ });
  await assert.rejects(countTokens("text", { tokenizer: "mine" }), missing);
  await assert.rejects(recentWithin([said("user", "lo")], { tokens: 9, ...exactly("mine") }), missing);
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(said("user", TEXTS[0]));
  const before = compactor.status();
  assert.throws(() => compactor.setPolicy(exactly("mine")), missing);
  assert.deepEqual(compactor.status(), before);
  compactor.dispose();
});

test("b1: a compactor counts exactly by its tokenizer, and so does one restored from its snapshot", async () => {
  const messages = TEXTS.map((text) => said("user", text));
  const compactor = await chat("given", { tokenizers: { given: FILE, unused: NOWHERE } });
  compactor.append(messages);
  const expected = await counted("given", TEXTS);
  const status = compactor.status();
  assert.deepEqual([status.tokens, status.exact, status.errorBand], [expected, true, 0]);

  const snapshot = compactor.snapshot();
  const options = { format: "openai-chat", originals: messages };
  const restored = await restoreCompactor(snapshot, options);
  assert.deepEqual(restored.status(), status);
  const renamed = snapshot.replace('"tokenizer":"given"', '"tokenizer":"later"');
  await assert.rejects(restoreCompactor(renamed, options), { code: "encoding-not-loaded", tokenizer: "later" });
  const elsewhere = await restoreCompactor(renamed, { ...options, tokenizers: { later: FILE } });
  assert.deepEqual(elsewhere.status(), status);

  const drawn = await plan(messages, { format: "openai-chat", policy: exactly("given") });
  assert.equal(drawn.tokensBefore, expected);
  const recent = { tokens: expected, ...exactly("recent") };
  assert.equal((await recentWithin(messages, { ...recent, tokenizers: { recent: FILE } })).length, messages.length);
  assert.equal((await recentWithin(messages, { ...recent, tokens: expected - 1 })).length, messages.length - 1);

  compactor.reportUsage({ promptTokens: expected - 3, completionTokens: 7 });
  compactor.append(said("user", "lo lo"));
  assert.deepEqual([compactor.status().tokens, compactor.status().exact], [expected - 3 + 2 + AROUND, true]);
  compactor.setPolicy({});
  assert.equal(compactor.status().exact, false);
  for (const one of [compactor, restored, elsewhere]) one.dispose();
});

test("b1: the current policy can change to a tokenizer after it is loaded", async () => {
  const compactor = await createCompactor({ format: "openai-chat" });
  compactor.append(said("user", "lo lo"));
  await loadTokenizer("loaded", FILE);
  compactor.setPolicy(exactly("loaded"));
  assert.deepEqual([compactor.status().tokens, compactor.status().exact], [2 + AROUND, true]);
  compactor.dispose();
});

test("a tokenizer is fetched once for all compactors, and again after a failure", async () => {
  const failing = (source, code) =>
    assert.rejects(chat("shared", { tokenizers: { shared: source } }), (error) => isEpitomeError(error) && error.code === code);
  await failing(NOWHERE, "encoding-unavailable");
  await failing(new Response("", { status: 404 }), "encoding-unavailable");
  await failing({ model: { type: "Unigram" } }, "invalid-vocabulary");
  const tokenizers = { shared: address };
  const compactors = await Promise.all([1, 2, 3].map(() => chat("shared", { tokenizers })));
  compactors.push(await chat("shared", { tokenizers: { shared: NOWHERE } }));
  assert.deepEqual(fetched, ["/tokenizer.json"]);
  for (const compactor of compactors) {
    compactor.append(said("user", "lo lo"));
    assert.equal(compactor.status().tokens, 2 + AROUND);
    compactor.dispose();
  }
});

test("a compactor keeps its tokenizer when another one is loaded under that name", async () => {
  await loadTokenizer("again", FILE);
  const before = await chat("again");
  await loadTokenizer("again", tokenizerFile());
  await loadTokenizer("again", tokenizerFile("l o"));
  const since = await chat("again");
  for (const compactor of [before, since]) compactor.append(said("user", "lo lo"));
  assert.deepEqual([before, since].map((compactor) => compactor.status().tokens - AROUND), [2, 3]);
  assert.equal(await countTokens("lo lo", { tokenizer: "again" }), 3);
  for (const compactor of [before, since]) compactor.dispose();
});
