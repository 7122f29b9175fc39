// Summaries by a model behind an endpoint.

import { epitomeError } from "../error.js";
import type { Completion, EndpointOptions as Endpoint, Format, SummaryRequest } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";
import type { SummarizeContext, SummarizeRequest } from "./summarize.js";

/** Options of an endpoint that summarizes. */
export interface EndpointOptions extends Endpoint {
  /**
   * Used if messages are sent and not a transcript (`summary.input`): the other fields of the app's requests to the model,
   * such as `system` and `tools`, or a function that returns them. Give exactly what the model gets, or the provider's cache
   * does not have it. `messages` in it come before those of the compactor. Fields that the endpoint sets itself are ignored:
   * the model, limits of tokens, streaming, the format of the answer. With tools, `tool_choice` is `none` unless it is given
   * here.
   */
  request?: RequestFields | (() => RequestFields);
}

/** Fields of a request's body, as the provider names them. */
export type RequestFields = Readonly<Record<string, unknown>>;

/** What an endpoint needs of a request. */
export type EndpointRequest = Pick<SummaryRequest, "system" | "input" | "maxTokens"> &
  Partial<Pick<SummarizeRequest, "form" | "format" | "messages" | "prompt">>;

/** A summarizer that asks an endpoint. It can also be called directly, without a context. */
export type EndpointSummarize = (request: EndpointRequest, context?: Partial<SummarizeContext>) => Promise<Completion>;

/** The providers that summarize: the format of their messages, and how to forbid tool calls. */
const PROVIDERS = {
  openai: { format: "openai-chat", noTools: "none" },
  anthropic: { format: "anthropic", noTools: { type: "none" } },
} as const satisfies Record<string, { format: Format; noTools: unknown }>;

/** What the endpoint sets itself, besides the messages. */
const OWN_FIELDS = new Set([
  "model",
  "max_tokens",
  "max_completion_tokens",
  "stream",
  "stream_options",
  "response_format",
  "output_format",
]);

/** A summarizer that asks the endpoint of these options. */
export function endpointFrom(
  source: Source,
  provider: keyof typeof PROVIDERS,
  endpointOptions: EndpointOptions,
): EndpointSummarize {
  if (!isObject(endpointOptions)) {
    throw epitomeError("invalid-option", "the options of an endpoint must be an object with baseURL and model");
  }
  const { request: fieldsOf = {}, ...options } = endpointOptions;
  return async (request, context = {}) => {
    const { system, input, maxTokens } = checkedRequest(request);
    const { signal, onDelta } = checkedContext(context);
    const engine = await load(source);
    const fields: unknown = typeof fieldsOf === "function" ? fieldsOf() : fieldsOf;
    if (!isObject(fields)) {
      throw epitomeError("invalid-option", "`request` of an endpoint must be an object, or a function that returns one");
    }
    const body = bodyOf(provider, request, fields as RequestFields);
    const limit = maxTokens + (body === undefined ? 0 : thinkingTokens(fields as RequestFields));
    if (!isTokenLimit(limit)) {
      throw epitomeError("invalid-option", `maxTokens and thinking.budget_tokens must add up to ${TOKEN_LIMIT}`);
    }
    return engine.complete(provider, options, system, input, limit, body, signal, onDelta);
  };
}

/** What a limit of tokens may be, in words. */
const TOKEN_LIMIT = "a whole number from 1 to 4294967295";

function isTokenLimit(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 0xffff_ffff;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The parts of a request that are always sent to the engine. Each is read once: it may be a getter. */
function checkedRequest(request: EndpointRequest): Pick<EndpointRequest, "system" | "input" | "maxTokens"> {
  if (!isObject(request)) {
    throw epitomeError("invalid-option", "the request must be an object with system, input and maxTokens");
  }
  const { system, input, maxTokens } = request;
  for (const [name, value] of Object.entries({ system, input })) {
    if (typeof value !== "string") {
      throw epitomeError("invalid-option", `\`${name}\` of the request must be a text`);
    }
  }
  if (!isTokenLimit(maxTokens)) {
    throw epitomeError("invalid-option", `\`maxTokens\` of the request must be ${TOKEN_LIMIT}`);
  }
  return { system, input, maxTokens };
}

/** What a call may be given besides its request. */
function checkedContext(context: Partial<SummarizeContext>): {
  signal: AbortSignal | undefined;
  onDelta: SummarizeContext["onDelta"] | undefined;
} {
  if (!isObject(context)) {
    throw epitomeError("invalid-option", "the second argument must be an object with signal or onDelta");
  }
  const { signal, onDelta } = context;
  if (onDelta !== undefined && typeof onDelta !== "function") {
    throw epitomeError("invalid-option", "`onDelta` must be a function");
  }
  return { signal: checkedSignal(signal), onDelta };
}

/** The signal, if it is one, also of another realm. */
export function checkedSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal === null) {
    return undefined;
  }
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Record<string, unknown>;
  const isSignal =
    typeof aborted === "boolean" && typeof addEventListener === "function" && typeof removeEventListener === "function";
  if (!isSignal) {
    throw epitomeError("invalid-option", "`signal` must be an AbortSignal, such as the `signal` of an AbortController");
  }
  return signal as AbortSignal;
}

/** Fields of the body as JSON texts, if the request has messages. `JSON.stringify` writes an object as it does in the app's
 * own requests, so that the provider finds the same bytes in its cache. */
function bodyOf(
  provider: keyof typeof PROVIDERS,
  { form, format, messages, prompt }: EndpointRequest,
  fields: RequestFields,
): Record<string, string> | undefined {
  if (messages === undefined || prompt === undefined) {
    return undefined;
  }
  const native = PROVIDERS[provider];
  if (format !== native.format) {
    throw epitomeError("refused", `this endpoint takes messages in the format ${native.format}, not ${String(format)}`);
  }
  const { messages: first = [], system, ...others } = fields;
  const body: Record<string, unknown> = { ...others };
  if (Array.isArray(others["tools"]) && others["tools"].length > 0) {
    body["tool_choice"] = others["tool_choice"] ?? native.noTools;
  } else {
    delete body["tool_choice"];
  }
  // The system prompt is the app's, and says nothing to a summarizer that is asked outside of the conversation.
  const isInside = form === "conversation";
  const all = [...(isInside && Array.isArray(first) ? (first as object[]) : []), ...messages, prompt];
  const leading = provider === "anthropic" ? all.findIndex((message) => !isSystem(message)) : 0;
  const blocks = all.slice(0, leading).flatMap((message) => blocksOf(Reflect.get(message, "content")));
  body["system"] = isInside ? systemOf(system, blocks) : undefined;
  body["messages"] = all.slice(leading);
  const own = Object.entries(body).filter(([name, value]) => value !== undefined && !OWN_FIELDS.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** Anthropic takes system messages in a field of their own. */
function systemOf(system: unknown, blocks: readonly object[]): unknown {
  return blocks.length === 0 ? system : [...blocksOf(system), ...blocks];
}

function blocksOf(content: unknown): object[] {
  if (content === undefined) {
    return [];
  }
  return Array.isArray(content) ? (content as object[]) : [{ type: "text", text: content }];
}

function isSystem(message: object): boolean {
  return Reflect.get(message, "role") === "system";
}

/** Anthropic counts a budget for thinking towards the limit of the answer. */
function thinkingTokens({ thinking }: RequestFields): number {
  const budget: unknown =
    typeof thinking === "object" && thinking !== null ? Reflect.get(thinking, "budget_tokens") : undefined;
  return typeof budget === "number" ? budget : 0;
}
