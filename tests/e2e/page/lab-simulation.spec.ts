// How the Lab walks through a conversation and what it makes of it, without a page.

import { expect, test } from "@playwright/test";
import { type Message, requestsOf } from "../../../web/lab/requests.js";
import { breakEven, cumulativeCosts } from "../../../web/lab/costs.js";
import { type SimulationTools, simulate } from "../../../web/lab/simulation.js";
import { type Strategy, stateless } from "../../../web/lab/strategy.js";

const say = (role: "user" | "assistant", content: string) => ({ role, content }) as Message;

const CONVERSATION = [say("user", "one"), say("assistant", "two"), say("user", "three"), say("assistant", "four"), say("user", "five")];

/** Counts a token for each character, and two for each request. */
const tools: SimulationTools = {
  meter: {
    overheadTokens: 2,
    tokensOf: ({ content }) => String(content).length,
    tokensOfAll: (messages) => messages.reduce((sum, { content }) => sum + String(content).length, 0),
    tokensOfPrompt: async () => 0,
  },
  limits: { window: 12, threshold: 10, keep: { messages: 1 }, summary: 5 },
  signal: new AbortController().signal,
  refusalOf: async (messages) => (messages[0]?.role === "assistant" ? { rule: "r", message: "m", path: "messages[0]" } : undefined),
  pause: async () => {},
};

test("a request is everything before an answer, and what has no answer yet", () => {
  const requests = requestsOf(CONVERSATION);
  expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  expect(requests.map(({ added }) => added.map(({ content }) => content))).toEqual([["one"], ["two", "three"], ["four", "five"]]);
  const greeted = requestsOf([say("assistant", "zero"), ...CONVERSATION]);
  expect(greeted.map(({ added }) => added.map(({ content }) => content))[0], "a greeting is no answer").toEqual(["zero", "one"]);
});

test("tokens, the cached beginning, the window and refused requests are seen for each request", async () => {
  const nothing = stateless("nothing", "", async (messages) => [...messages]);
  const { sent } = await simulate(nothing, requestsOf(CONVERSATION), tools);
  expect(sent.map(({ tokens, cachedTokens, isOverWindow }) => [tokens, cachedTokens, isOverWindow])).toEqual([
    [5, 0, false],
    [13, 5, true],
    [21, 13, true],
  ]);
  const lastTwo = stateless("last two", "", async (messages) => messages.slice(-2));
  const cut = await simulate(lastTwo, requestsOf(CONVERSATION), tools);
  expect(cut.sent.map(({ refusal, cachedTokens }) => [refusal?.rule, cachedTokens])).toEqual([[undefined, 0], ["r", 2], ["r", 2]]);
});

test("a strategy that throws ends early, and the others are not affected", async () => {
  const broken: Strategy = {
    name: "broken",
    about: "",
    begin: async () => ({ view: async () => Promise.reject(new Error("no")), dispose: () => {} }),
  };
  expect(await simulate(broken, requestsOf(CONVERSATION), tools)).toMatchObject({ sent: [], failure: "no" });
});

test("a prompt costs what is read from the cache and what is written to it, and a summary costs its own request", () => {
  const sent = { messages: 1, tokens: 3_000_000, cachedTokens: 1_000_000, isOverWindow: false, summaries: [] };
  const summaries = [{ readTokens: 1_000_000, writtenTokens: 500_000 }];
  const rates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 4 };
  const [prompt = 0, both = 0] = cumulativeCosts([sent, { ...sent, summaries }], rates);
  expect(prompt).toBeCloseTo(8.3);
  expect(both).toBeCloseTo(8.3 + 8.3 + 3 + 7.5);
  expect(cumulativeCosts([sent], { input: 3, output: 15 })).toEqual([9]);
});

test("the break-even is the request from which on it stays cheaper, as long as doing nothing is not refused", () => {
  expect(breakEven([1, 5, 6, 7], [1, 2, 8, 9], undefined)).toBe(3);
  expect(breakEven([1, 5, 6, 10], [1, 2, 8, 9], undefined)).toBe("never");
  expect(breakEven([1, 5, 6], [1, 2, 8], 2)).toBeUndefined();
});
