// The ways to keep a tool loop inside the window that are compared, each in the loop of its own SDK. Those that know a window compact from
// three quarters of it on, and keep two fifths of it word for word.

import { withContextChef } from "@context-chef/ai-sdk-middleware";
import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { generateText, jsonSchema, pruneMessages, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { extractive } from "epitome";
import { prepareStep } from "epitome/ai";
import { compactionMiddleware } from "epitome/langchain";
import { createAgent, summarizationMiddleware, tool as langchainTool } from "langchain";
import { shownIn } from "../../bench/src/strategies/shown.mjs";
import { modelOf, neutral as neutralOfAiSdk } from "../integrations/scripted-ai-sdk.mjs";
import { ScriptedChatModel } from "../integrations/scripted-langchain.mjs";
import { summaryOf } from "./facts.mjs";

/** Shares of the window, as the recommended policy has the first two: from where on a package compacts, what it keeps word for word, and
 * how long a summary may be that a model writes for another package. */
const [THRESHOLD, KEEP, SUMMARY] = [0.75, 0.4, 0.1];

/** Every name that the loop calls a tool by. */
const toolNames = ({ turns }) => new Set(turns.flatMap(({ answers }) => answers.flatMap(({ calls }) => calls.map(({ name }) => name))));

/** What each call has resulted in. */
const outputs = ({ turns }) => new Map(turns.flatMap(({ answers }) => answers.flatMap(({ calls }) => calls.map(({ id, output }) => [id, output]))));

/** Plays a loop in `generateText`, with a hook before each request, and a model that may be wrapped. */
async function inAiSdk(loop, player, { hook, wrapped = (model) => model }) {
  const found = outputs(loop);
  const schema = jsonSchema({ type: "object" });
  const execute = (_, { toolCallId }) => found.get(toolCallId) ?? "";
  const tools = Object.fromEntries(Array.from(toolNames(loop), (name) => [name, tool({ inputSchema: schema, execute })]));
  const options = {
    model: wrapped(modelOf(player)),
    tools,
    stopWhen: stepCountIs(10_000),
    allowSystemInMessages: true,
    maxRetries: 0,
    ...(hook !== undefined && { prepareStep: hook }),
  };
  const messages = loop.system === "" ? [] : [{ role: "system", content: loop.system }];
  for (const { question, answers } of loop.turns) {
    messages.push({ role: "user", content: question });
    player.begin(answers);
    messages.push(...(await generateText({ ...options, messages })).responseMessages);
  }
}

/** Plays a loop in an agent of LangChain with a middleware. */
async function inLangChain(loop, player, middleware) {
  const found = outputs(loop);
  const look = (_, { toolCall }) => found.get(toolCall.id) ?? "";
  const tools = Array.from(toolNames(loop), (name) => langchainTool(look, { name, description: name, schema: { type: "object" } }));
  const agent = createAgent({ model: new ScriptedChatModel(player), tools, middleware: [middleware] });
  let messages = loop.system === "" ? [] : [new SystemMessage(loop.system)];
  for (const { question, answers } of loop.turns) {
    player.begin(answers);
    ({ messages } = await agent.invoke({ messages: [...messages, new HumanMessage(question)] }, { recursionLimit: 100_000 }));
  }
}

/** Says that a summarizer was asked, and writes its answer by quotes. */
function summarizing(player, window) {
  return async (shown, messages) => {
    player.summarize(shown);
    return summaryOf(messages, Math.floor(window * SUMMARY));
  };
}

/** A model of LangChain that summarizes. */
class Summarizer extends ScriptedChatModel {
  constructor(summarize) {
    super({});
    this.summarize = summarize;
  }

  async _generate(messages) {
    const prompts = messages.map(({ text }) => text);
    const shown = prompts.flatMap(shownIn).map(({ role, content }) => ({ role: role === "assistant" ? role : "user", content }));
    const text = await this.summarize(prompts, shown);
    return { generations: [{ message: new AIMessage(text), text }] };
  }
}

/** A model of the AI SDK that summarizes: the last message of what it gets is the instruction. */
function summarizerOfAiSdk(summarize) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const shown = prompt.map(neutralOfAiSdk);
      const messages = shown.slice(0, -1).map(({ role, text }) => ({ role: role === "assistant" ? role : "user", content: text }));
      const text = await summarize(shown.map(({ text }) => text), messages);
      const tokens = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };
      return {
        content: [{ type: "text", text }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: tokens, outputTokens: { total: 0, text: 0, reasoning: 0 } },
        warnings: [],
      };
    },
  });
}

/** Code of an app whose messages do not fit a window of 300 tokens. */
const TEXTS = 'const texts = Array.from({ length: 40 }, (_, turn) => "All about bed " + turn + ". ".repeat(40));';
const AI_SDK_STEP = `${TEXTS}
  const messages = texts.map((content, turn) => ({ role: turn % 2 ? "assistant" : "user", content }));
  const sent = await prepareStep({ policy: { window: 300 } })({ messages, steps: [] });
  if (sent.messages.length >= messages.length) throw new Error("not compacted");`;
const LANGCHAIN_STEP = `import { AIMessage, HumanMessage } from "@langchain/core/messages"; ${TEXTS}
  const messages = texts.map((text, turn) => (turn % 2 ? new AIMessage(text) : new HumanMessage(text)));
  const changed = await compactionMiddleware({ policy: { window: 300 } }).beforeModel({ messages }, {});
  if (changed === undefined) throw new Error("not compacted");`;

/** The settings of the example in the documentation of `pruneMessages`. */
const PRUNE = { reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" };

/** A policy for prompts as short as those of `pruneMessages` with these settings. */
const short = (window) => ({ window: Math.min(window, 20_000), trigger: { fraction: 0.65 }, target: 0.55, keep: { fraction: 0.3 } });

/** Each with a function that plays a loop in a window, and, if it is a package for that, what an app loads of it. */
export const candidates = [
  {
    name: "AI SDK, nothing",
    play: (loop, player) => inAiSdk(loop, player, {}),
  },
  {
    name: "AI SDK, `prepareStep` with `pruneMessages`",
    load: { from: "ai", uses: "pruneMessages" },
    play: (loop, player) => inAiSdk(loop, player, { hook: ({ messages }) => ({ messages: pruneMessages({ messages, ...PRUNE }) }) }),
  },
  {
    name: "AI SDK, `withContextChef` of `@context-chef/ai-sdk-middleware`",
    load: { from: "@context-chef/ai-sdk-middleware", uses: "withContextChef" },
    play: (loop, player, window) => {
      const model = summarizerOfAiSdk(summarizing(player, window));
      // It keeps a share of what it compacts from on.
      const compress = { model, triggerRatio: THRESHOLD, preserveRatio: KEEP / THRESHOLD };
      const nothing = () => {};
      const logger = { warn: nothing, info: nothing, debug: nothing, error: nothing };
      return inAiSdk(loop, player, { wrapped: (inner) => withContextChef(inner, { contextWindow: window, compress, logger }) });
    },
  },
  {
    name: "LangChain, `summarizationMiddleware`",
    load: { from: "langchain", uses: "summarizationMiddleware" },
    play: (loop, player, window) => {
      const model = new Summarizer(summarizing(player, window));
      const limits = { trigger: { tokens: Math.floor(window * THRESHOLD) }, keep: { tokens: Math.floor(window * KEEP) } };
      // The summarizer here has no instructions to follow, and by default it would get the last 4,000 tokens only.
      const given = { summaryPrompt: "{messages}", trimTokensToSummarize: Number.MAX_SAFE_INTEGER };
      return inLangChain(loop, player, summarizationMiddleware({ model, ...limits, ...given }));
    },
  },
  {
    name: "epitome, `prepareStep`",
    isOurs: true,
    load: { from: "epitome/ai", uses: "prepareStep", code: AI_SDK_STEP },
    play: (loop, player, window) => inAiSdk(loop, player, { hook: prepareStep({ policy: { window } }) }),
  },
  {
    name: "epitome, `prepareStep`, with a model that summarizes",
    isOurs: true,
    play: (loop, player, window) => {
      const summarize = (request, context) => {
        player.summarize([request.system, request.input]);
        return extractive(request, context);
      };
      return inAiSdk(loop, player, { hook: prepareStep({ policy: { window }, summarize }) });
    },
  },
  {
    name: "epitome, `prepareStep`, as short as `pruneMessages`",
    isOurs: true,
    isShort: true,
    play: (loop, player, window) => inAiSdk(loop, player, { hook: prepareStep({ policy: short(window) }) }),
  },
  {
    name: "epitome, `compactionMiddleware`",
    isOurs: true,
    load: { from: "epitome/langchain", uses: "compactionMiddleware", code: LANGCHAIN_STEP },
    play: (loop, player, window) => inLangChain(loop, player, compactionMiddleware({ policy: { window } })),
  },
];
