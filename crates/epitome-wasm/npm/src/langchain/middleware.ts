// A middleware for LangChain's agents in the place of `summarizationMiddleware`, and a step of a chain in that of `trimMessages`.

import { type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { type AgentMiddleware, createMiddleware } from "langchain";
import { compacting, type CompactionOptions } from "./compacting.js";

/** What tells LangGraph to forget all messages of a state; `REMOVE_ALL_MESSAGES` of `@langchain/langgraph`. */
const ALL = "__remove_all__";

/**
 * Compacts the state of an agent before a model call, if that is due: in the place of `summarizationMiddleware`, with the same words
 * for `model`, `trigger` and `keep`. The summary is a message with `lc_source: "summarization"`, and the next compaction goes on
 * from it, also after a checkpoint and on a branch of the thread.
 */
export function compactionMiddleware(options: CompactionOptions = {}): AgentMiddleware {
  const compact = compacting(options);
  return createMiddleware({
    name: "CompactionMiddleware",
    beforeModel: async ({ messages }, runtime) => {
      const compacted = await compact(messages, runtime.signal);
      return compacted.report?.outcome === "applied"
        ? { messages: [new RemoveMessage({ id: ALL }), ...compacted.messages] }
        : undefined;
    },
  }) as AgentMiddleware;
}

/**
 * A step of a chain in the place of `trimMessages(options)`: messages go in, and come out inside the window. What `trimMessages`
 * would drop is summarized.
 */
export function compactingMessages(options: CompactionOptions = {}): RunnableLambda<BaseMessage[], BaseMessage[]> {
  const compact = compacting(options);
  return RunnableLambda.from(async (messages: BaseMessage[], config) => (await compact(messages, config.signal)).messages);
}
