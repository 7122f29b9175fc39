// What LangChain keeps: `trimMessages` of its core, and the middleware that summarizes and that clears results of tools.

import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import { WINDOW, answer } from "./model.mjs";
import { shownIn } from "./shown.mjs";
import { tokensOfMessage } from "./tokens.mjs";

const ROLES = { human: "user", ai: "assistant", tool: "tool", system: "system" };

/** A message of LangChain. Its id is the number of the message that it was made of. */
function read(message, number) {
  const fields = { id: String(number), content: message.content ?? "" };
  switch (message.role) {
    case "assistant": {
      const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
        id,
        name: called.name,
        args: JSON.parse(called.arguments || "{}"),
      }));
      return new AIMessage({ ...fields, tool_calls: calls });
    }
    case "tool":
      return new ToolMessage({ ...fields, tool_call_id: message.tool_call_id ?? "" });
    case "system":
      return new SystemMessage(fields);
    default:
      return new HumanMessage(fields);
  }
}

/** What became of a message: its number if it is unchanged. */
function kept(message, messages) {
  const before = messages[message.id];
  if (before !== undefined && message.content === (before.content ?? "")) {
    return Number(message.id);
  }
  return { ...before, role: ROLES[message.type], content: message.content };
}

/** How many tokens messages of LangChain have that were made of `messages`. `trimMessages` counts all of them often. */
function counter(messages) {
  const counts = messages.map(tokensOfMessage);
  const count = (result) => (typeof result === "number" ? counts[result] : tokensOfMessage(result));
  return (list) => list.reduce((sum, message) => sum + count(kept(message, messages)), 0);
}

const trim = (list, messages, tokens) =>
  trimMessages(list, {
    strategy: "last",
    maxTokens: tokens,
    tokenCounter: counter(messages),
    allowPartial: true,
  });

/** One run of the summarization middleware, with half of the tokens for the last messages. */
async function summarized(messages, tokens, answer, prompt = { summaryPrompt: "{messages}" }) {
  const middleware = summarizationMiddleware({
    model: { invoke: async (shown) => ({ content: await answer(shown) }) },
    trigger: { tokens: 1 },
    keep: { tokens: Math.max(Math.floor(tokens / 2), 1) },
    tokenCounter: counter(messages),
    // By default the summarizer would get the last 4,000 tokens.
    trimTokensToSummarize: Number.MAX_SAFE_INTEGER,
    ...prompt,
  });
  const state = { messages: messages.map(read) };
  const changed = await middleware.beforeModel(state, { context: {} });
  const view = changed?.messages.filter((message) => message.type !== "remove") ?? state.messages;
  // The summary has the id of the first message.
  return view.map((message) => {
    const isSummary = message.additional_kwargs?.lc_source === "summarization";
    return isSummary ? { role: "user", content: message.content } : kept(message, messages);
  });
}

/** How many tokens the messages that are kept leave for a summary. */
async function leftBy(messages, tokens) {
  const view = await summarized(messages, tokens, async () => "");
  const tokensOf = (result) => tokensOfMessage(typeof result === "number" ? messages[result] : result);
  return Math.max(tokens - view.reduce((sum, result) => sum + tokensOf(result), 0), 0);
}

export const langchain = {
  /** The last messages that fit, and a part of the one before them. */
  async "LangChain, trimMessages"(messages, tokens) {
    const view = await trim(messages.map(read), messages, tokens);
    return view.map((message) => kept(message, messages));
  },

  /** Half of the tokens for the last messages, and for a summary of the others what these leave. Ours has no instructions to
   * follow. */
  async "LangChain, summarization"(messages, tokens, summarize) {
    const left = await leftBy(messages, tokens);
    return summarized(messages, tokens, (prompt) => summarize(shownIn(prompt), left));
  },

  /** The same with a model, LangChain's own instructions, and as much of the conversation as the model's window has room for. */
  async "LangChain, summarization, model"(messages, tokens) {
    const left = await leftBy(messages, tokens);
    return summarized(messages, tokens, (prompt) => answer(prompt, left), { trimTokensToSummarize: WINDOW - left - 1_500 });
  },

  /** Results of tools except the last three are cleared, and of what is left the last messages that fit are kept. */
  async "LangChain, clear tool uses"(messages, tokens) {
    const list = messages.map(read);
    const edit = new ClearToolUsesEdit({ trigger: { tokens: 1 } });
    await edit.apply({ messages: list, countTokens: counter(messages) });
    for (const message of list) {
      // A cleared result has lost its id.
      message.id ??= String(messages.findIndex(({ tool_call_id: id }) => id === message.tool_call_id));
    }
    const view = await trim(list, messages, tokens);
    return view.map((message) => kept(message, messages));
  },
};
