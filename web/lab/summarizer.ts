// The summarizer of all strategies: the package's extractive one, which quotes and asks no model.

import { createCompactor, extractive, type PolicySpec } from "epitome/slim";
import type { Message } from "./requests.js";

/** What a model would have read and written for a summary. */
export interface Summarization {
  readTokens: number;
  writtenTokens: number;
}

/** A policy by which everything is summarized that stands before `LAST_REQUEST`. */
export const SUMMARIZE_ALL: PolicySpec = {
  window: 2_000_000_000,
  triggers: ["manual"],
  keep: { messages: 0 },
  keepRequestsTokens: 0,
  reducers: [],
};

/** The last request is never summarized, so this one stands behind what is to be. */
export const LAST_REQUEST: Message = { role: "user", content: "Continue." };

/**
 * A summary of all messages. A compactor only writes the transcript that the extractive summarizer reads: what the package adds to its
 * own summaries, such as lost facts, is not in the result.
 */
export async function summarize(messages: readonly Message[], maxTokens: number, signal: AbortSignal): Promise<string> {
  let summary = "";
  const compactor = await createCompactor<Message>({
    format: "openai-chat",
    policy: { ...SUMMARIZE_ALL, summary: { maxTokens, input: "transcript" } },
    async summarize(request, context) {
      summary = await extractive(request, context);
      return summary;
    },
  });
  try {
    // A system message would stay beside the summary.
    compactor.append([...messages.map(withoutSystem), LAST_REQUEST]);
    await compactor.compact({ signal });
  } finally {
    compactor.dispose();
  }
  signal.throwIfAborted();
  return summary;
}

function withoutSystem(message: Message): Message {
  return message.role === "system" || message.role === "developer" ? ({ ...message, role: "user" } as Message) : message;
}
