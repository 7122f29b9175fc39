// The overflow strategies of `@context-chef/core` as its `Janitor` runs them.

import { Janitor, summarize as summarizing } from "@context-chef/core";
import { tokensOfMessage } from "./tokens.mjs";

const tokenizer = (messages) => messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);

/** What a janitor keeps in a window of `tokens`, of which the last messages get the share `preserveRatio`. */
async function compress(messages, tokens, preserveRatio, compressionModel) {
  const history = messages.map((message) => ({ ...message, content: message.content ?? "" }));
  // The budget limits the summary already. Its guard would reject one that is longer than half of what it replaces.
  const strategy = summarizing({ compressionModel, preserveRatio, minShrinkRatio: 0 });
  const janitor = new Janitor({ contextWindow: tokens, triggerRatio: 1, tokenizer, strategy });
  const view = await janitor.compress(history);
  return view.map((message) => {
    const number = history.indexOf(message);
    return number < 0 ? message : number;
  });
}

export const contextChef = {
  /** Without a summarizer, which it calls discarding: the last messages that fit. */
  "context-chef, no summarizer": (messages, tokens) => compress(messages, tokens, 1),

  /** Half of the tokens for the last messages, and for a summary of the others what these leave. */
  async "context-chef, summarize"(messages, tokens, summarize) {
    const view = await compress(messages, tokens, 0.5, async () => "");
    const used = tokenizer(view.map((kept) => (typeof kept === "number" ? messages[kept] : kept)));
    // The last message of what a summarizer gets is the instruction.
    return compress(messages, tokens, 0.5, (shown) => summarize(shown.slice(0, -1), Math.max(tokens - used, 0)));
  },
};
