// The options of an endpoint, checked when its summarizer is made: a wrong one would otherwise show at the first compaction.

import { kindOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { EndpointOptions } from "../glue/endpoint.js";

/** Options of an endpoint that summarizes. */
export interface EndpointSummarizeOptions extends EndpointOptions {
  /**
   * Used if messages are sent and not a transcript (`summary.input`): the other fields of the app's requests to the model,
   * such as `system` and `tools` (for Gemini `systemInstruction` and `tools`), or a function that returns them. Give exactly what the model gets, or the provider's cache
   * does not have it. `messages` in it come before those of the compactor. Fields that the endpoint sets itself are ignored:
   * the model, limits of tokens, streaming, the format of the answer. With tools, `tool_choice` is `none` unless it is given
   * here.
   */
  request?: RequestFields | (() => RequestFields);
  /**
   * Whether summaries begin with the state of the messages, as `withState` says. True by default. False saves the module that
   * reads it, 163 kB, if the extractive summarizer is not used otherwise.
   */
  state?: boolean;
}

/** Fields of a request's body, as the provider names them. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** What each option has to be, as `typeof` says it. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  baseURL: ["string"],
  model: ["string"],
  apiKey: ["string"],
  headers: ["object"],
  stream: ["boolean"],
  timeouts: ["object"],
  request: ["object", "function"],
  answerFormat: ["string"],
  state: ["boolean"],
  contextWindow: ["number"],
};

/** The forms of an answer that a provider has, besides text. */
const ANSWER_FORMATS: Readonly<Record<string, readonly string[]>> = { openai: ["jsonSchema", "grammar"], ollama: ["jsonSchema"] };

const TIMEOUTS: readonly string[] = ["firstByteMs", "idleMs", "totalMs"];

/** The same options. Throws if one of them is unknown, missing or cannot be used with this provider; keys are never in the error. */
export function endpointOptionsOf(provider: string, options: EndpointSummarizeOptions): EndpointSummarizeOptions {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const kinds = KINDS[name];
    if (kinds === undefined) {
      throw misconfigured(`${name}: there is no such option; there are ${Object.keys(KINDS).join(", ")}`);
    }
    const isList = Array.isArray(value);
    if (value !== undefined && (value === null || isList || !kinds.includes(typeof value))) {
      throw misconfigured(`${name}: expected ${kinds.map(kindName).join(" or ")}, not ${kindOf(value)}`);
    }
  }
  const { baseURL, model, timeouts = {}, headers = {}, answerFormat = "text", contextWindow } = options;
  if (typeof model !== "string" || model.trim() === "") {
    throw misconfigured("model: give the model's name, as the server knows it");
  }
  if (typeof baseURL !== "string" || !isAddress(baseURL)) {
    throw misconfigured("baseURL: give an address such as https://host/v1");
  }
  const formats = ["text", ...(ANSWER_FORMATS[provider] ?? [])];
  if (!formats.includes(answerFormat)) {
    throw misconfigured(`answerFormat: expected ${formats.join(" or ")}`);
  }
  if (contextWindow !== undefined && provider !== "ollama") {
    throw misconfigured("contextWindow: only ollamaCompatible can set the context window; other servers have one of their own");
  }
  if (contextWindow !== undefined && !isWhole(contextWindow, 1)) {
    throw misconfigured("contextWindow: expected a whole number of tokens");
  }
  for (const [name, value] of Object.entries(timeouts) as [string, unknown][]) {
    if (!TIMEOUTS.includes(name)) {
      throw misconfigured(`timeouts.${name}: there is no such option; there are ${TIMEOUTS.join(", ")}`);
    }
    if (value !== undefined && !isWhole(value, 0)) {
      throw misconfigured(`timeouts.${name}: expected whole milliseconds`);
    }
  }
  for (const [name, value] of Object.entries(headers) as [string, unknown][]) {
    if (typeof value !== "string") {
      throw misconfigured(`headers.${name}: expected a string, not ${kindOf(value)}`);
    }
  }
  return options;
}

function misconfigured(problem: string): Error {
  return epitomeError("misconfigured", problem);
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= 0xffff_ffff;
}

function kindName(kind: string): string {
  return kind === "object" ? "an object" : `a ${kind}`;
}

/** True for an address that may be fetched, without a user name or a password. */
function isAddress(address: string): boolean {
  try {
    const { protocol, username, password } = new URL(address.trim());
    return ["http:", "https:"].includes(protocol) && username === "" && password === "";
  } catch {
    return false;
  }
}
