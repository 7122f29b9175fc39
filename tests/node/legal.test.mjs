// The result of a compaction, in every format, under every preset and in twenty windows: legal by two independent checks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, createCompactor, presets, validate } from "epitome";
import { examples } from "../out/conformance/examples/index.js";
import { instances, stored } from "../out/conformance/examples/langchain.js";
import { checks } from "../out/conformance/index.js";
import { asBedrock, asLangChain, asResponses } from "../out/conformance/rewritten.js";
import { fixtures } from "./fixtures.mjs";
import { conversations, skip } from "./recordings.mjs";

const WINDOWS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
// In smaller windows, some triggers that are scaled to the window are 0 tokens.
const SMALLEST = 100;
// For conversations of hundreds of thousands of tokens, and for fixtures: their shapes are those of the stories.
const FEW_WINDOWS = [0.1, 0.3, 0.5, 0.75, 1];

const PRESETS = await presets();

// The fields of triggers that are in tokens.
const SIZES = new Set(["outputReserve", "safetyMargin", "maxTokens", "triggerTokens", "tokens"]);

/** A preset scaled to this window: its triggers are meant for the preset's own window. */
function inWindow({ name, policy }, window) {
  const scaled = (key, value) => (SIZES.has(key) ? Math.floor((value * window) / policy.window) : value);
  return { preset: name, window, triggers: JSON.parse(JSON.stringify(policy.triggers), scaled) };
}

/** Why these messages would be refused: by the library's `validate`, and by the checks in `conformance`. */
async function refusals(format, messages, history) {
  const issues = await validate(messages, format);
  const refused = issues.filter(({ severity }) => severity === "refused").map(({ path, code }) => `validate: ${path} ${code}`);
  return [...refused, ...(await checks[format](messages, { history }))];
}

// Defects of single messages in the recordings, which are given back unchanged: reasoning of another provider under its
// own ids, an empty list of parts next to calls, UIMessages without an id, and one that uses an id for two calls.
const OWN = [/\.id does not begin with rs_/, /content missing-content|content is an empty list/, /"id"/, /shared-call-id/];

/** The reasons that did not apply to the original messages. */
async function worse(format, reasons, messages) {
  if (reasons.length === 0) {
    return [];
  }
  const before = await refusals(format, messages, messages);
  const own = OWN.filter((pattern) => before.some((reason) => pattern.test(reason)));
  return reasons.filter((reason) => !own.some((pattern) => pattern.test(reason)));
}

/** Compacts a conversation under every preset in each of these windows, and undoes it every time. Equal results are
 * checked once; a compaction that fails counts as illegal. */
async function tried(format, { id, messages }, windows) {
  const compactor = await createCompactor({ format });
  compactor.append(messages);
  const { tokens } = compactor.status();
  const outcomes = { applied: 0, skipped: 0, failed: 0 };
  const seen = new Set();
  const illegal = [];
  for (const preset of PRESETS) {
    for (const share of windows) {
      compactor.setPolicy(inWindow(preset, Math.max(SMALLEST, Math.ceil(tokens * share))));
      const { outcome, message } = await compactor.compact({ reason: "manual" });
      const view = compactor.messages();
      outcomes[outcome] += 1;
      if (outcome === "applied") {
        const json = JSON.stringify(view);
        const reasons = seen.has(json) ? [] : await worse(format, await refusals(format, view, messages), messages);
        seen.add(json);
        illegal.push(...reasons.map((reason) => `${id}, ${preset.name}, ${share * 100} %: ${reason}`));
        compactor.undo();
      } else {
        illegal.push(...(outcome === "failed" ? [`${id}, ${preset.name}, ${share * 100} %: ${message}`] : []));
        assert.ok(view.length === messages.length && view.every((message, index) => message === messages[index]), id);
      }
    }
  }
  compactor.dispose();
  return { outcomes, distinct: seen.size, illegal };
}

/** Tries all of these conversations, in these windows or in those that a function gives for each index. Prints the number
 * of combinations, and fails with the first illegal results. */
async function legal(context, format, all, windows = WINDOWS) {
  const windowsOf = typeof windows === "function" ? windows : () => windows;
  const totals = { applied: 0, skipped: 0, failed: 0 };
  const illegal = [];
  let distinct = 0;
  for (const [index, conversation] of all.entries()) {
    const result = await tried(format, conversation, windowsOf(index));
    illegal.push(...result.illegal);
    distinct += result.distinct;
    for (const [outcome, count] of Object.entries(result.outcomes)) {
      totals[outcome] += count;
    }
  }
  const outcomes = Object.entries(totals).map(([outcome, count]) => `${count} ${outcome}`);
  context.diagnostic(`${all.length} conversations × ${PRESETS.length} presets × ${windowsOf(0).length} windows`);
  context.diagnostic(`${outcomes.join(", ")}; ${distinct} distinct results`);
  assert.deepEqual(illegal.slice(0, 10), [], `${illegal.length} in all`);
  assert.ok(totals.applied > 0, "nothing was compacted");
}

for (const [format, { valid }] of Object.entries(examples)) {
  test(`${format}: the story is legal after every compaction`, async (context) => {
    const forms = format === "langchain" ? { instances: instances(24), stored: stored(24) } : {};
    const all = Object.entries({ story: valid(24), "an open loop": valid(24).slice(0, -1), ...forms });
    await legal(
      context,
      format,
      all.map(([id, messages]) => ({ id, messages })),
    );
  });
}

for (const format of Object.keys(checks)) {
  test(`${format}: the fixtures are legal after every compaction`, async (context) => {
    await legal(context, format, fixtures(format), FEW_WINDOWS);
  });
}

const weighs = { id: "slow", type: "function", function: { name: "weigh", arguments: "{}" } };
const chat = Array.from({ length: 24 }, (_, turn) => ({
  role: turn % 2 === 0 ? "user" : "assistant",
  content: `Turn ${turn}: the bed by the wall gets ${turn} roses, and compost before the frost.`,
}));

// A call, and a result that arrives after the call was summarized.
const LATE = {
  "openai-chat": [
    { role: "assistant", content: null, tool_calls: [weighs] },
    { role: "tool", tool_call_id: "slow", content: "seventeen kilos" },
  ],
  "openai-responses": [
    { type: "function_call", call_id: "slow", name: "weigh", arguments: "{}" },
    { type: "function_call_output", call_id: "slow", output: "seventeen kilos" },
  ],
  anthropic: [
    { role: "assistant", content: [{ type: "tool_use", id: "slow", name: "weigh", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "slow", content: "seventeen kilos" }] },
  ],
};

for (const [format, [call, result]] of Object.entries(LATE)) {
  test(`${format}: a result that arrives after its call was summarized is quoted, and legal`, async () => {
    const before = [chat[0], call, ...chat.slice(2)];
    const compactor = await createCompactor({ format, policy: { window: 600, keep: { messages: 2 } } });
    compactor.append(before);
    assert.equal((await compactor.compact({ reason: "manual" })).outcome, "applied");
    const last = { role: "user", content: "And now?" };
    compactor.append([result, last]);
    const view = compactor.messages();
    assert.deepEqual(await refusals(format, view, [...before, result, last]), []);
    assert.match(JSON.stringify(view), /late-result.*seventeen kilos/);
    assert.ok(!view.includes(result) && view.includes(last));
    compactor.dispose();
  });
}

/** This many conversations of a file, spread over all of it. */
function some(count, file, from = "shapes", write = (messages) => messages) {
  const all = conversations(file, from);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor((index * all.length) / count)]).map(
    ({ id, messages }) => ({ id, messages: write(messages) }),
  );
}

const PARALLEL = "tool-chat-tau2-airline.jsonl.gz";
const RECORDED = {
  "openai-chat": () => [
    ...some(3, PARALLEL, "openai"),
    ...some(2, "tool-chat-taubench-airline.jsonl.gz", "openai"),
    ...some(2, "coding-swe-agent.jsonl", "openai"),
    ...some(6, "openai-chat-small.jsonl"),
  ],
  "openai-responses": () => [...some(3, PARALLEL, "openai", asResponses), ...some(8, "openai-responses.jsonl")],
  anthropic: () => [...some(3, "reshaped-anthropic.jsonl"), ...some(8, "anthropic-messages.jsonl")],
  "ai-sdk-ui": () => some(12, "reshaped-aisdk-uimessage.jsonl.gz").slice(0, 3),
  "ai-sdk-model": () => some(12, "reshaped-aisdk-modelmessage.jsonl.gz").slice(0, 3),
  gemini: () => [...some(12, "reshaped-gemini.jsonl.gz").slice(0, 3), ...some(8, "gemini-generatecontent.jsonl")],
  langchain: () => some(3, PARALLEL, "openai", asLangChain),
  bedrock: () => [...some(3, "reshaped-anthropic.jsonl", "shapes", asBedrock), ...some(8, "bedrock-converse.jsonl")],
};

for (const [format, recorded] of Object.entries(RECORDED)) {
  test(
    `${format}: recorded conversations are legal after every compaction`,
    { skip },
    async (context) => {
      await legal(context, format, recorded());
    },
  );
}

const CHATS = ["tool-chat-tau2-airline.jsonl.gz", "tool-chat-tau2-telecom.jsonl.gz", "tool-chat-taubench-airline.jsonl.gz"];

/** Messages of Chat Completions, converted to another format by this library. */
const converted = (to) => async (messages) => (await convert(messages, "openai-chat", to)).messages;

// Every recording but the longest: its file, its folder, and a function that writes it in another format.
const EVERY = {
  "openai-chat": [
    ...[...CHATS, "coding-swe-agent.jsonl", "coding-openhands.jsonl", "multilingual.jsonl"].map((file) => [file, "openai"]),
    ["openai-chat-small.jsonl"],
    ["openai-content-arrays-openhands-sdk.jsonl"],
  ],
  "openai-responses": [["openai-responses.jsonl"], [PARALLEL, "openai", asResponses]],
  anthropic: [["anthropic-messages.jsonl"], ["reshaped-anthropic.jsonl"]],
  "ai-sdk-ui": [["aisdk-uimessage.jsonl"], ["reshaped-aisdk-uimessage.jsonl.gz"]],
  "ai-sdk-model": [["aisdk-modelmessage.jsonl"], ["reshaped-aisdk-modelmessage.jsonl.gz"]],
  gemini: [["gemini-generatecontent.jsonl"], ["reshaped-gemini.jsonl.gz"]],
  langchain: [
    [PARALLEL, "openai", converted("langchain")],
    ["openai-chat-small.jsonl", "shapes", converted("langchain")],
  ],
  bedrock: [["bedrock-converse.jsonl"], ["reshaped-anthropic.jsonl", "shapes", asBedrock]],
};

for (const [format, files] of Object.entries(EVERY)) {
  test(
    `${format}: every recorded conversation is legal after a compaction, each in another of the windows`,
    { skip },
    async (context) => {
      const all = [];
      for (const [file, from = "shapes", write = (messages) => messages] of files) {
        for (const { id, messages } of conversations(file, from)) {
          all.push({ id, messages: await write(messages) });
        }
      }
      await legal(context, format, all, (index) => [WINDOWS[index % WINDOWS.length]]);
    },
  );
}

// A long session with signed reasoning and aborted turns, and the same one without signatures.
const LONG = {
  "openai-chat": ["coding-pi-long-session.jsonl.gz", "openai"],
  anthropic: ["anthropic-messages-pi-long-session.jsonl.gz"],
};

for (const [format, [file, from]] of Object.entries(LONG)) {
  test(
    `${format}: a session of ${file} is legal after every compaction`,
    { skip },
    async (context) => {
      await legal(context, format, some(1, file, from), FEW_WINDOWS);
    },
  );
}
