// Agents that are asked in another format than their team: what they get is legal there, by the package's own check and by those
// in `conformance`, and the team has what it had.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { convert, createCompactor, loadConversion, restoreCompactor, runTurn } from "epitome";
import { memoryStore, openConversation } from "epitome/storage";
import { examples } from "../out/conformance/examples/index.js";
import { refusals } from "./legality.mjs";
import { same, said, scripted } from "./harness.mjs";

const FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk-ui", "ai-sdk-model"];
const POLICY = { window: 20_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0, keep: { messages: 3 } };
const SECRET = "SECRET-4171";

const json = (value) => JSON.stringify(value);

/** A team in this format that has worked with tools, some of them called in parallel, and has whispered in between. */
async function teamOf(format, options = {}) {
  const compactor = options.compactor ?? (await createCompactor({ format, policy: POLICY, summarize: () => "They worked.", ...options }));
  const story = examples[format].valid(8);
  const { messages: [note] } = await convert([said("assistant", `The planner doubts ${SECRET}.`)], "openai-chat", format);
  compactor.append(story.slice(0, 2));
  compactor.append(format === "ai-sdk-ui" ? { ...note, id: "note" } : note, { author: "planner", audience: ["critic"] });
  compactor.append(story.slice(2));
  return compactor;
}

/** A call of a tool and its result, as the provider of this format answers and an app goes on, with what only that provider
 * knows of it. */
function roundIn(format) {
  const args = { bed: 9 };
  switch (format) {
    case "openai-chat":
      return [
        { role: "assistant", content: null, tool_calls: [{ id: "own_1", type: "function", function: { name: "look", arguments: json(args) } }] },
        { role: "tool", tool_call_id: "own_1", content: "It grows." },
      ];
    case "openai-responses":
      return [
        [
          { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
          { type: "function_call", id: "fc_1", call_id: "own_1", name: "look", arguments: json(args) },
        ],
        { type: "function_call_output", call_id: "own_1", output: "It grows." },
      ];
    case "anthropic":
      return [
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "I look.", signature: "signed" },
            { type: "tool_use", id: "toolu_own_1", name: "look", input: args },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_own_1", content: "It grows." }] },
      ];
    case "gemini":
      return [
        { role: "model", parts: [{ functionCall: { name: "look", args }, thoughtSignature: "c2lnbmVk" }] },
        { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "It grows." } } }] },
      ];
    case "ai-sdk-ui":
      return [
        {
          id: "own_1",
          role: "assistant",
          parts: [{ type: "tool-look", toolCallId: "own_1", state: "output-available", input: args, output: "It grows.", callProviderMetadata: { own: { signature: "signed" } } }],
        },
      ];
    case "ai-sdk-model":
      return [
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "own_1", toolName: "look", input: args, providerOptions: { own: { signature: "signed" } } }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "own_1", toolName: "look", output: { type: "text", value: "It grows." } }] },
      ];
  }
}

before(() => loadConversion());

for (const from of FORMATS) {
  for (const to of FORMATS.filter((format) => format !== from)) {
    test(`f1: an agent in ${to} of a team in ${from}: its view is legal, also compacted, undone and restored, and it gets back what it has answered`, async () => {
      const alone = await teamOf(from);
      const { requests, summarize } = scripted("They worked.");
      const store = memoryStore();
      const options = { format: from, policy: POLICY, summarize };
      const { compactor } = await openConversation({ store, id: "team", ...options });
      await teamOf(from, { compactor });
      const team = () => json([compactor.messages(), compactor.history(), compactor.status().tokens]);
      assert.equal(team(), json([alone.messages(), alone.history(), alone.status().tokens]));
      const critic = compactor.agent("critic", { format: to });
      const writer = compactor.agent("writer", { format: to });
      assert.equal(critic.format, to);
      const legal = async (view = critic.messages()) => assert.deepEqual(await refusals(to, view), [], json(view));
      await legal();
      await legal(writer.messages());
      assert.ok(json(critic.messages()).includes(SECRET) && !json(writer.messages()).includes(SECRET));
      assert.equal(critic.messages(), critic.messages(), "the same array until something has changed");
      const whole = json(critic.messages());
      const unchanged = team();

      assert.equal((await critic.compact()).outcome, "applied");
      assert.ok(json(requests.at(-1)).includes(SECRET));
      await legal();
      assert.ok(json(critic.messages()).length < whole.length);
      critic.undo();
      assert.equal(json(critic.messages()), whole);
      assert.equal(team(), unchanged, "the team has the view that it had");

      const [question] = examples[from].valid(1).filter(({ role }) => role === "user");
      const ask = (id) => compactor.append(from === "ai-sdk-ui" ? { ...question, id } : question);
      ask("asked");
      const round = roundIn(to);
      const shown = critic.messages();
      for (const answer of round) {
        const ids = critic.append(answer);
        assert.ok(ids.length > 0);
      }
      const own = round.flat();
      assert.ok(same(critic.messages().slice(-own.length), own), `${json(critic.messages().slice(-own.length))} are not ${json(own)}`);
      assert.ok(critic.messages().slice(0, shown.length).every((message, index) => message === shown[index]), "what was there is the same");
      await legal();
      await legal(writer.messages());
      assert.deepEqual(await refusals(from, compactor.messages()), [], json(compactor.messages().slice(-3)));
      assert.ok(json(compactor.messages()).includes("It grows."));
      ask("asked again");
      await legal();
      assert.equal((await critic.compact()).outcome, "applied");
      await legal();

      await compactor.commit();
      const last = [critic.messages(), writer.messages(), critic.status()];
      const { compactor: reopened } = await openConversation({ store, id: "team", ...options });
      const [again, other] = ["critic", "writer"].map((name) => reopened.agent(name));
      assert.deepEqual([again.messages(), other.messages(), again.status()], last);
      assert.deepEqual([again.format, other.format], [to, to]);
      again.undo();
      await legal(again.messages());
      assert.ok(json(again.messages()).includes(json(own[0])), "what it has answered is stored as it was");
      for (const one of [compactor, reopened, alone]) {
        one.dispose();
      }
    });
  }
}

test("f1: results that come one by one, and privately, stay with the calls of an agent with a format of its own", async () => {
  for (const from of FORMATS.filter((format) => format !== "openai-chat")) {
    const compactor = await teamOf(from);
    const critic = compactor.agent("critic", { format: "openai-chat" });
    const before = json(compactor.messages());
    const call = (id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
    const messages = [
      { role: "assistant", content: "I look.", tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "b", content: "B." },
      { role: "tool", tool_call_id: "a", content: "A." },
      { role: "assistant", content: "Both grow." },
    ];
    messages.forEach((message) => critic.append(message, { audience: [] }));
    assert.ok(same(critic.messages().slice(-4), messages), `${from}: ${json(critic.messages().slice(-4))}`);
    assert.deepEqual(await refusals("openai-chat", critic.messages()), []);
    assert.equal(json(compactor.messages()), before, from);
    compactor.dispose();
  }
});

test("f1: a turn of an agent runs in its own format, with providers and recall", async () => {
  const compactor = await teamOf("openai-chat");
  const critic = compactor.agent("critic", { format: "anthropic" });
  const [call, result] = roundIn("anthropic");
  const sent = [];
  await runTurn(critic, {
    request: async (messages) => {
      sent.push(messages);
      assert.deepEqual(await refusals("anthropic", messages), []);
      return { messages: sent.length === 1 ? call : { role: "assistant", content: [{ type: "text", text: "It grows." }] } };
    },
    tools: () => (sent.length === 1 ? [result] : undefined),
    providers: [() => "The user is Ada."],
  });
  assert.equal(sent.length, 2);
  assert.ok(sent[1].includes(call) && sent[1].includes(result));
  assert.ok(json(sent[0]).includes("The user is Ada."));
  await critic.compact();
  compactor.append(said("user", "What was it that the pests in bed 3 had?"));
  const recalled = await critic.messagesWithRecall();
  assert.deepEqual(await refusals("anthropic", recalled), []);
  assert.deepEqual(await refusals("openai-chat", compactor.messages()), []);
  compactor.dispose();
});

test("f1: a summarizer and a counter get messages in the format of who has given them", async () => {
  const [asked, counted] = [[], []];
  const summarize = (request) => (asked.push(request), "They worked.");
  const policy = { ...POLICY, summary: { input: "conversation" } };
  const compactor = await teamOf("openai-chat", { policy, summarize, countTokens: () => 5_000 });
  const critic = compactor.agent("critic", { format: "gemini" });
  await critic.compact();
  assert.equal(asked.at(-1).format, "openai-chat");
  assert.ok(asked.at(-1).messages.every(({ parts }) => parts === undefined));
  const writer = compactor.agent("writer", { format: "gemini", summarize, countTokens: (messages) => (counted.push(messages), 5_000) });
  await writer.compact();
  assert.equal(asked.at(-1).format, "gemini");
  assert.ok(asked.at(-1).messages.every(({ parts }) => Array.isArray(parts)));
  assert.equal(counted.length, 1);
  assert.deepEqual(await refusals("gemini", counted[0]), []);
  compactor.dispose();
});

test("f1: what the team changes of an agent's answer reaches the agent as the team has it", async () => {
  const compactor = await teamOf("openai-chat");
  const critic = compactor.agent("critic", { format: "anthropic" });
  const answer = { role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "signed" }, { type: "text", text: "Water it." }] };
  const [id] = critic.append(answer);
  assert.equal(critic.messages().at(-1), answer);
  assert.equal(critic.message(id), compactor.message(id), "history() and message() have the team's messages");
  compactor.edit(id, said("assistant", "Do not water it."));
  assert.deepEqual(critic.messages().at(-1), { role: "assistant", content: "Do not water it." });
  compactor.remove(id);
  assert.ok(!json(critic.messages()).includes("water it"));
  compactor.dispose();
});

test("f1: an agent of a stored conversation gets another format, with the compactions that it has", async () => {
  const compactor = await teamOf("openai-chat");
  await compactor.agent("critic").compact();
  const options = { format: "openai-chat", originals: compactor.history(), summarize: () => "They worked." };
  const others = await teamOf("openai-chat");
  const originals = others.agent("critic").history();
  const restored = await restoreCompactor(compactor.snapshot(), { ...options, originals });
  const critic = restored.agent("critic", { format: "gemini" });
  assert.deepEqual(await refusals("gemini", critic.messages()), []);
  assert.equal(critic.messages().length < originals.length, true);
  const again = await restoreCompactor(restored.snapshot(), { ...options, originals });
  assert.equal(again.agent("critic").format, "gemini");
  assert.deepEqual(again.agent("critic").messages(), critic.messages());
  for (const one of [compactor, others, restored, again]) one.dispose();
});

test("f1: a format that does not exist, or is another one than the agent's, is refused", async () => {
  const compactor = await teamOf("openai-chat");
  assert.throws(() => compactor.agent("critic", { format: "morse" }), { code: "unknown-format", message: /"morse" is not a format/ });
  assert.throws(() => compactor.agent("critic", { format: 7 }), { code: "unknown-format" });
  const critic = compactor.agent("critic", { format: "anthropic" });
  assert.equal(compactor.agent("critic", { format: "anthropic" }), critic);
  assert.equal(compactor.agent("critic"), critic);
  assert.throws(() => compactor.agent("critic", { format: "gemini" }), { code: "invalid-option", message: /"critic" was asked for as anthropic, not as gemini/ });
  assert.equal(compactor.agent("writer", { format: "openai-chat" }).messages()[0], compactor.messages()[0], "the team's own format needs no conversion");
  assert.throws(() => critic.append({ role: "assistant", content: [] }), { code: "invalid-message" });
  assert.throws(() => critic.append([said("user", "hi"), 7]), { code: "invalid-message", message: /messages\[1\]/ });
  const snapshot = compactor.snapshot().replaceAll('"provider":"anthropic"', '"provider":"morse"');
  await assert.rejects(restoreCompactor(snapshot, { format: "openai-chat", originals: [] }), { code: "unknown-format", message: /the agent "critic" has the format "morse"/ });
  compactor.dispose();
});
