// Compaction by the provider itself, against a server on loopback that answers as OpenAI and Anthropic do: what it returns takes the
// place of the messages, and nothing touches the item that only the provider can read.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { anthropicCompaction, convert, createCompactor, isEpitomeError, openAICompaction, readUsage, validate } from "epitome";
import { providers } from "../servers/providers.mjs";

let server;
before(async () => {
  server = await providers();
});
after(() => server.close());

const KEY = "sk-a-key-of-some-length";
const sent = () => server.requests.at(-1);

/** A long talk, whose messages have these roles. */
function talk(turns) {
  return Array.from({ length: turns }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `${turn}: ${"We plan the garden, bed by bed. ".repeat(20)}`,
  }));
}

/** Each provider: its compaction, a history in its format, and the item that only it can read. */
const PROVIDERS = [
  {
    format: "openai-responses",
    create: openAICompaction,
    system: { role: "developer", content: "You plan gardens." },
    opaque: (messages) => messages.find(({ type }) => type === "compaction"),
  },
  {
    format: "anthropic",
    create: anthropicCompaction,
    system: { role: "system", content: "You plan gardens." },
    opaque: (messages) => messages.find(({ content }) => content[0]?.type === "compaction"),
  },
];

for (const { format, create, system, opaque } of PROVIDERS) {
  const compaction = (options) => create({ baseURL: `${server.url}/v1`, model: "m", apiKey: KEY, ...options });
  const history = () => [system, ...talk(40)];

  test(`i41: ${format}: what the provider returns takes the place of the messages, and can be undone`, async () => {
    const compactor = await createCompactor({ format, policy: { window: 20_000 } });
    const messages = history();
    const ids = compactor.append(messages);
    const before = compactor.status().tokens;
    const compacted = await compaction()(compactor.messages());
    assert.equal(compacted.messages[0], system, "the same object");
    assert.ok(opaque(compacted.messages) !== undefined);
    compactor.sync(compacted.messages);
    assert.deepEqual(compactor.messages(), compacted.messages);
    assert.ok(compactor.messages().every((message, index) => message === compacted.messages[index]), "the same objects");
    assert.ok(compactor.status().tokens < before);
    assert.equal((await readUsage(compacted.usage)).promptTokens, 900);
    const question = { role: "user", content: "How many beds?" };
    compactor.append(question);
    assert.deepEqual((await validate(compactor.messages(), format)).filter(({ severity }) => severity === "error"), []);
    compactor.switchTo(ids.at(-1));
    assert.ok(compactor.messages().every((message, index) => message === messages[index]), "as it was");
    assert.equal(compactor.messages().length, messages.length);
    compactor.dispose();
  });

  test(`i41: ${format}: no compaction touches what only the provider can read`, async () => {
    const compacted = await compaction()(history());
    const item = opaque(compacted.messages);
    const written = JSON.stringify(item);
    const asked = [];
    const summarize = (request) => {
      asked.push(request);
      return "They planned the garden.";
    };
    const compactor = await createCompactor({ format, policy: { window: 4_000 }, summarize });
    compactor.sync([...compacted.messages.filter((message) => message === item || message === system), ...talk(60)]);
    for (let round = 0; round < 2; round += 1) {
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      assert.ok(compactor.messages().includes(item), "the same object");
      assert.equal(JSON.stringify(item), written);
      compactor.append(talk(60));
    }
    const secret = item.encrypted_content ?? item.content[0].signature;
    assert.ok(asked.length > 0 && asked.every(({ input }) => !input.includes(secret)), "no summarizer gets it");
    assert.deepEqual((await validate(compactor.messages(), format)).filter(({ severity }) => severity === "error"), []);
    compactor.dispose();
  });

  test(`i41: ${format}: another provider does not get it, and the conversion says so`, async () => {
    const { messages } = await compaction()(history());
    const converted = await convert([...messages, { role: "user", content: "How many beds?" }], format, "openai-chat");
    const written = JSON.stringify(converted.messages);
    assert.ok(!written.includes("encrypted_content") && !written.includes("c2lnbmF0dXJl"));
    assert.match(JSON.stringify(converted.lost), /compaction/);
  });

  test(`i41: ${format}: a response without a compaction, and an error, change nothing`, async () => {
    const messages = history();
    const copy = structuredClone(messages);
    await assert.rejects(compaction({ model: "fails" })(messages), { code: "bad-answer", message: /has no compaction/ });
    const lost = create({ baseURL: `${server.url}/other/v1`, model: "m", apiKey: KEY });
    await assert.rejects(lost(messages), (error) => {
      assert.ok(isEpitomeError(error));
      assert.deepEqual([error.code, error.status], ["model-unknown", 404]);
      assert.ok(!error.message.includes(KEY));
      return true;
    });
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(compaction()(messages, { signal: controller.signal }), { code: "aborted" });
    await assert.rejects(compaction()("all of them"), { code: "invalid-message" });
    assert.throws(() => create({ model: "m" }), { code: "misconfigured" });
    assert.throws(() => create(5), { code: "invalid-option" });
    assert.deepEqual(messages, copy);
  });
}

test("i41: OpenAI gets all items and the fields of the app, and its key", async () => {
  const items = [{ role: "user", content: "Hello" }, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }];
  await openAICompaction({ baseURL: `${server.url}/v1/responses`, model: "gpt-6", apiKey: KEY, request: () => ({ instructions: "You plan gardens." }) })(items);
  const { path, headers, body } = sent();
  assert.equal(path, "/v1/responses/compact");
  assert.equal(headers.authorization, `Bearer ${KEY}`);
  assert.deepEqual(body, { instructions: "You plan gardens.", model: "gpt-6", input: items });
});

test("i41: Anthropic gets the system prompt in its field, the beta beside those of the app, and its key", async () => {
  const options = { baseURL: `${server.url}/v1`, model: "claude-opus-5-5", apiKey: KEY, headers: { "Anthropic-Beta": "other-2026-01-01" } };
  const tools = [{ name: "look", input_schema: { type: "object" } }];
  const compaction = { type: "summarize", instructions: "Keep the names of all plants." };
  const messages = [{ role: "system", content: "You plan gardens." }, ...talk(2)];
  const compacted = await anthropicCompaction({ ...options, request: { tools, compaction } })(messages);
  const { headers, body } = sent();
  assert.deepEqual([headers["x-api-key"], headers["anthropic-beta"]], [KEY, "other-2026-01-01,compact-2026-09-04"]);
  assert.deepEqual(body, {
    max_tokens: 8_192,
    compaction,
    tools,
    system: [{ type: "text", text: "You plan gardens." }],
    model: "claude-opus-5-5",
    messages: messages.slice(1),
  });
  assert.deepEqual(compacted.messages.map(({ role }) => role), ["system", "assistant"]);
});
