// The `Janitor` of context-chef, with its strategy that summarizes.

import { Janitor, type Message as ChefMessage, summarize as summarizing } from "@context-chef/core";
import type { Message } from "../requests.js";
import { type Run, type Strategy, textOf, type Tools, withoutInstructions } from "../strategy.js";
import { summarize, type Summarization } from "../summarizer.js";
import { t } from "../../language.js";

export const contextChef: Strategy = {
  name: "context-chef, Janitor",
  about: t("From the threshold on, with as many tokens kept as your settings keep, and the system prompt apart as in its documentation."),
  begin: async (tools) => begin(tools),
};

function begin({ meter, limits, signal }: Tools): Run {
  const originals = new Map<ChefMessage, Message>();
  const summaries: Summarization[] = [];
  const tokensOf = (messages: ChefMessage[]) => meter.tokensOfAll(messages.map((message) => original(message, originals)));
  const strategy = summarizing({
    ...("tokens" in limits.keep && { preserveRatio: Math.min(limits.keep.tokens / limits.threshold, 1) }),
    ...("messages" in limits.keep && { preserveRecentMessages: limits.keep.messages }),
    async compressionModel(shown) {
      // The last message is the instruction.
      const text = await summarize(shown.slice(0, -1).map(plain), limits.summary, signal);
      const readTokens = await meter.tokensOfPrompt(shown.map(plain));
      summaries.push({ readTokens, writtenTokens: meter.tokensOf({ role: "assistant", content: text }) });
      return text;
    },
  });
  const { window, threshold } = limits;
  const janitor = new Janitor({ contextWindow: window, triggerRatio: Math.min(threshold / window, 1), tokenizer: tokensOf, strategy });
  let instructions: Message[] = [];
  let history: ChefMessage[] = [];
  return {
    async view({ added }) {
      const [first, others] = withoutInstructions(added);
      if (history.length === 0) {
        instructions = first;
      }
      for (const message of history.length === 0 ? others : added) {
        const copy = { ...message, content: textOf(message) } as ChefMessage;
        originals.set(copy, message);
        history.push(copy);
      }
      history = await janitor.compress(history);
      signal.throwIfAborted();
      return { messages: [...instructions, ...history.map((message) => original(message, originals))], summaries: summaries.splice(0) };
    },
    dispose: () => {},
  };
}

/** The object that a message is a copy of. A summary is none, and becomes an object of its own. */
function original(message: ChefMessage, originals: Map<ChefMessage, Message>): Message {
  let found = originals.get(message);
  if (found === undefined) {
    found = plain(message);
    originals.set(message, found);
  }
  return found;
}

function plain({ role, content, tool_calls, tool_call_id }: ChefMessage): Message {
  return {
    role,
    content,
    ...(tool_calls !== undefined && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  } as Message;
}
