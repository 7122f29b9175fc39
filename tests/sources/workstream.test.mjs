// The workstream runtime: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, resolvePolicy, restoreCompactor } from "epitome";
import { chatOf, compactorWith, preset, said, scripted } from "../node/harness.mjs";

const LABEL = "Compacted context summary:";
const PLACEMENTS = ["systemSummaryTail", "oneMessage", "leadingSystem", "inPlace"];

const count = (messages, text) => JSON.stringify(messages).split(text).length - 1;

// Summary injection

test("d20: the summary is the first message, a system message that begins with the label", async () => {
  const { summarize } = scripted("KEY FACTS:\n- Roses are planted.");
  const compactor = await createCompactor({ format: "openai-chat", policy: preset("workstream", 200_000), summarize });
  compactor.append(chatOf(40, 4_000));
  assert.equal((await compactor.maintain("turnEnd"))?.outcome, "applied");
  const [first, ...tail] = compactor.messages();
  assert.equal(first.role, "system");
  assert.ok(first.content.startsWith(`${LABEL}\n`), first.content);
  assert.ok(first.content.includes("KEY FACTS:\n- Roses are planted."));
  assert.equal(tail.length, 6);
  compactor.dispose();
});

test("d20: the label is a setting, stands in front of the summary in every layout, and is never nested", async () => {
  for (const summaryPlacement of PLACEMENTS) {
    for (const format of ["openai-chat", "anthropic"]) {
      const { requests, summarize } = scripted("They planted roses.");
      const policy = { keep: { messages: 2 }, summaryPlacement, summary: { label: "What happened before:", ledgerTokens: 0 } };
      let compactor = await compactorWith(policy, [], { format, summarize });
      for (let round = 0; round < 4; round += 1) {
        compactor.append(chatOf(8, 300));
        const report = await compactor.compact();
        assert.equal(report.outcome, "applied", report.message);
        const view = compactor.messages();
        assert.equal(count(view, "What happened before:"), 1, `${summaryPlacement}: ${JSON.stringify(view)}`);
        assert.equal(count(view, "<conversation-summary"), 1);
        const [labelled] = view.filter((message) => JSON.stringify(message).includes("What happened before:"));
        const text = typeof labelled.content === "string" ? labelled.content : labelled.content[0].text;
        assert.ok(text.startsWith("What happened before:\n<conversation-summary "), text);
        assert.equal(report.tokensAfter, compactor.status().tokens, "the label is counted");
        const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
        compactor.dispose();
        compactor = await restoreCompactor(snapshot, { format, originals, summarize });
        assert.deepEqual(compactor.messages(), view);
      }
      assert.equal(count(requests.map(({ input }) => input), "What happened before:"), 0, "the summarizer reads no label");
      compactor.dispose();
    }
  }
});

test("d20: a summary keeps the label that it was made with, and the next one has the label of that time", async () => {
  const labelled = (label) => ({ keep: { messages: 2 }, summary: { label, ledgerTokens: 0 } });
  const compactor = await compactorWith(labelled("One:"), chatOf(8, 300));
  await compactor.compact();
  const first = compactor.messages();
  compactor.append(chatOf(8, 300));
  await compactor.setPolicy({ window: 10_000, counting: { charactersPerToken: 1 }, triggers: ["manual"], reducers: [], ...labelled("Two:") });
  assert.deepEqual(compactor.messages().slice(0, first.length), first, "a policy changes no summary");
  await compactor.compact();
  assert.deepEqual([count(compactor.messages(), "One:"), count(compactor.messages(), "Two:")], [0, 1]);
  compactor.undo();
  assert.deepEqual([count(compactor.messages(), "One:"), count(compactor.messages(), "Two:")], [1, 0]);
  compactor.dispose();
});

test("d20: without the setting there is no label, and a blank one is refused", async () => {
  const { summary } = await resolvePolicy({});
  assert.deepEqual([summary.label, summary.closing], [null, null]);
  for (const field of ["label", "closing"]) {
    await assert.rejects(resolvePolicy({ summary: { [field]: " \n" } }), { code: "invalid-policy", message: new RegExp(`policy\\.summary\\.${field}: is blank`) });
  }
  const compactor = await compactorWith({ keep: { messages: 2 } }, [said("system", "be kind"), ...chatOf(8, 300)]);
  await compactor.compact();
  assert.ok(compactor.messages()[1].content.startsWith("<conversation-summary "));
  compactor.dispose();
});
