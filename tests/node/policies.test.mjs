// Policies from JavaScript: presets, resolved policies, and errors of invalid ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, isEpitomeError, presets, resolvePolicy } from "epitome";
import { chatOf } from "./harness.mjs";

const NAMES = ["recommended", "workstream", "team", "team-aggressive", "team-strong", "team-careful", "team-none", "loop", "fill", "request"];

test("every preset is listed with its resolved policy, which is a valid policy itself", async () => {
  const all = await presets();
  assert.deepEqual(all.map(({ name }) => name), NAMES);
  for (const { name, policy } of all) {
    assert.equal(policy.window, 200_000);
    assert.deepEqual(await resolvePolicy({ preset: name }), policy, name);
    assert.deepEqual(await resolvePolicy(policy), policy, `${name}, as it is written`);
    assert.deepEqual(await resolvePolicy(JSON.parse(JSON.stringify(policy))), policy, `${name}, as JSON`);
  }
});

test("a policy needs only those fields of summary and retry that differ", async () => {
  const policy = await resolvePolicy({ summary: { chunks: 3 }, retry: { attempts: 9 } });
  const plain = await resolvePolicy();
  assert.deepEqual(policy, {
    ...plain,
    summary: { ...plain.summary, chunks: 3 },
    retry: { ...plain.retry, attempts: 9 },
  });
});

test("an invalid policy is refused with the path of its field", async () => {
  const cases = [
    [{ summary: { chunks: -1 } }, "policy.summary.chunks: "],
    [{ summary: { chunk: 1 } }, "policy.summary.chunk: unknown field"],
    [{ keep: { messages: 1.5 } }, "policy.keep.messages: "],
    [{ triggers: [{ tokens: 5 }, { fill: { fraction: "half" } }] }, "policy.triggers[1].fill.fraction: "],
    [{ triggers: [{ at: { phase: "noon", trigger: "always" } }] }, "policy.triggers[0].at.phase"],
    [{ reducers: [{ reducer: { clearToolInputs: { argThreshold: 1 } } }] }, "policy.reducers[0].reducer.clearToolInputs.argThreshold"],
    [{ retry: 7 }, "policy.retry: "],
    [{ window: "big" }, "policy.window: "],
    [{ counting: { charactersPerToken: 0 } }, "policy.counting.charactersPerToken: is 0; give"],
    [{ counting: { encoding: "p50k_base" } }, "policy.counting.encoding: unknown variant `p50k_base`, expected `o200k_base` or `cl100k_base`"],
    [{ windw: 7 }, "policy.windw: unknown field"],
    [{ warning: 7 }, "policy.warning: is 7"],
    [{ agents: { coder: { target: 7 } } }, "policy.agents.coder.target: is 7"],
    [{ agents: { coder: { summary: { chunks: "x" } } } }, "policy.agents.coder.summary.chunks: "],
    [7, "policy: "],
  ];
  for (const [policy, words] of cases) {
    for (const refused of [resolvePolicy(policy, "coder"), createCompactor({ format: "openai-chat", policy, agent: "coder" })]) {
      await assert.rejects(refused, (error) => {
        assert.ok(isEpitomeError(error) && error.code === "invalid-policy", String(error));
        assert.ok(error.message.startsWith(words), `${error.message} / ${words}`);
        return true;
      });
    }
  }
});

test("a policy can be tried before it is set", async () => {
  const compactor = await createCompactor({ format: "openai-chat", policy: { counting: { charactersPerToken: 1 }, window: 4_000 } });
  compactor.append(chatOf(20));
  const before = compactor.status();
  assert.equal(compactor.statusUnder({ window: 2_400 }).level, "compact");
  assert.throws(() => compactor.statusUnder({ window: 0 }), { code: "invalid-policy" });
  assert.deepEqual(compactor.status(), before);
  compactor.dispose();
});
