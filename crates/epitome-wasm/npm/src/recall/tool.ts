// The search as a tool that a model can call, in the form of each provider.

import { textOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Format } from "../glue/epitome.js";

/** The name of the tool. */
export const RECALL_TOOL = "recall_conversation";
const DESCRIPTION =
  "Finds what was said earlier in this conversation and is no longer shown: decisions, values, names, results of tools. " +
  "Returns quotes with their speakers, oldest first.";
const QUERY = "What to look for, in the words that were probably used, with names and identifiers.";

/** The arguments of the tool, as JSON Schema. */
export interface RecallParameters {
  type: "object";
  properties: { query: { type: "string"; description: string } };
  required: ["query"];
}

/** The definition of the tool in each format, as the request takes it. */
export interface RecallTools {
  "openai-chat": { type: "function"; function: { name: string; description: string; parameters: RecallParameters } };
  "openai-responses": { type: "function"; name: string; description: string; parameters: RecallParameters; strict: false };
  anthropic: { name: string; description: string; input_schema: RecallParameters };
  /** For `tool()`, with `inputSchema: jsonSchema(definition.inputSchema)`. */
  "ai-sdk-ui": { name: string; description: string; inputSchema: RecallParameters };
  /** The same. */
  "ai-sdk-model": { name: string; description: string; inputSchema: RecallParameters };
  gemini: { functionDeclarations: [{ name: string; description: string; parameters: RecallParameters }] };
  /** For `tool()`. */
  langchain: { name: string; description: string; schema: RecallParameters };
  bedrock: { toolSpec: { name: string; description: string; inputSchema: { json: RecallParameters } } };
}

/**
 * The definition of a tool by which a model searches the conversation. When the model calls it, answer with the `text` of
 * `recall(query, { tokens })`.
 */
export function recallTool<F extends Format>(format: F): RecallTools[F] {
  const parameters: RecallParameters = {
    type: "object",
    properties: { query: { type: "string", description: QUERY } },
    required: ["query"],
  };
  const named = { name: RECALL_TOOL, description: DESCRIPTION };
  const tools: RecallTools = {
    "openai-chat": { type: "function", function: { ...named, parameters } },
    "openai-responses": { type: "function", ...named, parameters, strict: false },
    anthropic: { ...named, input_schema: parameters },
    "ai-sdk-ui": { ...named, inputSchema: parameters },
    "ai-sdk-model": { ...named, inputSchema: parameters },
    gemini: { functionDeclarations: [{ ...named, parameters }] },
    langchain: { ...named, schema: parameters },
    bedrock: { toolSpec: { ...named, inputSchema: { json: parameters } } },
  };
  const name = textOf(format, "format", "unknown-format");
  if (!Object.hasOwn(tools, name)) {
    throw epitomeError("unknown-format", `no format is named ${JSON.stringify(name)}`);
  }
  return tools[format];
}
