// Claude's thinking that is locked to what is before it: a block is refused behind any other messages than those that it was
// written behind. The check here follows the provider's published rule and uses nothing of the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { createCompactor, presets } from "epitome";
import { fixtures } from "./fixtures.mjs";
import { conversations, skip } from "./recordings.mjs";

const isThinking = ({ type }) => type === "thinking" || type === "redacted_thinking";
const blocksOf = ({ role, content }) => (role === "assistant" && Array.isArray(content) ? content : []);

/** The thinking blocks in sent messages that the provider refuses: those behind other messages or blocks than in the history
 * that they were written in, which is what was sent before. */
function refused(sent, history) {
  const found = [];
  sent.forEach((message, index) => {
    blocksOf(message).forEach((block, at) => {
      if (isThinking(block)) {
        const before = (blocks) => blocks.slice(0, at);
        const isOwn = history.some(
          (own, place) =>
            place === index &&
            isDeepStrictEqual(sent.slice(0, index), history.slice(0, place)) &&
            isDeepStrictEqual(before(blocksOf(message)), before(blocksOf(own))) &&
            isDeepStrictEqual(block, blocksOf(own)[at]),
        );
        if (!isOwn) {
          found.push(`messages.${index}.content.${at}`);
        }
      }
    });
  });
  return found;
}

const thinkingIn = (messages) => messages.flatMap(blocksOf).filter(isThinking).length;

/** Compacts a session under a preset, for a model that locks its thinking. */
async function compacted(messages, policy) {
  const compactor = await createCompactor({ format: "anthropic", policy: { model: "claude-fable-5-2", ...policy }, summarize: () => "They worked." });
  compactor.append(messages);
  const before = compactor.messages();
  const plan = compactor.plan({ reason: "manual" });
  const report = await compactor.compact({ reason: "manual" });
  const view = compactor.messages();
  compactor.dispose();
  return { before, plan, report, view };
}

async function check(sessions) {
  const seen = { sessions: 0, compactions: 0, removed: 0, kept: 0 };
  for (const { id, messages } of sessions) {
    seen.sessions += 1;
    for (const { name } of await presets()) {
      const compactor = await createCompactor({ format: "anthropic" });
      compactor.append(messages);
      const window = Math.max(400, Math.ceil(compactor.status().tokens * 0.7));
      compactor.dispose();
      const preset = { preset: name, window };
      const place = `${id} ${name}`;

      const { before, plan, report, view } = await compacted(messages, preset);
      assert.deepEqual(refused(view, before), [], place);
      const gone = plan.lockedReasoning;
      assert.ok(gone === undefined || gone.removed, place);
      if (report.outcome === "applied") {
        seen.compactions += 1;
        seen.removed += gone?.parts ?? 0;
      }

      const keeping = await compacted(messages, { ...preset, lockedReasoning: "keep" });
      if (keeping.report.outcome === "applied") {
        assert.equal(refused(keeping.view, before).length, keeping.plan.lockedReasoning?.parts ?? 0, `${place}: the plan names the cost`);
        seen.kept += keeping.plan.lockedReasoning?.parts ?? 0;
      }

      const appending = await compacted(messages, { ...preset, lockedReasoning: "appendOnly" });
      assert.deepEqual(refused(appending.view, before), [], `${place}: append-only`);
      assert.equal(appending.plan.lockedReasoning, undefined, place);
      const own = new Set(messages);
      for (const message of appending.view.filter((message) => blocksOf(message).length > 0)) {
        assert.ok(own.has(message) || thinkingIn([message]) === 0, `${place}: a message that stays keeps its thinking`);
      }
      const kept = appending.view.filter((message) => own.has(message));
      assert.equal(thinkingIn(appending.view), thinkingIn(kept), place);
      const changed = appending.view.filter((message) => !own.has(message) && message.role === "assistant");
      const rest = (message) => blocksOf(message).filter((block) => !isThinking(block));
      for (const message of changed) {
        const stripped = messages.some((original) => thinkingIn([original]) > 0 && isDeepStrictEqual(rest(original), blocksOf(message)));
        assert.ok(!stripped, `${place}: ${JSON.stringify(message)} has lost its thinking`);
      }
    }
  }
  return seen;
}

const withThinking = (sessions) => sessions.filter(({ messages }) => thinkingIn(messages) > 0);

/** Sessions that always exist: a fixture, and one with a thinking block in each of many tool rounds. */
function written() {
  const rounds = Array.from({ length: 12 }, (_, round) => [
    { role: "user", content: `Look at bed ${round}. ${"It is a long bed with roses. ".repeat(6)}` },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: `I have to look at ${round}.`, signature: `signed ${round}` },
        { type: "tool_use", id: `toolu_${round}`, name: "look", input: { bed: round } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${round}`, content: `Roses ${round}. ${"red ".repeat(40)}` }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "They are red.", signature: `signed again ${round}` }, { type: "text", text: "Red roses." }] },
  ]).flat();
  return [...fixtures("anthropic"), { id: "written", messages: rounds }, { id: "in a round", messages: rounds.slice(0, -2) }];
}

test("k7: thinking that is locked to its prefix: every plan names its cost, and every result is legal", async (context) => {
  const seen = await check(withThinking(written()));
  context.diagnostic(JSON.stringify(seen));
  assert.ok(seen.removed > 20 && seen.kept > 20, JSON.stringify(seen));
});

test("k7: the same in recorded sessions", { skip }, async (context) => {
  const all = ["anthropic-messages.jsonl", "anthropic-messages-pi-long-session.jsonl.gz"].flatMap((name) => conversations(name, "shapes"));
  const seen = await check(withThinking(all));
  context.diagnostic(JSON.stringify(seen));
  assert.ok(seen.sessions > 0 && seen.compactions > 0);
});

test("k7: what a summarizer reads has no thinking in it", async () => {
  for (const input of ["transcript", "messages", "conversation"]) {
    const requests = [];
    const policy = { window: 2_000, model: "claude-fable-5-2", summary: { input } };
    const compactor = await createCompactor({ format: "anthropic", policy, summarize: (request) => (requests.push(request), "They worked.") });
    compactor.append(written().at(-2).messages);
    await compactor.compact();
    compactor.dispose();
    assert.ok(requests.length > 0);
    for (const request of requests.filter(({ form }) => form !== "conversation")) {
      assert.ok(!JSON.stringify(request).includes("I have to look at"), input);
    }
  }
});
