// The AI SDK: its hook before each step, and a store for `useChat`.

export { type PreparedStep, type PrepareStep, prepareStep } from "../ai/prepare-step.js";
export { type ChatRequest, type ChatStore, chatStore } from "../ai/chat-store.js";
export type { GivenCompactor, OptionsWithoutFormat } from "../host/given.js";
export type { RequestOptions } from "../host/request.js";
