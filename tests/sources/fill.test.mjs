// The fill-percent system: its document's rules through the package, section by section.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, presets, resolvePolicy, restoreCompactor } from "epitome";
import { LineCounter, parse, parseDocument, stringify } from "yaml";
import { chatOf, compactorWith, said, scripted, toolRound } from "../node/harness.mjs";

// Settings: tool_result_max_length, and the shorter limits of the retries

test("d2: the limit on tool results does not cut the arguments of calls, in no attempt", async () => {
  const args = { path: "src/roses.rs", text: "plant the roses ".repeat(20) };
  const messages = [
    said("user", "go"),
    ...Array.from({ length: 6 }, (_, index) => toolRound(`c${index}`, "r".repeat(400), { args })).flat(),
    ...chatOf(4, 300),
  ];
  const { requests, summarize } = scripted("They planted roses. ".repeat(40));
  const policy = {
    window: 6_000,
    triggers: [{ tokens: 300 }],
    target: 0.9,
    keep: { messages: 4 },
    summary: { fallbackLevels: [150, 50, 0], toolResultMaxCharacters: 200 },
  };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.ok(requests.length > 3, `${requests.length} requests`);
  for (const { input } of requests.slice(0, 4)) {
    assert.ok(input.includes(JSON.stringify(args)), "the arguments are whole");
  }
  assert.equal(requests[3].input.match(/r{3,}/g), null, "the results are cut to nothing");
  compactor.dispose();
});

test("d2: arguments have a limit of their own", async () => {
  const args = { text: "plant the roses ".repeat(20) };
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), ...chatOf(4, 300)];
  const { requests, summarize } = scripted("They planted roses.");
  const policy = { keep: { messages: 2 }, summary: { toolInputMaxCharacters: 30 } };
  const compactor = await compactorWith(policy, messages, { summarize });
  await compactor.compact();
  assert.match(requests[0].input, /calls look \{"text":"plant the roses plant… \[\d+ more characters\]/);
  assert.ok(requests[0].input.includes("look answers: ok"));
  compactor.dispose();
});

// Pruning of tool-call arguments

const always = (argThresholdTokens) => ({
  reducers: [{ reducer: { clearToolInputs: { protectFraction: 0, argThresholdTokens } }, when: "always" }],
});

/** The arguments that the model sees of a call with these. */
async function pruned(args, argThresholdTokens = 200) {
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), said("assistant", "done"), said("user", "so?")];
  const compactor = await compactorWith(always(argThresholdTokens), messages);
  await compactor.maintain("turnEnd");
  const seen = compactor.messages()[1].tool_calls[0].function.arguments;
  compactor.dispose();
  return seen;
}

test("c3: arguments of many short values are pruned, and their names stay", async () => {
  const args = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, `a short value ${at}`]));
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(Object.keys(seen), Object.keys(args));
  assert.ok(Object.values(seen).every((value) => value === "…"));
});

test("c3: arguments that are an array are pruned to its first items", async () => {
  const args = Array.from({ length: 100 }, (_, at) => at);
  const seen = JSON.parse(await pruned(args));
  assert.deepEqual(seen.slice(0, 3), [0, 1, 2]);
  assert.match(seen.at(-1), /^\[\d+ more left out\]$/);
  assert.ok(JSON.stringify(seen).length <= 200);
});

test("c3: arguments at the threshold stay, and one above it are pruned", async () => {
  const args = { text: "x".repeat(189) };
  const { length } = JSON.stringify(args);
  assert.equal(length, 200);
  assert.equal(await pruned(args, 200), JSON.stringify(args));
  assert.deepEqual(JSON.parse(await pruned(args, 199)), { text: "[189 characters left out]" });
});

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
    const policy = { preset: name, keepRequestsTokens: 0 };
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

test("d10: names of people are facts, and what is no name is none", async () => {
  const text = [
    "Yesterday we met with Maria Gonzalez and Jean-Luc van der Berg about the plan.",
    "Priya said that the pumps are late, and Dr. Chen disagrees.",
    "Please ask Tom; it was approved by Olga.",
    "Alice, Bob and Carol agreed on it. My name is Søren O'Neill.",
    "Let us use the API. This Is fine. The end.",
  ];
  const { compactor } = await forgetful({ preset: "recommended", keepRequestsTokens: 0 }, text.join("\n"));
  const { receipt } = await compactor.compact();
  const names = [...receipt.kept, ...receipt.appended, ...receipt.givenUp].filter(({ kind }) => kind === "name");
  const expected = ["Alice", "Bob", "Carol", "Chen", "Jean-Luc van der Berg", "Maria Gonzalez", "Olga", "Priya", "Søren O'Neill", "Tom"];
  assert.deepEqual(names.map((fact) => fact.text).sort(), expected);
  const view = JSON.stringify(compactor.messages());
  assert.deepEqual(expected.filter((name) => !view.includes(name)), []);
  compactor.dispose();
});

// Configuration: the full YAML, and overrides in an agent's front matter. The app reads YAML with a library of its own.

const YAML = `# settings of the app
log: debug
compaction:
  preset: fill
  keep:
    messages: 10
  triggers:
    - fill: { fraction: 0.8, maxTokens: 0 }
  reducers:
    - reducer: deduplicate
      when: { fill: { fraction: 0.5 } }
    - reducer:
        clearToolInputs:
          protectFraction: 0.3
          argThresholdTokens: 200
  summary:
    chunks: 1
    toolResultMaxCharacters: 200
    prompt: null
`;

const AGENTS = {
  Own: "---\nname: Own\nfeatures:\n  compaction:\n    summary: { prompt: conclusions }\n---\n# Own\n\nYou are on your own.\n",
  Fast: "---\nfeatures:\n  compaction:\n    summary: { agent: FastCompactor }\n---\n",
  Late: "---\nfeatures:\n  compaction:\n    triggers: [{ fill: { fraction: 0.95 } }]\n    keep: { messages: 20 }\n---\nYou are late.\n\n---\n",
  Plain: "# Plain\n\n---\nfeatures: none\n---\n",
};

/** The front matter of a Markdown file, behind an empty line in place of its first fence: lines keep their numbers. */
const frontMatter = (markdown) => /^---\r?(\n.*?)^---\r?$/ms.exec(markdown.startsWith("---") ? markdown : "")?.[1] ?? "";

test("h6: settings from YAML and front matter are the same as from JSON", async () => {
  const json = {
    preset: "fill",
    keep: { messages: 10 },
    triggers: [{ fill: { fraction: 0.8, maxTokens: 0 } }],
    reducers: [
      { reducer: "deduplicate", when: { fill: { fraction: 0.5 } } },
      { reducer: { clearToolInputs: { protectFraction: 0.3, argThresholdTokens: 200 } } },
    ],
    summary: { chunks: 1, toolResultMaxCharacters: 200, prompt: null },
  };
  const { compaction } = parse(YAML);
  assert.deepEqual(await resolvePolicy(compaction), await resolvePolicy(json));
  const settings = Object.entries(AGENTS).map(([name, file]) => [name, parse(frontMatter(file))?.features?.compaction ?? {}]);
  const policy = { ...compaction, agents: Object.fromEntries(settings) };
  const own = await resolvePolicy(policy, "Own");
  assert.deepEqual([own.summary.prompt, own.keep], ["conclusions", { messages: 10 }]);
  assert.equal((await resolvePolicy(policy, "Fast")).summary.agent, "FastCompactor");
  const late = await resolvePolicy(policy, "Late");
  assert.deepEqual([late.keep, late.triggers[0].fill.fraction], [{ messages: 20 }, 0.95]);
  assert.deepEqual(await resolvePolicy(policy, "Plain"), await resolvePolicy(compaction));
  const { requests, summarize } = scripted("They worked.");
  const compactor = await createCompactor({ format: "openai-chat", policy: { ...policy, window: 60_000 }, agent: "Own", summarize });
  compactor.append(chatOf(40, 6_000));
  assert.equal((await compactor.maintain("turnEnd"))?.outcome, "applied");
  assert.deepEqual(requests[0].summarizer, { kind: "own", prompt: "conclusions" });
  compactor.dispose();
});

test("h6: every preset survives being written as YAML and read again", async () => {
  for (const { name } of await presets()) {
    const policy = await resolvePolicy({ preset: name });
    assert.deepEqual(await resolvePolicy(parse(stringify(policy))), policy, name);
  }
});

test("h6: an error names the field, by which the YAML library finds the line", async () => {
  const lineOf = async (text, path) => {
    const lineCounter = new LineCounter();
    const document = parseDocument(text, { lineCounter });
    if (document.errors.length > 0) return document.errors[0].linePos[0].line;
    const error = await resolvePolicy(document.getIn(path).toJSON()).then(assert.fail, (error) => error);
    assert.equal(error.code, "invalid-policy", error.message);
    const field = /^policy\.([\w.[\]]+): /.exec(error.message)[1].split(/[.[\]]+/).filter(Boolean);
    return lineCounter.linePos(document.getIn([...path, ...field], true).range[0]).line;
  };
  assert.equal(await lineOf(YAML.replace("messages: 10", "messages: -1"), ["compaction"]), 6);
  assert.equal(await lineOf(YAML.replace("fraction: 0.8", "fraction: 80"), ["compaction"]), 8);
  assert.equal(await lineOf(YAML.replace("chunks: 1", "chunk: 1"), ["compaction"]), 17);
  assert.equal(await lineOf(YAML.replace("messages: 10", "messages: ["), ["compaction"]), 7);
  assert.equal(await lineOf(frontMatter(AGENTS.Late.replace("20", "many")), ["features", "compaction"]), 5);
});
