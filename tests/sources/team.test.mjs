// The team of agents: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, resolvePolicy } from "epitome";
import { chatOf, preset, scripted } from "../node/harness.mjs";

const SUMMARIZING = ["team", "team-aggressive", "team-strong", "team-careful"];

const headingsOf = ({ system }) => system.match(/^## .+$/gm) ?? [];

// Layer 2: conversation compaction

test("d21: every preset of a team asks for conclusions and results, not for the course of the discussion", async () => {
  for (const name of SUMMARIZING) {
    assert.equal((await resolvePolicy({ preset: name })).summary.shape, "conclusions");
    const { requests, summarize } = scripted("## Conclusions\nassistant Alice decided on port 8443.");
    const compactor = await createCompactor({ format: "openai-chat", policy: preset(name, 100_000), summarize });
    compactor.append(chatOf(40, 400));
    const report = await compactor.maintain("turnStart");
    assert.equal(report?.outcome, "applied", name);
    assert.deepEqual(headingsOf(requests[0]), ["## Conclusions", "## Results that matter", "## Open points"]);
    assert.match(requests[0].system, /leave out the way to them/);
    assert.match(requests[0].system, /who said or found/i);
    compactor.dispose();
  }
});

test("d21: the shape and the built-in prompt of that name ask for the same, and headings that are missing are asked for once more", async () => {
  const policy = preset("fill", 20_000);
  const asked = async (summary, ...answers) => {
    const { requests, summarize } = scripted(...answers);
    const compactor = await createCompactor({ format: "openai-chat", policy: { ...policy, summary }, summarize });
    compactor.append(chatOf(30, 400));
    const { outcome, message } = await compactor.compact();
    assert.equal(outcome, "applied", message);
    compactor.dispose();
    return requests;
  };
  const [byShape] = await asked({ shape: "conclusions" }, "They worked.");
  const [byPrompt] = await asked({ prompt: "conclusions" }, "They worked.");
  assert.equal(byShape.system, byPrompt.system);
  assert.deepEqual(byPrompt.summarizer, { kind: "own", prompt: "conclusions" });
  const reminded = await asked({ shape: "conclusions", checkHeadings: true }, "They worked.", "## Conclusions\nThey worked.");
  assert.equal(reminded.length, 2);
});

test("d18: a later summary builds on the conclusions of the one before", async () => {
  const { requests, summarize } = scripted("## Conclusions\nAlice found that port 8443 is free.", "## Conclusions\nBoth.");
  const compactor = await createCompactor({ format: "openai-chat", policy: preset("team", 100_000), summarize });
  for (let round = 0; round < 2; round += 1) {
    compactor.append(chatOf(40, 400).map((message) => ({ ...message, name: `agent-${round}` })));
    assert.equal((await compactor.maintain("turnStart"))?.outcome, "applied");
  }
  const [, previous] = requests[1].input.match(/<previous_summary>\n(.*?)\n<\/previous_summary>/s);
  assert.ok(previous.includes("port 8443 is free"));
  assert.ok(requests[1].input.includes("user agent-1:"), "who said it");
  compactor.dispose();
});
