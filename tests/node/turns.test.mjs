// One turn: middleware, transforms and context providers around the requests, what is counted of them, and requests whose
// prompt is too long. The scenarios are those that the engine's own runner has, in `crates/epitome/tests/turns.rs`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { contextOverflow, contextProviders, createCompactor, runTurn, validate } from "epitome";
import { chatOf, compactorWith, said, same, toolRound } from "./harness.mjs";
import { calling, resulting, serveModel } from "./model-server.mjs";

const SCENARIOS = JSON.parse(readFileSync(new URL("../fixtures/turns.json", import.meta.url), "utf8"));
const TOO_LONG = Object.assign(new Error("prompt is too long: 210000 tokens > 200000 maximum"), { status: 400 });

/** A conversation in a window of 1,000 tokens, above its threshold or with one question. */
async function compactorOf({ filled, manual }, options) {
  const policy = { window: 1_000, counting: { charactersPerToken: 4 }, reducers: [], ...(manual ? { triggers: ["manual"] } : {}) };
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize: () => "They have talked.", ...options });
  if (filled) {
    const text = (turn) => `Message ${turn}. `.repeat(13);
    compactor.append(Array.from({ length: 20 }, (_, turn) => said(turn % 2 ? "assistant" : "user", text(turn))));
  }
  compactor.append(said("user", "What now?"));
  return compactor;
}

/** The tasks of a scenario's turn, as it writes them. */
async function tasksOf(scenario) {
  const compactor = await compactorOf(scenario, {});
  const tasks = [];
  const { setRequestContext, compact } = compactor;
  compactor.setRequestContext = (context) => {
    tasks.push("count");
    setRequestContext.call(compactor, context);
  };
  let about = "";
  compactor.compact = (options) => {
    tasks.push(`compact ${options.reason}${about}`);
    about = "";
    return compact.call(compactor, options);
  };
  const middleware = (scenario.middleware ?? []).map((answers, index) => {
    const left = structuredClone(answers);
    const ask = (place) => () => {
      tasks.push(`${place} ${index}`);
      const action = left[place]?.shift();
      if (action !== "compact") return action && { action };
      const metadata = { by: `${place} ${index}` };
      about = ` ${JSON.stringify(metadata)}`;
      return { action, metadata };
    };
    const reset = (reason) => void (index === 0 && tasks.push(`reset ${reason}`));
    return { before: ask("before"), after: ask("after"), reset };
  });
  const transforms = Array.from({ length: scenario.transforms ?? 0 }, (_, index) => (messages) => {
    tasks.push(`transform ${index}`);
    return messages;
  });
  const providers = Array.from({ length: scenario.providers ?? 0 }, (_, index) => async () => {
    tasks.push(`provide ${index}`);
    return "The user is Ada.";
  });
  const replies = [...scenario.replies];
  let calls = 0;
  const request = () => {
    tasks.push("send");
    const reply = replies.shift();
    if (reply === "overflow") throw TOO_LONG;
    if (reply === "final") return { messages: said("assistant", "Done.") };
    return { messages: toolRound(`c${(calls += 1)}`, "found") };
  };
  const { maxSteps, maxRetries } = scenario;
  try {
    const { end, compactions } = await runTurn(compactor, { request, middleware, transforms, providers, maxSteps, maxRetries });
    tasks.push(`end ${end}`);
    const asked = compactions.filter(({ metadata }) => metadata !== undefined);
    assert.equal(asked.length, tasks.filter((task) => task.includes("{")).length);
  } catch (error) {
    assert.equal(error, TOO_LONG, "the app gets the server's own error");
    tasks.push("end too-long");
  }
  assert.deepEqual(replies, []);
  compactor.dispose();
  // Without middleware nothing is reset; the engine's runner has the task in any case.
  return middleware.length > 0 ? tasks : withoutResets(tasks);
}

const withoutResets = (tasks) => tasks.filter((task) => !task.startsWith("reset"));

for (const scenario of SCENARIOS) {
  test(`g1: a turn as the engine runs it: ${scenario.name}`, async () => {
    const expected = scenario.middleware === undefined ? withoutResets(scenario.tasks) : scenario.tasks;
    assert.deepEqual(await tasksOf(scenario), expected);
  });
}

test("g2: the usual context comes in its order, in front of the history, and is not stored", async () => {
  const compactor = await compactorWith({}, [said("system", "Be brief."), said("user", "Hello.")]);
  const providers = contextProviders({
    workspace: () => Promise.resolve("Files: a.ts"),
    skills: "Skills: none",
    knowledge: [said("user", "Knowledge: little"), "and more"],
    memory: () => said("user", "Memory: good"),
    date: "Date: 2026-01-01",
    identity: async ({ step }) => `User: Ada, step ${step}`,
  });
  const sent = [];
  const request = (messages) => {
    sent.push(messages.map(({ content }) => content));
    return { messages: sent.length === 1 ? toolRound("c1", "found") : said("assistant", "Hi.") };
  };
  await runTurn(compactor, { request, providers });
  const context = ["Date: 2026-01-01", "Memory: good", "Knowledge: little", "and more", "Skills: none", "Files: a.ts"];
  assert.deepEqual(sent[0], ["Be brief.", "User: Ada, step 1", ...context, "Hello."]);
  assert.deepEqual(sent[1].slice(0, 3), ["Be brief.", "User: Ada, step 2", "Date: 2026-01-01"], "computed for every request");
  assert.deepEqual(compactor.history().map(({ role }) => role), ["system", "user", "assistant", "tool", "assistant"]);
  assert.ok(!compactor.snapshot().includes("Ada"));
  compactor.dispose();
});

test("g2: what providers add is counted in the status and in a plan", async () => {
  const compactor = await compactorWith({ window: 1_000, triggers: [{ tokens: 700 }], target: 0.5 }, chatOf(6));
  const before = compactor.status().tokens;
  const planned = compactor.plan().tokensBefore;
  const seen = [];
  const request = () => {
    seen.push(compactor.status());
    return { messages: said("assistant", "Hi.") };
  };
  const text = "x".repeat(50);
  await runTurn(compactor, { request, providers: [() => text] });
  assert.deepEqual([seen[0].tokens, seen[0].breakdown.context], [before + 54, 54]);
  assert.equal(compactor.plan().tokensBefore, planned + 54 + 4 + 3, "until the next request");
  compactor.setRequestContext({});
  assert.equal(compactor.status().breakdown.context, 0);

  // What providers add can make a compaction due that the history alone does not.
  const reports = await runTurn(compactor, { request, providers: [() => "x".repeat(120)] });
  assert.deepEqual(reports.compactions.map(({ report }) => [report.reason, report.outcome]), [["threshold", "applied"]]);
  assert.ok(compactor.status().tokens < 700);
  compactor.dispose();
});

test("g3: transforms rewrite one request from left to right, and what they leave out is not counted", async () => {
  const compactor = await compactorWith({}, [...chatOf(4), said("user", "My key is 1234.")]);
  const kept = compactor.messages();
  const sent = [];
  const transforms = [
    (messages) => messages.slice(2),
    async (messages) => messages.map((message) => (message.content.includes("1234") ? { ...message, content: "My key is ****." } : message)),
    (messages) => [...messages.slice(0, -1), { ...messages.at(-1), content: `${messages.at(-1).content}!` }],
  ];
  const before = compactor.status().tokens;
  let during;
  const request = (messages, { status }) => {
    sent.push(...messages);
    during = status.tokens;
    return {};
  };
  await runTurn(compactor, { request, transforms });
  assert.ok(same(sent.slice(0, 2), kept.slice(2, 4)), "untouched messages are the app's objects");
  assert.equal(sent.at(-1).content, "My key is ****.!");
  assert.equal(during, before - 2 * 100 + 1);
  assert.ok(same(compactor.messages(), kept), "the history stays as it is");
  compactor.dispose();
});

/** What happens in a private part of a conversation of a team: the planner asks the critic. */
function team(options) {
  const question = said("user", "Plan the bridge.");
  const secret = said("user", "Is the SECRET budget enough?");
  const policy = { window: 4_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0, keep: { messages: 2 } };
  return createCompactor({ format: "openai-chat", policy, summarize: () => "They talked of a SECRET budget.", ...options }).then((compactor) => {
    compactor.append([...chatOf(10), question], { author: "user" });
    compactor.append(secret, { author: "planner", audience: ["critic"] });
    return compactor;
  });
}

test("g1: an agent runs a turn over what it sees; its tools and its answer are for those whom the turn names", async () => {
  const sent = [];
  const server = await serveModel("openai-chat", {
    refuses: ({ messages }) => (sent.push(messages), sent.length === 1 ? "This model's maximum context length is 1000 tokens. However, your messages resulted in 1200 tokens." : undefined),
    answer: ({ messages }) => (messages.at(-1).role === "tool" ? "The SECRET budget is not enough." : calling("openai-chat", "c1")),
  });
  const compactor = await team();
  const [critic, planner, writer] = ["critic", "planner", "writer"].map((name) => compactor.agent(name));
  const others = () => JSON.stringify([compactor, writer].map((view) => [view.messages(), view.status(), view.history(), view.session()]));
  const before = others();
  const places = [];
  const request = async (messages) => {
    const { message, usage } = await server.ask(messages);
    return { messages: message, usage };
  };
  const { end, steps, compactions } = await runTurn(critic, {
    request,
    tools: ({ messages: { tool_calls: calls = [] } }) => calls.map(({ id }) => resulting("openai-chat", id, "SECRET: 7 bolts.")),
    middleware: [{ before: ({ step }) => void places.push(`before ${step}`), after: ({ step }) => void places.push(`after ${step}`), reset: (reason) => void places.push(reason) }],
    transforms: [(messages) => messages.filter(({ content }) => !content?.startsWith("Turn 8: "))],
    providers: [() => "The critic knows bridges."],
    metadata: { audience: ["planner"] },
  });
  server.close();
  assert.deepEqual([end, steps], ["answered", 2]);
  assert.deepEqual(places, ["before 1", "reactive-full", "after 1", "before 2", "after 2"]);
  assert.deepEqual(compactions.map(({ report }) => [report.reason, report.outcome, report.agent]), [["reactive-full", "applied", "critic"]]);
  assert.ok(JSON.stringify(sent[0]).includes("SECRET budget enough"));
  assert.ok(!JSON.stringify(sent[0]).includes("Turn 8: ") && JSON.stringify(critic.history()).includes("Turn 8: "));
  assert.deepEqual(sent.map(([first]) => first.content), Array(3).fill("The critic knows bridges."));
  const answered = ["The SECRET budget is not enough.", "SECRET: 7 bolts."];
  for (const view of [critic, planner]) {
    assert.ok(answered.every((text) => view.history().some(({ content }) => content === text)), view.name);
  }
  assert.equal(others(), before, "nothing has changed for anybody else");
  assert.ok(!before.includes("SECRET") && compactor.snapshot().includes("SECRET") && !compactor.snapshot().includes("knows bridges"));
  assert.equal(planner.session(), 1, "the compaction was the critic's own");
  assert.ok(critic.status().statistics.sessionCompletionTokens > 0);
  assert.equal(compactor.status().statistics.sessionCompletionTokens, 0);
  compactor.dispose();
});

test("g1: what an agent appends is its own, and for all unless it names an audience", async () => {
  const compactor = await team();
  const [critic, writer] = ["critic", "writer"].map((name) => compactor.agent(name));
  await runTurn(critic, { request: () => ({ messages: said("assistant", "The bridge is sound.") }) });
  assert.equal(compactor.history().at(-1).content, "The bridge is sound.");
  const id = critic.append(said("assistant", "A note to the writer."), { audience: ["writer"] })[0];
  const [other] = critic.append([said("user", "The user said so.")], { author: "user", pinned: true });
  assert.deepEqual([compactor.metadata(other).author, compactor.metadata(other).pinned], ["user", true]);
  for (const view of [critic, writer]) {
    assert.equal(view.message(id).content, "A note to the writer.");
    assert.deepEqual([view.metadata(id).author, view.metadata(id).audience], ["critic", ["writer"]]);
  }
  assert.ok(!compactor.history().some(({ content }) => content === "A note to the writer."));
  const { length } = critic.history();
  assert.throws(() => critic.append(said("user", "No."), "secretly"), { code: "invalid-option" });
  assert.throws(() => critic.append(said("user", "No."), { audience: 3 }), { code: "invalid-option" });
  assert.throws(() => critic.append(3), { code: "invalid-message" });
  assert.equal(critic.history().length, length);
  compactor.dispose();
  assert.throws(() => critic.append(said("user", "No.")), { code: "disposed" });
});

test("g2: a provider's messages are sent as the model's provider accepts them", async () => {
  const summarize = () => "They worked.";
  const compactor = await createCompactor({ format: "gemini", policy: { window: 10_000 }, summarize });
  compactor.append({ role: "user", parts: [{ text: "Hello." }] });
  let sent;
  const request = (messages) => {
    sent = messages;
    return { messages: { role: "model", parts: [{ text: "Hi." }] } };
  };
  await runTurn(compactor, { request, providers: [() => "User: Ada", () => "Date: today"] });
  assert.deepEqual(await validate(sent, "gemini"), []);
  assert.match(JSON.stringify(sent), /User: Ada.*Date: today.*Hello\./);
  compactor.dispose();
});

test("g6: the numbers of steps and sessions go on after a compaction", async () => {
  const compactor = await compactorOf({ filled: true, manual: true });
  const seen = [];
  let calls = 0;
  const middleware = [
    {
      before: ({ step, session }) => void seen.push([step, session]),
      after: ({ step }) => (step === 1 ? { action: "compact" } : undefined),
    },
  ];
  const request = () => ({ messages: (calls += 1) === 1 ? toolRound("c1", "found") : said("assistant", "Done.") });
  const { steps } = await runTurn(compactor, { request, middleware });
  assert.deepEqual([steps, seen], [2, [[1, 1], [2, 2]]]);
  compactor.dispose();
});

test("a turn with tools appends answers and results, and reports the usage", async () => {
  const compactor = await compactorWith({}, [said("user", "Look.")]);
  const [call, result] = toolRound("c1", "found");
  const answers = [{ messages: call, usage: { promptTokens: 100, completionTokens: 7 } }, { messages: said("assistant", "There."), usage: null }];
  const tools = (response) => (response.messages === call ? [result] : undefined);
  const { end, steps } = await runTurn(compactor, { request: () => answers.shift(), tools });
  assert.deepEqual([end, steps, compactor.history().length], ["answered", 2, 4]);
  assert.equal(compactor.status().statistics.sessionCompletionTokens, 7);
  compactor.dispose();
});

test("a turn rejects with what its functions throw, and with the reason of its signal", async () => {
  const compactor = await compactorWith({}, [said("user", "Look.")]);
  const error = new Error("the line is cut");
  const request = () => {
    throw error;
  };
  await assert.rejects(runTurn(compactor, { request }), error);
  await assert.rejects(runTurn(compactor, { request: () => ({}), providers: [request] }), error);
  const reason = new Error("the user left");
  await assert.rejects(runTurn(compactor, { request, middleware: [{ before() {} }], signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(runTurn(compactor, {}), { code: "invalid-option" });
  assert.equal(compactor.history().length, 1);
  compactor.dispose();
});

const overflow = { requestedTokens: 6972, limitTokens: 1024 };
const LLAMA = { error: { code: 400, message: "request (6972 tokens) exceeds the available context size (1024 tokens)", type: "exceed_context_size_error", n_prompt_tokens: 6972, n_ctx: 1024 } };
const WRAPPED = {
  "an SDK's error with a status and a code": Object.assign(new Error("400 Your input is long"), { status: 400, code: "context_length_exceeded" }),
  "an SDK's error with the server's object": Object.assign(new Error("400"), { status: 400, error: { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 6972 tokens > 1024 maximum" } } }),
  "the AI SDK's error with the body as text": Object.assign(new Error("Bad Request"), { statusCode: 400, responseBody: JSON.stringify(LLAMA) }),
  "a retry error around it": Object.assign(new Error("Failed after 3 attempts"), { lastError: Object.assign(new Error("Bad Request"), { statusCode: 400, data: LLAMA }) }),
  "an error whose cause it is": new Error("the agent failed", { cause: Object.assign(new Error("x"), LLAMA) }),
  "AWS": Object.assign(new Error("Input is too long for requested model."), { name: "ValidationException", $metadata: { httpStatusCode: 400 } }),
  "a text": "request (6972 tokens) exceeds the available context size (1024 tokens)",
};

test("b9: a prompt that is too long is recognized inside the errors of clients, and nothing else is", async () => {
  for (const [what, error] of Object.entries(WRAPPED)) {
    const found = await contextOverflow(error);
    assert.ok(found !== undefined, what);
    if (found.limitTokens !== undefined) assert.deepEqual(found, overflow, what);
  }
  const circle = new Error("round");
  circle.cause = circle;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const limited = Object.assign(new Error("Rate limit reached: context window exceeded"), { status: 429 });
  for (const error of [undefined, null, 7, new Error("fetch failed"), circle, proxy, limited, new DOMException("stop", "AbortError")]) {
    assert.equal(await contextOverflow(error), undefined);
  }
});
