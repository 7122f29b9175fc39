// A team of agents in one conversation: each has a view, a policy, compactions and an undo of its own.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { memoryStore, openConversation } from "epitome/storage";
import { FORMATS, said, scripted } from "./harness.mjs";

const POLICY = { window: 10_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], minSaving: 0, keepRequestsTokens: 0, keep: { messages: 2 } };

/** Messages of a team: in each turn a question, a note of the planner to the critic, and an answer. */
function turns(count) {
  return Array.from({ length: count }, (_, turn) => [
    [said("user", `Question ${turn} for all of the team.`), { author: "user" }],
    [said("assistant", `The planner doubts the budget of SECRET-417${turn}.`), { author: "planner", audience: ["critic"] }],
    [said("assistant", `Answer ${turn} of the planner to all.`), { author: "planner" }],
  ]).flat();
}

async function teamOf(format, options = {}, count = 6) {
  const compactor = await createCompactor({ format, policy: POLICY, summarize: () => "They worked.", ...options });
  const messages = turns(count);
  messages.forEach(([message, metadata]) => compactor.append(message, metadata));
  return { compactor, messages: messages.map(([message]) => message) };
}

/** Goes on to the next task with an agent or a compactor, and returns the report. */
async function transition(view) {
  const report = await view.compactIfNeeded({ phase: "turnEnd" });
  assert.deepEqual([report?.reason, report?.outcome], ["task-transition", "applied"]);
  return report;
}

const hasSecrets = (value) => JSON.stringify(value).includes("SECRET");

for (const format of FORMATS) {
  test(`f1: ${format}: each agent gets its own messages, as the app's objects, and compacts its own view`, async () => {
    const { requests, summarize } = scripted("They worked.");
    const { compactor, messages } = await teamOf(format, { summarize });
    const [critic, planner, writer] = ["critic", "planner", "writer"].map((name) => compactor.agent(name));
    assert.deepEqual(compactor.agents(), ["critic", "planner", "writer"]);
    const shared = messages.filter((message) => !hasSecrets(message));
    for (const view of [compactor, writer]) {
      assert.deepEqual(view.history(), shared);
      assert.ok(!hasSecrets([view.messages(), view.findings(), view.plan().actions]));
      assert.equal(view.plan().actions.length, shared.length);
    }
    for (const view of [critic, planner]) {
      assert.ok(view.history().every((message, index) => message === messages[index]));
      assert.equal(view.history().length, messages.length);
      assert.ok(view.status().tokens > writer.status().tokens);
    }
    const before = [compactor, planner, writer].map((view) => JSON.stringify(view.messages()));
    assert.equal((await critic.compact()).outcome, "applied");
    assert.ok(hasSecrets(requests.at(-1)));
    assert.ok(critic.messages().length < messages.length);
    assert.deepEqual([compactor, planner, writer].map((view) => JSON.stringify(view.messages())), before);
    assert.equal((await writer.compact()).outcome, "applied");
    assert.ok(!hasSecrets([requests.at(-1), writer.messages()]));
    critic.undo();
    assert.equal(JSON.stringify(critic.messages()), before[1], "the critic gets what the planner gets");
    assert.notEqual(JSON.stringify(writer.messages()), before[2]);
    compactor.append(said("user", "A last question for all."), { author: "user" });
    assert.equal(writer.history().at(-1).content, "A last question for all.");
    for (const view of [compactor, writer, critic]) {
      assert.deepEqual(view.ids().map((id) => view.message(id)), view.history());
    }
    compactor.dispose();
    assert.throws(() => critic.status(), { code: "disposed" });
  });

  test(`f1: ${format}: agents go on after a restore, from a snapshot and from a store`, async () => {
    const store = memoryStore();
    const options = { format, policy: POLICY, summarize: () => "They worked." };
    const { compactor } = await openConversation({ store, id: "team", ...options });
    const messages = turns(6);
    messages.forEach(([message, metadata]) => compactor.append(message, metadata));
    await compactor.agent("critic").compact();
    compactor.agent("critic").setPolicy({ ...POLICY, window: 8_000 });
    await compactor.commit();
    const seen = (one) => ["critic", "planner", "writer"].map((name) => [one.agent(name).messages(), one.agent(name).status()]);
    const before = seen(compactor);
    assert.equal(before[0][1].window, 8_000);
    const originals = messages.map(([message]) => message);
    const restored = await restoreCompactor(compactor.snapshot(), { format, originals, summarize: () => "They worked." });
    assert.deepEqual(seen(restored), before);
    compactor.dispose();
    const { compactor: reopened } = await openConversation({ store, id: "team", ...options });
    assert.deepEqual(seen(reopened), before);
    reopened.agent("critic").undo();
    assert.equal(reopened.agent("critic").messages().length, originals.length);
    reopened.dispose();
    restored.dispose();
  });
}

test("f1: an agent has its own settings, from its options or from those of the team for it", async () => {
  const policy = { ...POLICY, agents: { critic: { window: 5_000 } } };
  const asked = [];
  const { compactor } = await teamOf("openai-chat", { policy });
  const summarize = (request) => {
    asked.push(request);
    return "The writer's own.";
  };
  assert.equal(compactor.agent("critic").status().window, 5_000);
  const writer = compactor.agent("writer", { policy: { ...POLICY, window: 7_000 }, summarize });
  assert.equal(writer.status().window, 7_000);
  assert.equal(compactor.status().window, 10_000);
  assert.equal((await writer.compact()).summary, "The writer's own.");
  assert.equal(asked.length, 1);
  assert.equal(compactor.agent("writer"), writer);
  compactor.dispose();
});

test("f1: an agent that is asked for after the team's policy was set has the settings of that one", async () => {
  const { compactor } = await teamOf("openai-chat", { policy: { ...POLICY, agents: { critic: { window: 5_000 } } } });
  compactor.setPolicy({ ...POLICY, window: 20_000, agents: { critic: { window: 6_000 } } });
  assert.deepEqual(["critic", "writer"].map((name) => compactor.agent(name).status().window), [6_000, 20_000]);
  compactor.dispose();
});

test("f1: an agent counts by its own tokenizer, which is loaded with the team's, also after a restore", async () => {
  const own = { ...POLICY, counting: { encoding: "o200k_base" } };
  const { compactor } = await teamOf("openai-chat", { policy: { ...POLICY, agents: { critic: own } } });
  const tokens = (conversation) => ["critic", "writer"].map((name) => conversation.agent(name).status().tokens);
  const before = tokens(compactor);
  assert.ok(before[0] < before[1], `the critic sees more, and a character is a token for the writer only: ${before}`);
  assert.ok(compactor.agent("critic").status().exact);
  const restored = await restoreCompactor(compactor.snapshot(), { format: "openai-chat", originals: compactor.history() });
  assert.deepEqual(tokens(restored), before);
  restored.agent("critic").setPolicy(POLICY);
  assert.ok(tokens(restored)[0] > before[1], "it has notes that the writer has not");
  restored.dispose();
  compactor.dispose();
});

test("f1: an edit, a removal and another branch reach every agent; an edit shows nothing to others", async () => {
  const { compactor, messages } = await teamOf("openai-chat");
  const critic = compactor.agent("critic");
  const writer = compactor.agent("writer");
  await critic.compact();
  compactor.edit("m1", said("assistant", "SECRET no more."));
  assert.equal(critic.messages().length, messages.length, "its summary was about the message as it was");
  assert.equal(critic.history()[1].content, "SECRET no more.");
  assert.deepEqual(compactor.metadata("m1").audience, ["critic"]);
  assert.throws(() => compactor.edit("m1", said("assistant", "For others."), { audience: ["writer"] }), { code: "private-message" });
  assert.throws(() => compactor.edit("m0", said("user", "For few."), { audience: ["critic"] }), { code: "private-message" });
  assert.throws(() => compactor.truncate("m1"), { code: "private-message" });
  compactor.remove("m4");
  assert.equal(critic.history().length, messages.length - 1);
  assert.equal(compactor.history().length, 12);
  compactor.truncate("m5");
  compactor.append(said("user", "Another question."), { author: "user" });
  assert.deepEqual(writer.history(), compactor.history());
  assert.equal(critic.history().length, 6);
  assert.ok(!hasSecrets([writer.messages(), compactor.messages()]));
  compactor.switchTo("m17");
  assert.equal(critic.history().length, messages.length - 1);
  compactor.dispose();
});

test("f1: a search of one agent finds what it has read, and nothing else", async () => {
  const ranking = [];
  const rankRecall = (_, candidates, { agent }) => {
    ranking.push([agent, hasSecrets(candidates)]);
    return [{ id: "m1", score: 2 }, ...candidates];
  };
  const { compactor } = await teamOf("openai-chat", { rankRecall });
  const [critic, writer] = ["critic", "writer"].map((name) => compactor.agent(name));
  await critic.compact();
  await writer.compact();
  await compactor.compact();
  assert.ok(hasSecrets(await critic.recall("secret budget doubts")));
  assert.ok(!hasSecrets(await writer.recall("secret budget doubts")));
  assert.ok(!hasSecrets(await compactor.recall("secret budget doubts")));
  assert.deepEqual(ranking, [["critic", true], ["writer", false], [undefined, false]], "the app's ranking gets the name of the agent that searches");
  compactor.dispose();
});

for (const format of FORMATS) {
  test(`f1: ${format}: whatever the handlers of a team get of an agent has its name, and nothing of the team's own is private`, async () => {
    const heard = [];
    const hear = (what, answer) => (news) => (heard.push({ what, agent: news.agent, isPrivate: hasSecrets(news), news }), answer);
    const summarize = (request, { onDelta }) => {
      hear("summarize")(request);
      const [secret = "nothing"] = /SECRET-\d+/.exec(JSON.stringify([request.input, request.messages])) ?? [];
      onDelta(`They spoke of ${secret}.`);
      return `They spoke of ${secret}.\n\`\`\`json\n{"decisions": ["About ${secret}."]}\n\`\`\``;
    };
    const { compactor } = await teamOf(format, {
      policy: { ...POLICY, summary: { structuredState: true } },
      onEvent: hear("event"),
      beforeCompaction: hear("before"),
      afterCompaction: hear("after"),
      save: hear("save"),
      countTokens: (messages, { agent }) => hear("count", 700)({ messages, ...(agent && { agent }) }),
      summarize,
    }, 12);
    const ofAgent = { critic: compactor.agent("critic"), planner: compactor.agent("planner") };
    const seen = [];
    compactor.subscribe(({ messages }) => seen.push(messages));
    for (const [agent, view] of [...Object.entries(ofAgent), [undefined, compactor]]) {
      heard.length = 0;
      const onEvent = hear("own event");
      const report = await view.compact({ onEvent });
      assert.deepEqual([report.outcome, report.agent], ["applied", agent]);
      const state = { decisions: [{ text: agent === undefined ? "All agree." : "SECRET-1 is settled." }] };
      view.setStructuredState(state);
      view.undo();
      const types = new Set(heard.map(({ what, news }) => news.type ?? what));
      for (const type of ["before", "save", "summarize", "start", "delta", "after", "stateChanged", "count", "counted", "end"]) {
        assert.ok(types.has(type), type);
      }
      const end = heard.find(({ news }) => news.type === "end").news;
      assert.equal(end.report.agent, agent);
      assert.deepEqual(heard.filter((one) => one.agent !== agent), [], "of nobody else");
      const privates = heard.filter(({ isPrivate }) => isPrivate).map(({ what, news }) => news.type ?? what);
      const expected = ["count", "delta", "end", "stateChanged", "summarize"];
      assert.deepEqual([...new Set(privates)].sort(), agent === undefined ? [] : expected);
      assert.ok(heard.every(({ news }) => agent !== undefined || !("agent" in news)));
    }
    assert.ok(seen.length > 1 && !hasSecrets(seen), "a subscription is to the view of the one that it is of");
    compactor.dispose();
  });
}

test("f1: a count of an agent's messages is not used if its team has gone on meanwhile", async () => {
  const heard = [];
  let appended = [];
  const { compactor } = await teamOf("openai-chat", {
    countTokens: () => (compactor.append(appended, { author: "user" }), 123),
    onEvent: ({ type, agent }) => type.startsWith("count") && heard.push([type, agent]),
  });
  const [critic, writer] = [compactor.agent("critic"), compactor.agent("writer")];
  await writer.compact();
  assert.equal(writer.status().tokens, 123);
  appended = [said("user", "Another question, while it is counted.")];
  await critic.compact();
  assert.deepEqual(heard, [["counted", "writer"], ["countFailed", "critic"]]);
  assert.notEqual(critic.status().tokens, 123);
  compactor.dispose();
});

test("f1: the app's array may have messages that are only for some agents", async () => {
  const { compactor, messages } = await teamOf("openai-chat");
  const more = [...messages, said("user", "One more.")];
  const report = compactor.sync(more, { author: "user" });
  assert.equal(report.appended.length, 1);
  assert.deepEqual([report.removed, report.inserted, report.changed, report.left], [[], [], [], []]);
  assert.throws(() => compactor.sync(more, { audience: ["critic"] }), { code: "invalid-option" });
  assert.equal(compactor.agent("critic").history().length, more.length);
  compactor.dispose();
});

for (const format of FORMATS) {
  test(`f3: ${format}: after a completed task each agent starts from a summary of its own view, with one call`, async () => {
    const { requests, summarize } = scripted("They worked.");
    const { compactor } = await teamOf(format, { summarize });
    const [critic, writer] = [compactor.agent("critic"), compactor.agent("writer")];
    assert.equal(await critic.compactIfNeeded({ phase: "turnEnd" }), undefined);
    compactor.completeTask("design");
    compactor.append(said("user", "The next task."), { author: "user" });
    for (const agent of [critic, writer]) {
      await transition(agent);
      assert.equal(agent.messages().length, 2, "the summary and the next task");
      assert.equal(await agent.compactIfNeeded({ phase: "turnEnd" }), undefined, "once");
    }
    assert.deepEqual(requests.map(hasSecrets), [true, false]);
    assert.throws(() => compactor.completeTask(3), { code: "invalid-option" });
  });

  test(`f5: ${format}: one agent writes the summary of a task, and the others take it over without a request`, async () => {
    const { requests, summarize } = scripted("The planner answered all questions.");
    const policy = { ...POLICY, tasks: { sharedBy: "planner" }, agents: { planner: { summary: { agent: "large" } } } };
    // Enough for a summary that has room for facts behind the text.
    const { compactor } = await teamOf(format, { summarize, policy }, 40);
    const agents = ["critic", "planner", "writer"].map((name) => compactor.agent(name));
    compactor.completeTask("design");
    assert.equal(agents[0].due("turnEnd"), undefined, "not before it is written");
    await transition(compactor);
    for (const agent of agents) {
      const report = await transition(agent);
      assert.ok(report.summary.startsWith("The planner answered all questions."));
      assert.equal(hasSecrets(agent.messages()), agent.name !== "writer", "facts of private messages");
    }
    assert.equal(requests.length, 1);
    assert.deepEqual(requests[0].summarizer, { kind: "agent", name: "large" });
    assert.ok(!hasSecrets(requests));
  });
}

test("f2: a task with fewer tokens than the policy asks for stays as it is", async () => {
  for (const [minTokens, reason] of [[100_000, undefined], [10, "task-transition"]]) {
    const { compactor } = await teamOf("openai-chat", { policy: { ...POLICY, tasks: { minTokens } } });
    compactor.completeTask("design");
    assert.equal(compactor.agent("critic").check("turnEnd"), reason);
  }
  await assert.rejects(createCompactor({ format: "openai-chat", policy: { tasks: { sharedBy: " " } } }), /tasks.sharedBy/);
});

test("f4: a line that names nobody gets its author; a constraint that is pinned for an agent stays and is on its receipt", async () => {
  const compactor = await createCompactor({
    format: "openai-chat",
    policy: POLICY,
    summarize: () => "question 4 for all of the team\nplanner answered.\nThe sun shines.",
  });
  const [limit] = compactor.append(said("user", "Never name the price."), { author: "user", audience: ["critic"], pinned: true });
  turns(6).forEach(([message, metadata]) => compactor.append(message, metadata));
  for (const name of ["critic", "writer"]) {
    const agent = compactor.agent(name);
    const report = await agent.compact();
    assert.ok(report.summary.startsWith("question 4 for all of the team (user)\nplanner answered.\nThe sun shines."), report.summary);
    assert.deepEqual(report.receipt.unattributed, ["The sun shines."]);
    assert.deepEqual(report.receipt.pinned, name === "critic" ? [limit] : undefined);
    assert.equal(agent.messages().some(({ content }) => content === "Never name the price."), name === "critic");
  }
});

/** How many characters two texts have in common at their beginning. */
function common(one, other) {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  const differs = left.findIndex((byte, index) => byte !== right[index]);
  return differs === -1 ? left.length : differs;
}

for (const format of FORMATS) {
  test(`f3: ${format}: the requests of all agents begin with the same bytes, also after a summary that they share`, async () => {
    const { summarize } = scripted("The planner answered all questions of the team.");
    const policy = { ...POLICY, window: 40_000, tasks: { sharedBy: "planner" } };
    const compactor = await createCompactor({ format, policy, summarize });
    const agents = ["planner", "critic", "writer"].map((name) => compactor.agent(name));
    const requests = () => agents.map((agent) => JSON.stringify(agent.messages()));
    const all = Array.from({ length: 10 }, (_, at) => said(at % 2 ? "assistant" : "user", `Message ${at} for all of the team.`));
    compactor.append(all, { author: "planner" });
    const shared = requests();
    assert.deepEqual(shared, [shared[0], shared[0], shared[0]]);
    turns(40).forEach(([message, metadata]) => compactor.append(message, metadata));
    for (const request of requests()) {
      assert.ok(request.startsWith(shared[0].slice(0, -1)), "what was sent before stands in front");
    }
    compactor.completeTask("design");
    await transition(compactor);
    for (const agent of agents) {
      await transition(agent);
    }
    const [text] = /[^]*(?=\\n<.conversation-summary>)/.exec(JSON.stringify(compactor.messages()));
    for (const request of requests()) {
      assert.ok(common(request, text) >= text.length - 1, `${common(request, text)} of ${text.length}`);
    }
    compactor.dispose();
  });
}

test("f2: how often each layer has worked is counted for each agent", async () => {
  const { compactor } = await teamOf("openai-chat", {}, 20);
  const [critic, writer] = [compactor.agent("critic"), compactor.agent("writer")];
  assert.equal((await critic.compact()).outcome, "applied");
  compactor.completeTask("design");
  turns(20).forEach(([message, metadata]) => compactor.append(message, metadata));
  compactor.completeTask("review");
  await transition(critic);
  assert.deepEqual(critic.layers(), { reduced: 0, summarized: 1, transitions: 1 });
  assert.deepEqual([writer.layers(), compactor.layers()], Array(2).fill({ reduced: 0, summarized: 0, transitions: 0 }));
  critic.undo();
  assert.deepEqual(critic.layers(), { reduced: 0, summarized: 1, transitions: 0 });
  compactor.dispose();
});
