// The workstream runtime, continued: how the summary is put back, and the attempts of its queue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, resolvePolicy, restoreCompactor } from "epitome";
import { chatOf, compactorWith, preset, said, scripted } from "../node/harness.mjs";

const FORMATS = ["openai-chat", "anthropic"];
const LABEL = "Compacted context summary:";
const PLACEMENTS = ["systemSummaryTail", "oneMessage", "leadingSystem", "inPlace"];

/** True if both are the same objects in the same order. */
const same = (one, other) => one.length === other.length && one.every((message, index) => message === other[index]);

const count = (messages, text) => JSON.stringify(messages).split(text).length - 1;

/** A compactor with the preset as it is, unless `policy` differs, over these messages. */
async function workstream(format, messages, { policy, ...options } = {}) {
  const compactor = await createCompactor({ format, policy: { preset: "workstream", ...policy }, ...options });
  compactor.append(messages);
  return compactor;
}

// Summary injection

test("d20: there is no label before the first compaction, after a failed one, and after an undo", async () => {
  for (const format of FORMATS) {
    const messages = chatOf(20, 300);
    let fails = true;
    const summarize = () => {
      if (fails) throw new Error("out of order");
      return "KEY FACTS:\n- Roses.";
    };
    const compactor = await workstream(format, messages, { summarize });
    assert.ok(same(compactor.messages(), messages));
    assert.equal((await compactor.compact()).outcome, "failed");
    assert.equal(count(compactor.messages(), LABEL), 0);
    fails = false;
    assert.equal((await compactor.compact()).outcome, "applied");
    assert.equal(count(compactor.messages(), LABEL), 1);
    compactor.undo();
    assert.ok(same(compactor.messages(), messages));
    compactor.dispose();
  }
});

test("d20: the summary is the first message, a system message that begins with the label", async () => {
  const { summarize } = scripted("KEY FACTS:\n- Roses are planted.");
  const compactor = await createCompactor({ format: "openai-chat", policy: preset("workstream", 200_000), summarize });
  compactor.append(chatOf(40, 4_000));
  assert.equal((await compactor.compactIfNeeded({ phase: "turnEnd" }))?.outcome, "applied");
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

// Compaction queue: the attempts

test("h1: a summarizer that is busy is asked twice, the second time after 3 seconds; each wait doubles", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
  for (const [policy, waits] of [[{}, [3_000]], [{ retry: { attempts: 4 } }, [3_000, 6_000, 12_000]]]) {
    let asked = 0;
    const summarize = () => {
      asked += 1;
      throw Object.assign(new Error("busy"), { status: 503 });
    };
    const messages = chatOf(20, 300);
    const compactor = await workstream("openai-chat", messages, { policy, summarize });
    let report;
    const compacted = compactor.compact().then((done) => {
      report = done;
    });
    await turnOfLoop();
    for (const [index, wait] of waits.entries()) {
      assert.deepEqual([asked, report], [index + 1, undefined]);
      context.mock.timers.tick(wait - 1);
      await turnOfLoop();
      assert.equal(asked, index + 1, `not before ${wait} ms`);
      context.mock.timers.tick(1);
      await turnOfLoop();
    }
    await compacted;
    assert.deepEqual([asked, report.outcome, report.message], [waits.length + 1, "failed", "busy"]);
    assert.ok(same(compactor.messages(), messages));
    compactor.dispose();
  }
});
