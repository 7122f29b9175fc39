// LangChain's `trimMessages` and its middleware that summarizes.

import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { summarizationMiddleware } from "langchain";
import type { Message } from "../requests.js";
import type { TokenMeter } from "../meter.js";
import { argumentsOf, callsOf, type Run, stateless, type Strategy, textOf, type Tools, withoutInstructions } from "../strategy.js";
import { summarize, type Summarization } from "../summarizer.js";
import { t } from "../../language.js";

export const trim = stateless(
  "LangChain, trimMessages",
  t("The last messages below the threshold, from a question on, behind the system prompt, as its documentation recommends."),
  async (messages, { meter, limits }) => {
    const sources = new Sources();
    const trimmed = await trimMessages(messages.map((message) => sources.read(message)), {
      strategy: "last",
      maxTokens: limits.threshold - meter.overheadTokens,
      tokenCounter: sources.counter(meter),
      startOn: "human",
      endOn: ["human", "tool"],
      includeSystem: true,
    });
    // Where nothing is left, not even the system prompt, it returns a list with `undefined` in it.
    return trimmed.filter((message) => message !== undefined).map((message) => sources.write(message));
  },
);

export const summarization: Strategy = {
  name: "LangChain, summarizationMiddleware",
  about: t("From the threshold on, with as many messages kept as your settings keep, and the system prompt apart as in an agent."),
  begin: async (tools) => summarizing(tools),
};

/** The part of the middleware that an agent calls before each request. Its own types describe an agent, which is not needed here. */
interface BeforeModel {
  beforeModel(state: { messages: BaseMessage[] }, runtime: { context: object }): Promise<{ messages: BaseMessage[] } | undefined>;
}

function summarizing({ meter, limits, signal }: Tools): Run {
  const sources = new Sources();
  const summaries: Summarization[] = [];
  const model = {
    async invoke(prompt: string) {
      const content = await summarize(shownIn(prompt), limits.summary, signal);
      const readTokens = await meter.tokensOfPrompt([{ role: "user", content: prompt }]);
      summaries.push({ readTokens, writtenTokens: meter.tokensOf({ role: "assistant", content }) });
      return { content };
    },
  };
  const options = {
    model,
    trigger: { tokens: limits.threshold },
    keep: limits.keep,
    tokenCounter: sources.counter(meter),
    // By default it would get only the last 4,000 tokens.
    trimTokensToSummarize: Number.MAX_SAFE_INTEGER,
  };
  const middleware = summarizationMiddleware(options as never) as unknown as BeforeModel;
  let instructions: Message[] = [];
  let state: BaseMessage[] = [];
  return {
    async view({ added }) {
      const [first, others] = withoutInstructions(added);
      if (state.length === 0) {
        instructions = first;
      }
      const fresh = state.length === 0 ? others : added;
      state.push(...fresh.map((message) => sources.read(message)));
      const changed = await middleware.beforeModel({ messages: state }, { context: {} });
      signal.throwIfAborted();
      state = changed?.messages.filter(({ type }) => type !== "remove") ?? state;
      return { messages: [...instructions, ...state.map((message) => sources.write(message))], summaries: summaries.splice(0) };
    },
    dispose: () => {},
  };
}

/** Which message each message of LangChain was made of. */
class Sources {
  readonly #byId = new Map<string, Message>();
  readonly #summaries = new WeakMap<BaseMessage, Message>();

  read(message: Message): BaseMessage {
    const id = String(this.#byId.size);
    this.#byId.set(id, message);
    const fields = { id, content: textOf(message) };
    switch (message.role) {
      case "assistant": {
        const calls = callsOf(message).map((call) => ({ id: call.id, name: call.function.name, args: argumentsOf(call) }));
        return new AIMessage({ ...fields, tool_calls: calls });
      }
      case "tool":
        return new ToolMessage({ ...fields, tool_call_id: message.tool_call_id });
      case "user":
        return new HumanMessage(fields);
      default:
        return new SystemMessage(fields);
    }
  }

  /** The same object that it was made of, unless it is a summary, which has the id of the first message that it stands for. */
  write(message: BaseMessage): Message {
    const source = this.#byId.get(message.id ?? "");
    if (source !== undefined && message.additional_kwargs["lc_source"] !== "summarization") {
      return source;
    }
    let summary = this.#summaries.get(message);
    if (summary === undefined) {
      summary = { role: "user", content: message.text };
      this.#summaries.set(message, summary);
    }
    return summary;
  }

  counter(meter: TokenMeter): (messages: BaseMessage[]) => number {
    return (messages) => messages.reduce((sum, message) => sum + meter.tokensOf(this.write(message)), 0);
  }
}

const BEGINNING = "Messages to summarize:\n";
const END = "\n</messages>";
const SPEAKERS: Record<string, "user" | "assistant"> = { Human: "user", AI: "assistant", Tool: "user", System: "user" };

/** The messages that a prompt of the middleware shows, by the speakers at the beginning of lines. */
function shownIn(prompt: string): Message[] {
  const [start, end] = [prompt.indexOf(BEGINNING), prompt.lastIndexOf(END)];
  const shown = start < 0 ? prompt : prompt.slice(start + BEGINNING.length, end < 0 ? undefined : end);
  const entries = shown.split(/^(?=(?:Human|AI|Tool|System): )/m).filter((entry) => entry.trim() !== "");
  return entries.map((entry) => {
    const colon = entry.indexOf(": ");
    const role = SPEAKERS[entry.slice(0, colon)];
    return role === undefined ? { role: "user", content: entry } : { role, content: entry.slice(colon + 2).trimEnd() };
  });
}
