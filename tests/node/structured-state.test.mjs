// The structured state as an app reads and sets it. What a summarizer's answer does to it is in the engine's own tests, and the
// limits and the injection are in `tests/sources/workstream.test.mjs`.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { anthropicCompatible, contextProviders, createCompactor, openAICompatible, restoreCompactor, runTurn } from "epitome";
import { FORMATS, chatOf, said, scripted } from "./harness.mjs";

const POLICY = {
  window: 4_000,
  counting: { charactersPerToken: 1 },
  triggers: ["manual"],
  reducers: [],
  keepRequestsTokens: 0,
  minSaving: 0,
  summary: { structuredState: true },
};
const ANSWER = 'They talked.\n```json\n{"decisions": [{"text": "Plant oaks.", "sources": [2]}], "tasks": ["dig"]}\n```';

for (const format of FORMATS) {
  test(`e1: ${format}: the app reads, sets and stores the state, and an undo takes it back`, async () => {
    const { requests, summarize } = scripted(ANSWER, "They went on.");
    const compactor = await createCompactor({ format, policy: POLICY, summarize });
    const ids = compactor.append(chatOf(20));
    assert.deepEqual(compactor.structuredState(), {});
    compactor.setStructuredState({ risks: [{ text: "It may rain." }] });
    assert.equal((await compactor.compact()).outcome, "applied");
    const state = {
      decisions: [{ text: "Plant oaks.", sources: [ids[1]] }],
      tasks: [{ text: "dig" }],
      risks: [{ text: "It may rain." }],
    };
    assert.deepEqual(compactor.structuredState(), state);
    const edited = { ...state, tasks: [{ text: "dig", done: true }] };
    compactor.setStructuredState(edited);
    const again = await restoreCompactor(compactor.snapshot(), { format, summarize, originals: compactor.history() });
    assert.deepEqual(again.structuredState(), edited);
    again.append(chatOf(20));
    assert.equal((await again.compact()).outcome, "applied");
    assert.ok(requests.at(-1).input.includes("- [x] dig"), "the next summarizer gets what the app has set");
    assert.deepEqual(again.structuredState(), edited);
    for (const earlier of [edited, state, { risks: [{ text: "It may rain." }] }, {}]) {
      again.undo();
      assert.deepEqual(again.structuredState(), earlier);
    }
    assert.throws(() => again.undo(), { code: "nothing-to-undo" });
    again.dispose();
    compactor.dispose();
  });
}

test("e1: a state that no summary shows is put before a request by a context provider, and once only", async () => {
  const { summarize } = scripted("They talked.");
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize });
  compactor.append(chatOf(20));
  compactor.setStructuredState({ constraints: [{ text: "No oaks." }] });
  const sent = [];
  const request = (messages) => (sent.push(JSON.stringify(messages)), { messages: { role: "assistant", content: "Yes." } });
  const turn = () => runTurn(compactor, { request, providers: contextProviders({ memory: () => compactor.stateText() }) });
  await turn();
  assert.equal((await compactor.compact()).outcome, "applied");
  await turn();
  assert.equal(compactor.agent("ada").stateText(), "");
  assert.deepEqual(sent.map((messages) => messages.split("No oaks.").length - 1), [1, 1], "before the summary and in it");
  assert.ok(sent[0].startsWith('[{"role":"user"') && sent[0].indexOf("No oaks.") < sent[0].indexOf(chatOf(1)[0].content), sent[0]);
  compactor.dispose();
});

test("e1: each agent has a state of its own", async () => {
  const { summarize } = scripted(ANSWER);
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize });
  compactor.append(chatOf(20));
  const ada = compactor.agent("ada");
  ada.setStructuredState({ questions: [{ text: "Which soil?" }] });
  assert.equal((await ada.compact()).outcome, "applied");
  assert.deepEqual(Object.keys(ada.structuredState()), ["decisions", "tasks", "questions"]);
  assert.deepEqual(compactor.structuredState(), {});
  assert.deepEqual(compactor.agent("bob").structuredState(), {});
  const again = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: compactor.history() });
  assert.deepEqual(again.agent("ada").structuredState(), ada.structuredState());
  again.dispose();
  compactor.dispose();
});

test("e1: a value that is not a state is refused with the field that is wrong", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY });
  const refused = (state, message) => assert.throws(() => compactor.setStructuredState(state), { code: "invalid-option", message });
  refused(null, /state/);
  refused({ decisions: [{ by: "Ada" }] }, /state.*decisions\[0\].*text/);
  refused({ decision: [] }, /decision/);
  refused({ tasks: [{ text: "dig", done: "yes" }] }, /tasks\[0\]\.done/);
  assert.deepEqual(compactor.structuredState(), {});
  compactor.dispose();
});

test("e1: the app hears of every change of the state, and of each agent's own", async () => {
  const told = [];
  const onEvent = (event) => event.type === "stateChanged" && told.push(event.state);
  const { summarize } = scripted(ANSWER);
  const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize, onEvent });
  compactor.append(chatOf(20));
  const risk = { risks: [{ text: "It may rain." }] };
  compactor.setStructuredState(risk);
  compactor.setStructuredState(risk);
  assert.deepEqual(told, [risk], "once for each change");
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.deepEqual(told.at(-1), compactor.structuredState());
  assert.equal(told.length, 2);
  compactor.undo();
  assert.deepEqual(told.slice(2), [risk]);
  const heard = [];
  const ada = compactor.agent("ada", { onEvent: (event) => heard.push(event.type) });
  ada.setStructuredState({ questions: [{ text: "Which soil?" }] });
  assert.deepEqual([heard, told.length], [["stateChanged"], 3]);
  compactor.dispose();
});

test("e1: without a model, decisions, constraints, requests, risks and written files come from the messages", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...POLICY, window: 20_000, keep: { messages: 4 } } });
  const call = { id: "c1", type: "function", function: { name: "write_file", arguments: JSON.stringify({ path: "plans/garden.md" }) } };
  const ids = compactor.append([
    said("user", "Please plan the garden. Never use concrete in it."),
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "written" },
    said("assistant", "We decided to plant oaks along the northern wall. Frost in May is a risk for the young trees."),
    ...chatOf(100),
  ]);
  assert.equal((await compactor.compact()).outcome, "applied");
  const { decisions, constraints, tasks, risks, artifacts } = compactor.structuredState();
  assert.deepEqual(decisions.at(-1), { text: "We decided to plant oaks along the northern wall.", sources: [ids[3]] });
  assert.deepEqual(constraints.at(-1), { text: "Never use concrete in it.", sources: [ids[0]] });
  assert.deepEqual(risks, [{ text: "Frost in May is a risk for the young trees.", sources: [ids[3]] }]);
  assert.deepEqual(artifacts, [{ text: "plans/garden.md", sources: [ids[1]] }]);
  assert.ok(tasks.length > 0 && tasks.every(({ sources }) => sources.length === 1));
  compactor.dispose();
});

/** What the summary of a model has to have, which was asked for it. */
const HEADING = "## Key facts\n";

/** A server for one test that answers chat completions, and refuses requests with this field. */
async function server(t, refused) {
  const bodies = [];
  const answer = { summary: `${HEADING}They talked.`, decisions: [{ text: "Plant oaks.", by: null, sources: [2], done: null, replaces: null }], settled: [] };
  const listening = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    const body = JSON.parse(text);
    bodies.push(body);
    const isRefused = refused !== undefined && body[refused] !== undefined;
    response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
    const isHeld = body.response_format !== undefined || body.grammar !== undefined;
    const content = isHeld ? JSON.stringify(answer) : HEADING + ANSWER;
    const message = { role: "assistant", content };
    response.end(JSON.stringify(isRefused ? { error: { message: `unsupported field: ${refused}` } } : { choices: [{ message, finish_reason: "stop" }] }));
  }).listen(0, "127.0.0.1");
  await once(listening, "listening");
  t.after(() => listening.close());
  return { bodies, baseURL: `http://127.0.0.1:${listening.address().port}/v1` };
}

for (const [answerFormat, field] of [["jsonSchema", "response_format"], ["grammar", "grammar"]]) {
  test(`e1: an endpoint is asked for the changes by ${field}, and once more without it if the server refuses it`, async (t) => {
    for (const refused of [undefined, field]) {
      const { bodies, baseURL } = await server(t, refused);
      const deltas = [];
      const summarize = openAICompatible({ baseURL, model: "m", answerFormat });
      const compactor = await createCompactor({ format: "openai-chat", policy: POLICY, summarize, onEvent: ({ type }) => type === "delta" && deltas.push(type) });
      const ids = compactor.append(chatOf(20));
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied");
      assert.ok(report.summary.includes(`\nNotes:\n${HEADING}They talked.`) && !report.summary.includes("{"), report.summary);
      assert.deepEqual(compactor.structuredState().decisions, [{ text: "Plant oaks.", sources: [ids[1]] }]);
      assert.deepEqual(bodies.map((body) => body[field] !== undefined), refused === undefined ? [true] : [true, false]);
      assert.deepEqual(deltas, [], "nobody reads JSON while it is written");
      compactor.dispose();
    }
  });
}

test("e1: only the changes to a state are held to a form, and only where the provider has one", async (t) => {
  const { bodies, baseURL } = await server(t);
  const summarize = openAICompatible({ baseURL, model: "m", answerFormat: "jsonSchema" });
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...POLICY, summary: {} }, summarize });
  compactor.append(chatOf(20));
  assert.equal((await compactor.compact()).outcome, "applied");
  assert.ok(bodies.every((body) => body.response_format === undefined));
  compactor.dispose();
  const refusal = { code: "misconfigured", message: /answerFormat/ };
  assert.throws(() => anthropicCompatible({ baseURL, model: "m", answerFormat: "grammar" }), refusal);
  assert.throws(() => openAICompatible({ baseURL, model: "m", answerFormat: "xml" }), refusal);
});
