// What a compaction leaves, in every format, under every preset and in twenty windows: legal by two checks that share nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor, presets, validate } from "epitome";
import { examples } from "../out/conformance/examples/index.js";
import { instances, stored } from "../out/conformance/examples/langchain.js";
import { checks } from "../out/conformance/index.js";
import { asBedrock, asLangChain, asResponses } from "../out/conformance/retold.js";
import { conversations, skip } from "./recordings.mjs";

const WINDOWS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20);
// In fewer tokens than that, some triggers come to nothing.
const SMALLEST = 100;
// For conversations of hundreds of thousands of tokens.
const FEW_WINDOWS = [0.1, 0.3, 0.5, 0.75, 1];

const PRESETS = await presets();

// What a trigger states in tokens.
const SIZES = new Set(["outputReserve", "safetyMargin", "maxTokens", "triggerTokens", "tokens"]);

/** A preset as it would be in this window: its triggers are stated for the window that it comes with. */
function inWindow({ name, policy }, window) {
  const scaled = (key, value) => (SIZES.has(key) ? Math.floor((value * window) / policy.window) : value);
  return { preset: name, window, triggers: JSON.parse(JSON.stringify(policy.triggers), scaled) };
}

/** Why these messages would be refused: by the library's own word, and by the checks in `conformance`. */
async function refusals(format, messages, history) {
  const issues = await validate(messages, format);
  const refused = issues.filter(({ severity }) => severity === "refused").map(({ path, code }) => `validate: ${path} ${code}`);
  return [...refused, ...(await checks[format](messages, { history }))];
}

/** Compacts a conversation under every preset in each of these windows, and takes it back every time. What comes out
 * the same is checked once. */
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
      const { outcome } = await compactor.compact({ reason: "manual" });
      const view = compactor.messages();
      outcomes[outcome] += 1;
      if (outcome === "applied") {
        const told = JSON.stringify(view);
        const reasons = seen.has(told) ? [] : await refusals(format, view, messages);
        seen.add(told);
        illegal.push(...reasons.map((reason) => `${id}, ${preset.name}, ${share * 100} %: ${reason}`));
        compactor.undo();
      } else {
        assert.ok(view.length === messages.length && view.every((message, index) => message === messages[index]), id);
      }
    }
  }
  compactor.dispose();
  return { outcomes, distinct: seen.size, illegal };
}

/** Tries all of these conversations; says how many combinations that were, and fails with the first that are illegal. */
async function legal(context, format, all, windows = WINDOWS) {
  const totals = { applied: 0, skipped: 0, failed: 0 };
  const illegal = [];
  let distinct = 0;
  for (const conversation of all) {
    const result = await tried(format, conversation, windows);
    illegal.push(...result.illegal);
    distinct += result.distinct;
    for (const [outcome, count] of Object.entries(result.outcomes)) {
      totals[outcome] += count;
    }
  }
  const outcomes = Object.entries(totals).map(([outcome, count]) => `${count} ${outcome}`);
  context.diagnostic(`${all.length} conversations × ${PRESETS.length} presets × ${windows.length} windows`);
  context.diagnostic(`${outcomes.join(", ")}; ${distinct} distinct results`);
  assert.deepEqual(illegal.slice(0, 10), [], `${illegal.length} in all`);
  assert.ok(totals.applied > 0, "nothing was compacted");
}

for (const [format, { tidy }] of Object.entries(examples)) {
  test(`${format}: the story is legal after every compaction`, async (context) => {
    const forms = format === "langchain" ? { instances: instances(24), stored: stored(24) } : {};
    const all = Object.entries({ story: tidy(24), "an open loop": tidy(24).slice(0, -1), ...forms });
    await legal(
      context,
      format,
      all.map(([id, messages]) => ({ id, messages })),
    );
  });
}

/** So many of a file, spread over all of it. */
function some(count, file, from = "shapes", told = (messages) => messages) {
  const all = conversations(file, from);
  return Array.from({ length: Math.min(count, all.length) }, (_, index) => all[Math.floor((index * all.length) / count)]).map(
    ({ id, messages }) => ({ id, messages: told(messages) }),
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

// A long session with signed thoughts and aborted turns, and the same one where its thoughts are not signed.
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
