// The fill-percent system: what a compaction preserves by its document, through the package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, restoreCompactor } from "epitome";
import { FORMATS, chatOf, compactorOf, preset, said, scripted } from "../node/harness.mjs";

/** A compactor of the preset with these settings. */
const filled = (format, policy, ...more) => compactorOf(format, preset("fill", undefined, policy), ...more);

// What gets preserved: what the summarizer is asked to copy, and the todo state

for (const format of FORMATS) {
  test(`d10: ${format}: paths, packages and decisions are asked for, and the todo state follows every summary`, async () => {
    const facts = ["We keep src/beds/rose.rs as it is.", "We use serde_json 1.0.140.", "We decided to use SQLite, because one file is enough."];
    const requests = [];
    // A summarizer that does what it is asked to: it copies the lines of facts that it reads.
    const summarize = (request) => {
      requests.push(request);
      return ["They worked.", ...facts.filter((fact) => request.input.includes(fact))].join("\n");
    };
    const policy = { window: 60_000 };
    const { compactor } = await filled(format, policy, [said("user", facts.join("\n"))], { summarize });
    for (const todo of ["- [ ] plant\n- [x] dig", "- [x] plant\n- [ ] water", "", "  - any text is kept: <b>&amp;</b>"]) {
      compactor.setTodo(todo);
      compactor.append(chatOf(30, 300).slice(1));
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      const { system, input } = requests.at(-1);
      for (const asked of [/checklists and acceptance criteria/, /file paths, package names and versions/, /decisions with their reasons/]) {
        assert.match(system, asked);
      }
      const [summary] = compactor.messages();
      assert.ok(facts.every((fact) => summary.content.includes(fact)), "also from the earlier summary");
      assert.ok(summary.content.includes(todo));
      assert.equal(summary.content.includes("dig"), todo.includes("dig"), "only the latest state");
      assert.equal(input.includes("water"), todo.includes("water"));
    }
    compactor.dispose();
  });
}

// What gets preserved: requirement checklists and acceptance criteria

const ITEMS = Array.from({ length: 120 }, (_, item) => `- [ ] Requirement ${item + 1}: the greenhouse reports sensor ${item + 1} to the gardener`);

/** A compactor of this policy whose summarizer copies nothing, over a conversation that begins with this text. */
async function forgetful(policy, text, options = {}) {
  const { requests, summarize } = scripted("They talked about a greenhouse.");
  const compactor = await createCompactor({ format: "openai-chat", policy, summarize, ...options });
  compactor.append([said("user", text), ...chatOf(39, 6_000).slice(1)]);
  return { compactor, requests };
}

const linesOf = (messages) => messages.flatMap(({ content }) => String(content).split("\n"));
const itemsIn = (messages) => linesOf(messages).filter((line) => ITEMS.includes(line));
const checklist = (facts) => facts.filter(({ kind }) => kind === "checklist");

for (const name of ["fill", "recommended"]) {
  test(`d10: a checklist of 120 items stays whole through several compactions, by ${name}`, async () => {
    const policy = { preset: name, keepRequestsTokens: 0, window: 100_000 };
    let { compactor } = await forgetful(policy, `Build it.\n\n${ITEMS.join("\n")}\n\nThanks.`);
    for (let round = 0; round < 4; round += 1) {
      const report = await compactor.compact();
      assert.equal(report.outcome, "applied", report.message);
      assert.deepEqual(itemsIn(compactor.messages()), ITEMS, `after compaction ${round + 1}`);
      assert.equal(checklist(report.receipt.appended).length, 120);
      assert.deepEqual(checklist(report.receipt.givenUp), []);
      assert.doesNotMatch(report.summary, /left out/);
      const [snapshot, originals] = [compactor.snapshot(), compactor.history()];
      compactor.dispose();
      compactor = await restoreCompactor(snapshot, { format: "openai-chat", originals, summarize: () => "They went on." });
      compactor.append(chatOf(40, 6_000));
    }
    compactor.undo();
    assert.deepEqual(itemsIn(compactor.messages()), ITEMS);
    compactor.dispose();
  });
}

test("d10: a checklist above the policy's size is cut with a note, and the receipt lists what is left out", async () => {
  for (const checklistTokens of [0, 100, 300, 1_000, 2_000]) {
    const policy = { preset: "fill", counting: { charactersPerToken: 4 }, window: 60_000, summary: { checklistTokens } };
    const { compactor } = await forgetful(policy, ITEMS.join("\n"));
    for (let round = 0; round < 2; round += 1) {
      const { outcome, message, receipt, summary } = await compactor.compact();
      assert.equal(outcome, "applied", message);
      const kept = itemsIn(compactor.messages());
      assert.deepEqual(kept, ITEMS.slice(0, kept.length), "from its beginning");
      assert.equal(checklist(receipt.appended).length, kept.length);
      // Without the setting nothing is known of a list that an earlier summary has lost.
      const known = checklistTokens === 0 && round > 0 ? 0 : 120;
      assert.equal(checklist(receipt.givenUp).length + kept.length, known, `compaction ${round + 1}`);
      assert.ok(kept.join("\n").length / 4 <= checklistTokens, `${kept.length} items in ${checklistTokens} tokens`);
      assert.ok(checklistTokens < 300 || kept.join("\n").length / 4 > checklistTokens * 0.8, `${kept.length} items use ${checklistTokens} tokens`);
      assert.equal(/\[(\d+) .*left out\]/.exec(summary)?.[1], checklistTokens === 0 ? undefined : String(120 - kept.length));
      compactor.append(chatOf(40, 6_000));
    }
    compactor.dispose();
  }
});

test("d10: a list has the state of its latest mention, and one that the tail has is not repeated", async () => {
  const done = ITEMS.map((item, index) => (index < 30 ? item.replace("[ ]", "[x]") : item));
  const { compactor } = await forgetful({ preset: "fill" }, ITEMS.join("\n"));
  compactor.append([said("assistant", `Now:\n${done.slice(0, 60).join("\n")}`), ...chatOf(20, 6_000)]);
  await compactor.compact();
  const lines = linesOf(compactor.messages()).filter((line) => /^- \[.\] Requirement/.test(line));
  assert.deepEqual(lines.sort(), done.toSorted(), "each once, as it was last");
  compactor.append([...chatOf(20, 6_000), said("assistant", done.map((item) => item.replace("[ ]", "[x]")).join("\n")), said("user", "Good.")]);
  const { receipt } = await compactor.compact();
  assert.equal(checklist(receipt.appended).length, 0);
  assert.equal(checklist(receipt.kept).length, 120);
  compactor.dispose();
});

test("d10: acceptance criteria survive: under a heading, labelled, as steps, and as one sentence", async () => {
  const criteria = [
    "1. The gardener sees every sensor within a second",
    "2. A broken sensor is shown in red",
    "AC3: an export has one line per sensor",
    "Scenario: A cold night",
    "Given a greenhouse below four degrees",
    "And a gardener who is asleep",
    "When the alarm is due",
    "Then the heating starts first",
    "But the alarm is not silenced",
    "Given a full log, when a line is added, then the oldest line is removed.",
  ];
  const [one, two, labelled, ...rest] = criteria;
  const steps = rest.slice(0, -1).join("\n  ");
  const text = `Please build it.\n## Acceptance criteria\n${one}\n${two}\n\nOther things:\n- a nice logo\n${labelled}\n\n  ${steps}\n\nAlso: ${rest.at(-1)} That is all.`;
  const { compactor } = await forgetful({ preset: "fill", summary: { ledgerTokens: 0 } }, text);
  const { receipt } = await compactor.compact();
  assert.deepEqual(checklist(receipt.appended).map((fact) => fact.text), criteria);
  const lines = linesOf(compactor.messages());
  assert.deepEqual(criteria.filter((criterion) => !lines.includes(criterion)), []);
  assert.ok(!lines.includes("- a nice logo"));
  compactor.dispose();
});

test("d10: names of people are facts, and other words are not", async () => {
  const text = [
    "Yesterday we met with Maria Gonzalez and Jean-Luc van der Berg about the plan.",
    "Priya said that the pumps are late, and Dr. Chen disagrees.",
    "Please ask Tom; it was approved by Olga.",
    "Alice, Bob and Carol agreed on it. My name is Søren O'Neill.",
    "Let us use the API. This Is fine. The end.",
  ];
  const { compactor } = await forgetful({ preset: "recommended", keepRequestsTokens: 0, window: 100_000 }, text.join("\n"));
  const { receipt } = await compactor.compact();
  const names = [...receipt.kept, ...receipt.appended, ...receipt.givenUp].filter(({ kind }) => kind === "name");
  const expected = ["Alice", "Bob", "Carol", "Chen", "Jean-Luc van der Berg", "Maria Gonzalez", "Olga", "Priya", "Søren O'Neill", "Tom"];
  assert.deepEqual(names.map((fact) => fact.text).sort(), expected);
  const view = JSON.stringify(compactor.messages());
  assert.deepEqual(expected.filter((name) => !view.includes(name)), []);
  compactor.dispose();
});
