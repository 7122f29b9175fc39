// The OpenAI Agents SDK: a session, and a filter before each request.

export { type AgentSession, compactingFilter, compactingSession, type ModelInput } from "../agents/session.js";
export type { GivenCompactor, OptionsWithoutFormat } from "../host/given.js";
export type { RequestOptions } from "../host/request.js";
