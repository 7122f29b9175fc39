// LangChain: a middleware for agents, and a step of a chain.

export type { ChatModel, CompactionOptions } from "../langchain/compacting.js";
export { compactingMessages, compactionMiddleware } from "../langchain/middleware.js";
