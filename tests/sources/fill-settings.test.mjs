// The fill-percent system: the settings of its document through the package, also by agent and as YAML, and pruning.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, presets, resolvePolicy } from "epitome";
import { LineCounter, parse, parseDocument, stringify } from "yaml";
import { FORMATS, chatOf, chatOfTokens, compactorOf, compactorWith, preset, said, scripted, toolRound } from "../node/harness.mjs";
import { calling, resulting } from "../node/model-server.mjs";

/** A compactor of the preset with these settings. */
const filled = (format, policy, ...more) => compactorOf(format, preset("fill", undefined, policy), ...more);

const outcomeOf = (report) => report?.outcome ?? "not due";

/** A call with arguments of about this many characters, and its result. */
function writing(format, characters) {
  const call = calling(format, "call_w");
  const text = "x".repeat(characters);
  if (format === "anthropic") {
    call.content[0].input = { text };
  } else {
    call.tool_calls[0].function.arguments = JSON.stringify({ text });
  }
  return [call, resulting(format, "call_w", "ok")];
}

// Configuration: the table

test("b3, b4, c3, d1, d2, d5, d7, d11: every setting has the default of the document's table", async () => {
  const { triggers, reducers, keep, summary } = await resolvePolicy({ preset: "fill" });
  assert.deepEqual(triggers, [{ fill: { fraction: 0.8, maxTokens: 0 } }]);
  assert.deepEqual(reducers, [{ reducer: "deduplicate", when: { fill: { fraction: 0.5, maxTokens: 0 } }, clearAtLeast: 0 }]);
  assert.deepEqual(keep, { messages: 10 });
  const { chunks, agent, defaultAgent, prompt, toolResultMaxCharacters, fallbackLevels } = summary;
  assert.deepEqual({ chunks, agent, defaultAgent, prompt }, { chunks: 1, agent: null, defaultAgent: "summarizer", prompt: null });
  assert.deepEqual([toolResultMaxCharacters, ...fallbackLevels], [200, 150, 100, 50, 0]);
  const pruning = await resolvePolicy({ preset: "fill", reducers: [{ reducer: { clearToolInputs: {} } }] });
  assert.deepEqual(pruning.reducers[0].reducer, { clearToolInputs: { protectFraction: 0.3, argThresholdTokens: 200 } });
});

for (const format of FORMATS) {
  // Per-agent overrides: the document's three examples, and no summarizer at all

  test(`d11, b10: ${format}: agents have thresholds, tails, windows and summarizers of their own`, async () => {
    const policy = {
      window: 40_000,
      summary: { prompts: { Compaction: "Condense." } },
      agents: {
        Own: { summary: { prompt: "Compaction", agent: "FastCompactor" } },
        Fast: { summary: { agent: "FastCompactor" } },
        Late: { triggers: [{ fill: { fraction: 0.95 } }], keep: { messages: 20 } },
        Small: { window: 8_000, modelWindow: 128_000 },
        Pruned: {
          summary: { agent: null, defaultAgent: null },
          reducers: [{ reducer: { clearToolInputs: { protectFraction: 0 } } }],
        },
      },
    };
    const run = async (agent, tokens, first = []) => {
      const hooked = [];
      const options = { agent, beforeCompaction: () => void hooked.push("before"), afterCompaction: () => void hooked.push("after") };
      const { compactor, requests } = await filled(format, policy, [...first, ...chatOfTokens(40, tokens)], options);
      const report = await compactor.compactIfNeeded({ phase: "turnEnd" });
      const stays = compactor.messages().filter((message) => compactor.history().includes(message)).length;
      compactor.dispose();
      return { outcome: outcomeOf(report), summarizer: requests[0]?.summarizer, stays, hooked };
    };
    const agent = (name) => ({ kind: "agent", name });
    const both = ["before", "after"];
    const applied = { outcome: "applied", summarizer: agent("summarizer"), stays: 10, hooked: both };
    const notDue = { outcome: "not due", summarizer: undefined, stays: 40, hooked: [] };
    assert.deepEqual(await run("Anyone", 32_000), applied);
    assert.deepEqual(await run("Own", 32_000), { ...applied, summarizer: { kind: "own", prompt: "Compaction" } });
    assert.deepEqual(await run("Fast", 32_000), { ...applied, summarizer: agent("FastCompactor") });
    assert.deepEqual([await run("Late", 37_999), await run("Late", 38_000)], [notDue, { ...applied, stays: 20 }]);
    assert.deepEqual([await run("Small", 6_399), await run("Small", 6_400)], [notDue, applied]);
    const pruned = await run("Pruned", 32_000, [said("user", "Write."), ...writing(format, 900)]);
    assert.deepEqual(pruned, { outcome: "applied", summarizer: undefined, stays: 42, hooked: [] });
  });

  // Pruning

  const written = writing(format, 900);

  test(`c3: ${format}: pruning is off by default, works after each tool loop, or in compactions`, async () => {
    const clearToolInputs = { protectFraction: 0.3, argThresholdTokens: 200 };
    const modes = {
      off: undefined,
      iteration: [{ reducer: { clearToolInputs }, when: { at: { phase: "loop", trigger: "always" } } }],
      compaction: [{ reducer: { clearToolInputs } }],
    };
    // The pair is old: more than 30 % of the window follow it. It is in the tail, where a compaction leaves it.
    const messages = [...chatOf(20, 100), said("user", "Write."), ...written, ...chatOf(8, 500).slice(1)];
    const isWhole = (compactor) => compactor.messages().includes(written[0]);
    const found = {};
    for (const [mode, reducers] of Object.entries(modes)) {
      const { compactor } = await filled(format, { window: 10_000, ...(reducers && { reducers }) }, messages);
      const steps = [];
      for (const phase of ["requestStart", "turnStart", "turnEnd", "loop"]) {
        await compactor.compactIfNeeded({ phase: phase });
        steps.push(isWhole(compactor));
      }
      await compactor.compact();
      found[mode] = [...steps, isWhole(compactor)];
      compactor.dispose();
    }
    assert.deepEqual(found, {
      off: [true, true, true, true, true],
      iteration: [true, true, true, false, false],
      compaction: [true, true, true, true, false],
    });
  });

  test(`c3: ${format}: the newest messages that cover 30 % of the window are never touched`, async () => {
    const reducers = [{ reducer: { clearToolInputs: {} }, when: "always" }];
    for (const window of [10_000, 200_000]) {
      const prunedWith = async (covered) => {
        const { compactor } = await filled(format, { window, reducers }, [said("user", "Write."), ...written]);
        const pair = compactor.status().tokens - "Write.".length - 4;
        compactor.append(chatOfTokens(4, covered - pair));
        await compactor.compactIfNeeded({ phase: "turnEnd" });
        const pruned = !compactor.messages().includes(written[0]);
        compactor.dispose();
        return pruned;
      };
      const edge = 0.3 * window;
      assert.deepEqual([await prunedWith(edge - 1), await prunedWith(edge), await prunedWith(edge + 1)], [false, false, true], `${window}`);
    }
  });
}

// Pruning of tool-call arguments

const always = (argThresholdTokens) => ({
  reducers: [{ reducer: { clearToolInputs: { protectFraction: 0, argThresholdTokens } }, when: "always" }],
});

/** The arguments that the model sees of a call with these. */
async function pruned(args, argThresholdTokens = 200) {
  const messages = [said("user", "go"), ...toolRound("a", "ok", { args }), said("assistant", "done"), said("user", "so?")];
  const compactor = await compactorWith(always(argThresholdTokens), messages);
  await compactor.compactIfNeeded({ phase: "turnEnd" });
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
  assert.equal((await compactor.compactIfNeeded({ phase: "turnEnd" }))?.outcome, "applied");
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
