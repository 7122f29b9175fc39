// The AI SDK: its hook before each step, and a store for `useChat`.

export { type PreparedStep, type PrepareStep, prepareStep, type RequestOptions } from "../ai/prepare-step.js";
export { type ChatRequest, type ChatStore, chatStore } from "../ai/chat-store.js";
export type { GivenCompactor, OptionsWithoutFormat } from "../host/given.js";
