// A model that plays a recorded loop again, whatever it is asked, and measures what it is asked: what a provider would refuse, what is
// over the window, and tokens.

import { loadEncoding, tokenCounter } from "epitome";
import { checks } from "../out/conformance/index.js";

await loadEncoding("o200k_base");
const counter = await tokenCounter();

/** Tokens besides those of texts, for each message, call and request. */
const OVERHEAD = { message: 4, call: 8, request: 3 };

const counts = new Map();

/** Tokens of a text. Most texts of a prompt were in the one before it. */
export function tokensOf(text) {
  let tokens = counts.get(text);
  if (tokens === undefined) {
    tokens = counter.count(text);
    counts.set(text, tokens);
  }
  return tokens;
}

/** The model of one loop. An adapter gives it each prompt as `{ role, text, calls: [{ id, name, input }], results: [{ id, text }] }`. */
export class Player {
  #answers = [];
  #window;
  requests = 0;
  refused = 0;
  overWindow = 0;
  /** Tokens of all prompts, and of what a summarizer was asked. */
  tokens = 0;
  /** The prompts that are to be looked at, by the numbers of their requests, as far as a provider would take them. */
  taken = new Map();
  #looked;
  #checking = [];

  /** `looked` are the numbers of requests whose prompts are to be looked at. */
  constructor(window, looked = new Set()) {
    this.#window = window;
    this.#looked = looked;
  }

  /** Begins a turn with these answers. */
  begin(answers) {
    this.#answers = [...answers];
  }

  answer(prompt) {
    const messages = prompt.flatMap(chatMessages);
    const tokens = OVERHEAD.request + sum(messages.map(tokensOfMessage));
    this.requests += 1;
    this.tokens += tokens;
    this.#checking.push(this.#check(this.requests, messages, tokens));
    const { text, calls } = this.#answers.shift() ?? { text: "Done.", calls: [] };
    return { text, calls, usage: { prompt: tokens, completion: tokensOfMessage(chatMessages({ role: "assistant", text, calls, results: [] })[0]) } };
  }

  /** Notes what a summarizer is asked. */
  summarize(prompt) {
    this.tokens += OVERHEAD.request + sum(prompt.map((text) => OVERHEAD.message + tokensOf(text)));
  }

  /** Resolves when all prompts have been checked. */
  async end() {
    await Promise.all(this.#checking);
    return this;
  }

  async #check(request, messages, tokens) {
    const reasons = await checks["openai-chat"](messages);
    const isOver = tokens > this.#window;
    this.refused += reasons.length > 0 ? 1 : 0;
    this.overWindow += isOver ? 1 : 0;
    if (this.#looked.has(request) && reasons.length === 0 && !isOver) this.taken.set(request, messages);
  }
}

/** A message of a prompt in Chat Completions. */
function chatMessages({ role, text, calls, results }) {
  if (results.length > 0) {
    return results.map(({ id, text: content }) => ({ role: "tool", tool_call_id: id, content }));
  }
  const made = calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } }));
  return [{ role, content: text, ...(made.length > 0 && { tool_calls: made }) }];
}

function tokensOfMessage({ content, tool_calls: calls = [] }) {
  const called = calls.map(({ function: { name, arguments: input } }) => OVERHEAD.call + tokensOf(name) + tokensOf(input));
  return OVERHEAD.message + tokensOf(content) + sum(called);
}

/** Tokens of a whole loop as one prompt. */
export function tokensOfLoop({ system, turns }) {
  return OVERHEAD.request + sum(messagesOf({ system, turns }).map(tokensOfMessage));
}

/** A whole loop in Chat Completions. */
export function messagesOf(loop) {
  return requestsOf(loop).at(-1);
}

/** The prompt of each request of a loop without a compaction, in Chat Completions, and at the end the whole loop. */
export function requestsOf({ system, turns }) {
  const of = (role, text, calls = [], results = []) => chatMessages({ role, text, calls, results });
  const messages = system === "" ? [] : of("system", system);
  const requests = [];
  for (const { question, answers } of turns) {
    messages.push(...of("user", question));
    for (const { text, calls } of answers) {
      requests.push(messages.slice());
      messages.push(...of("assistant", text, calls));
      if (calls.length > 0) messages.push(...of("tool", "", [], calls.map(({ id, output }) => ({ id, text: output }))));
    }
  }
  return [...requests, messages];
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
