// Messages that are plain JSON cross to the engine as one text, others value by value: the engine reads the same.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { convert, createCompactor } from "epitome";

/** The same message as an instance of an app's own class, which is not plain JSON. */
class Own {
  constructor(message) {
    Object.assign(this, message);
  }
}

const call = (values) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: JSON.stringify(values) } }],
});

const MESSAGES = {
  "a text": { role: "user", content: "How do I prune an apple tree?" },
  "a text of several scripts, quotes and control characters": { role: "user", content: '世界 "é" 👍 \\ \u0000\u2028\n' },
  "half a character": { role: "user", content: "half \ud83d of it" },
  "parts": { role: "user", content: [{ type: "text", text: "Look:" }, { type: "image_url", image_url: { url: "https://a.b/c.png" } }] },
  "a call": call({ a: 1.5, b: [true, null] }),
  "numbers of all kinds": { role: "user", content: "n", extra: [0, -0, 1.1, 0.1 + 0.2, 2 ** 53, 1e21, -1e-7, NaN, Infinity] },
  "what JSON leaves out": { role: "user", content: "n", gone: undefined, also: () => 1, sign: Symbol("s"), list: [undefined] },
  "keys in any order": { 2: "b", 1: "a", content: "n", role: "user", __proto__: null },
  "dates, addresses and bytes": { role: "user", content: "n", at: new Date(0), url: new URL("https://a.b"), bytes: new Uint8Array(3), big: 7n },
  "a text that says what it is in JSON": { role: "user", content: { toJSON: () => "shown" } },
};

async function loaded(messages) {
  const compactor = await createCompactor({ format: "openai-chat", repair: false });
  compactor.append(messages);
  const result = [compactor.snapshot(), compactor.status(), compactor.messages()];
  compactor.dispose();
  return result;
}

for (const [what, message] of Object.entries(MESSAGES)) {
  test(`${what} reads the same as a plain object and as an instance of a class`, async () => {
    const [plain, own] = [await loaded([message]), await loaded([new Own(message)])];
    assert.equal(plain[0], own[0]);
    assert.deepEqual(plain[1], own[1]);
    assert.equal(plain[2][0], message);
  });
}

test("if one of several messages cannot be read, none is appended, plain or not", async () => {
  const good = { role: "user", content: "fine" };
  const circular = { role: "user", content: [] };
  circular.content.push(circular);
  const throwing = { role: "user", get content() { throw new Error("no"); } };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const deep = { role: "user", content: "deep", extra: {} };
  for (let at = 0, inner = deep.extra; at < 200; at += 1) inner = inner.in = {};
  const compactor = await createCompactor({ format: "openai-chat" });
  for (const bad of [circular, throwing, revoked.proxy, deep, "text", null]) {
    assert.throws(() => compactor.append([good, bad]), (error) => error.code === "invalid-message" && error.message.includes("messages[1]"));
    assert.deepEqual(compactor.history(), []);
  }
  compactor.append(good);
  assert.deepEqual(compactor.history(), [good]);
  compactor.dispose();
});

test("texts of any length and content cross unchanged", async () => {
  const units = ["a", "é", "世", "👍", "\ud83d", "\udc4b", "\0", "abcdefg é", "abcdefgh世👍"];
  const lengths = [0, 1, 2, 15, 16, 17, 47, 48, 49, 50, 4_096, 87_381, 87_382, 262_143, 262_144, 400_000];
  for (const unit of units) {
    for (const length of lengths) {
      const content = unit.repeat(length / unit.length + 1).slice(0, length);
      const { messages } = await convert([{ role: "user", content: `${content}.` }], "openai-chat", "anthropic");
      // A decoder replaces half a surrogate pair by U+FFFD, as the engine does.
      const expected = Buffer.from(`${content}.`).toString();
      assert.ok(JSON.stringify(messages[0].content) === JSON.stringify(expected), `${length} of ${JSON.stringify(unit)}`);
    }
  }
});

/** A module's memory with the numbers from 0 on, and 2 for the level. */
const NUMBERED = {
  fractions: (address, count) => Float64Array.from({ length: count }, (_, at) => (at === 4 ? 2 : address + at)),
};

test("the fields of a status are the numbers that cross, in the order of their declarations", async () => {
  const declarations = await readFile(new URL(import.meta.resolve("epitome/package.json").replace("package.json", "epitome.d.ts")), "utf8");
  const declared = (name) => {
    const [, body] = declarations.match(new RegExp(`export interface ${name} (?:extends \\w+ )?\\{(.*?)\\n\\}`, "s"));
    return [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field]) => field);
  };
  const compactor = await createCompactor({ format: "openai-chat", policy: { window: 1_000 } });
  const status = compactor.status();
  assert.deepEqual(Object.keys(status), [...declared("Pressure"), ...declared("Status")]);
  assert.deepEqual(Object.keys(status.breakdown), declared("Breakdown"));
  assert.deepEqual(Object.keys(status.statistics), declared("Statistics"));
  compactor.dispose();

  const { statusOf } = await import(import.meta.resolve("epitome").replace("entrypoints/index.js", "host/status.js"));
  const { level, threshold, exact, breakdown, statistics, ...numbers } = statusOf(NUMBERED, 0);
  assert.deepEqual([level, threshold, exact], ["compact", 5, false]);
  assert.deepEqual(Object.values(numbers), [0, 1, 2, 3, 6, 8, 9]);
  assert.deepEqual([...Object.values(breakdown), ...Object.values(statistics)], Array.from({ length: 13 }, (_, at) => 10 + at));
});

test("the status equals the status under the same policy", async () => {
  const policies = [{ window: 1_000 }, { window: 60, warning: 0.1 }, { window: 90_000, warning: 0.0001, counting: { charactersPerToken: 4 } }];
  for (const policy of [...policies, { window: 500, triggers: [] }]) {
    const compactor = await createCompactor({ format: "openai-chat", policy });
    compactor.append([{ role: "system", content: "Be brief." }, ...Object.values(MESSAGES).slice(0, 2)]);
    const { statistics, ...status } = compactor.status();
    const { statistics: same, ...under } = compactor.statusUnder(policy);
    assert.deepEqual(status, under);
    assert.deepEqual(Object.keys(status), Object.keys(under));
    compactor.reportUsage({ promptTokens: 70, completionTokens: 7, durationMs: 500 });
    assert.deepEqual([statistics, compactor.status().statistics], [same, compactor.statusUnder(policy).statistics]);
    assert.deepEqual([compactor.status().statistics.lastPromptTokens, compactor.status().statistics.tokensPerSecond], [70, 14]);
    compactor.dispose();
  }
});
