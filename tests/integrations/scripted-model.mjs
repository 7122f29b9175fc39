// A model without a network: it follows a script, counts its prompts itself, and refuses what a provider would refuse.

import assert from "node:assert/strict";
import { loadEncoding, tokenCounter } from "epitome";

await loadEncoding("o200k_base");
const counter = await tokenCounter();

/** Tokens that a request has besides its messages: the schema of its tool. */
export const TOOL_SCHEMA_TOKENS = 60;

/** Small enough for several compactions in each turn, and for what must stay. */
export const POLICY = { window: 8_000, toolSchemaTokens: TOOL_SCHEMA_TOKENS, counting: { encoding: "o200k_base" } };

/** Policies that count in different ways. */
export const POLICIES = { "exact counts": POLICY, "estimates": { ...POLICY, counting: "estimate", model: "gpt-5" } };

/** Tokens besides those of texts, for each message, call, result and request. Each result is a message of its own. */
const OVERHEAD = { message: 4, call: 8, result: 8, request: 3 };

const PROSE = [
  "The roses in this bed bloom from May until the first frost, and they want water on every second day.",
  "const bed = beds.find(({ id }) => id === wanted); // the gate of the garden is on its other side",
  '{"bed":17,"soil":"clay","roses":["Gloire de Dijon","Ghislaine de Féligonde"],"watered":"2024-05-17T08:30:00Z"}',
  "src/garden/beds.rs:214: warning: unused variable `frost`, and 17 more of the same kind in this crate",
];

/** What the tool finds: text of several kinds, about 500 tokens, other for each call. */
export const lookUp = (at) =>
  Array.from({ length: 20 }, (_, line) => `${at}:${line} ${PROSE[(at.length + line * 7 + at.charCodeAt(1)) % PROSE.length]}`).join("\n");

/** A question of the user. */
export const question = (turn) => `Question ${turn}: what do the files of bed ${turn} say about its roses? Read all of them first.`;

/**
 * Answers each turn with calls of the tool `look` and then with text. An adapter gives it each prompt as
 * `{ role, text, calls: [{ id, name, input }], results: [{ id, text }] }`.
 */
export class ScriptedModel {
  #toCall = 0;
  #calls = 0;
  #answers = 0;
  #nameTokens;
  #isPromised;
  /** The status of the app's compactor before each request, in which `tokens` are a promise about the prompt. */
  #promised;
  /** The number of messages and tokens of each prompt so far. */
  prompts = [];

  /** `name` is the one that the SDK gives to the assistant. With `isPromised: false`, any prompt will do that is legal. */
  constructor({ name, isPromised = true } = {}) {
    this.#isPromised = isPromised;
    this.#nameTokens = name === undefined ? 0 : 1 + counter.count(name);
  }

  /** Begins a turn with this many requests that are answered with calls; each third of them with two. */
  begin(rounds) {
    this.#toCall = rounds;
  }

  /** Notes what the compactor says of the next prompt. */
  promise({ tokens, errorBand, window }) {
    this.#promised = { tokens, errorBand, window };
  }

  /** The tokens of a request with this prompt. */
  tokensOf(prompt) {
    return this.#count(prompt) + TOOL_SCHEMA_TOKENS + OVERHEAD.request;
  }

  /** The answer to a prompt, `{ text, calls }`, and its usage. */
  answer(prompt) {
    const tokens = this.tokensOf(prompt);
    const place = `request ${this.prompts.length}`;
    assert.deepEqual(orphans(prompt), [], place);
    if (this.#isPromised) {
      this.#assertPromised(tokens, place);
    }
    this.prompts.push({ messages: prompt.length, tokens });
    const answer = this.#next();
    return { ...answer, usage: { prompt: tokens, completion: this.#count([{ role: "assistant", ...answer, results: [] }]) } };
  }

  #assertPromised(tokens, place) {
    assert.ok(this.#promised !== undefined, `${place}: nobody has looked at the status before it`);
    const { tokens: promised, errorBand, window } = this.#promised;
    this.#promised = undefined;
    assert.ok(tokens <= window, `${place}: ${tokens} tokens in a window of ${window}`);
    const error = Math.abs(promised - tokens) / tokens;
    assert.ok(error <= errorBand, `${place}: ${promised} tokens promised, ${tokens} sent, error band ${errorBand}`);
  }

  #next() {
    if (this.#toCall === 0) {
      this.#answers += 1;
      return { text: `Answer ${this.#answers}: ${PROSE[0]} ${PROSE[3]}`, calls: [] };
    }
    this.#toCall -= 1;
    const count = this.#toCall % 3 === 1 ? 2 : 1;
    const calls = Array.from({ length: count }, (_, index) => {
      const number = this.#calls + index;
      return { id: `call_${number}`, name: "look", input: { at: `b${number}/roses.txt` } };
    });
    this.#calls += count;
    return { text: "", calls };
  }

  #count(prompt) {
    const { message, call, result } = OVERHEAD;
    const tokensOf = ({ role, text, calls, results }) =>
      message * Math.max(1, results.length) +
      (role === "assistant" ? this.#nameTokens : 0) +
      counter.count(text) +
      sum(calls.map(({ name, input }) => call + counter.count(name) + counter.count(JSON.stringify(input)))) +
      sum(results.map(({ text }) => result + counter.count(text)));
    return sum(prompt.map(tokensOf));
  }
}

/** Calls that are not answered right after their message, and results that answer none. Uses nothing of the package. */
function orphans(prompt) {
  const found = [];
  let open = new Set();
  for (const [index, { role, calls, results }] of prompt.entries()) {
    for (const { id } of results) {
      if (!open.delete(id)) {
        found.push(`message ${index} answers ${id}, which was not called before it`);
      }
    }
    if (results.length === 0 || role === "assistant") {
      found.push(...Array.from(open, (id) => `message ${index} comes before the result of ${id}`));
      open = new Set(calls.map(({ id }) => id));
    }
  }
  return [...found, ...Array.from(open, (id) => `nothing answers ${id}`)];
}

const sum = (values) => values.reduce((sum, value) => sum + value, 0);
