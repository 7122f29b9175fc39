// Summaries by a model behind an endpoint.

import { fieldsOf, optionalFunction, optionalSignal, reading, textOf, wholeOf } from "../arguments.js";
import { epitomeError, guarded } from "../error.js";
import { type EndpointSummarizeOptions, endpointOptionsOf, type RequestFields } from "./endpoint-options.js";
import type { Completion } from "../glue/endpoint.js";
import type { Format, SummaryRequest } from "../glue/epitome.js";
import type { EngineSource, Source } from "../wasm/engine.js";
import { loaderOf } from "../wasm/glued.js";
import { stateFor } from "./model-state.js";
import type { SummarizeContext, SummarizeRequest } from "./summarize.js";

/** Loads the module that asks providers. */
export const loadEndpoint = loaderOf(() => import("../glue/endpoint-factory.js"));

/** What an endpoint needs of a request. */
export type EndpointRequest = Pick<SummaryRequest, "system" | "input" | "maxTokens"> &
  Partial<Pick<SummarizeRequest, "form" | "format" | "messages" | "prompt" | "asksForState" | "givenState" | "targetTokens">>;

/** A summarizer that asks an endpoint. It can also be called directly, without a context. */
export type EndpointSummarize = (request: EndpointRequest, context?: Partial<SummarizeContext>) => Promise<EndpointCompletion>;

/** The answer of an endpoint. */
export interface EndpointCompletion extends Completion {
  /** True if the model was given the request's instructions. `epitome-extractive`, which quotes, gets none. */
  instructed: boolean;
  /** What the summary begins with, before `text`, if there is something: see `withState`. */
  state?: string;
}

/** The model of the project's own server. */
const EXTRACTIVE = "epitome-extractive";

/** What a provider calls the fields of a request, and how it forbids tool calls. */
interface FieldNames {
  /** The format of its messages; none if it has no format of its own here, so that it summarizes transcripts only. */
  format?: Format;
  messages: string;
  system: string;
  toolChoice: string;
  noTools: unknown;
}

const CHAT: FieldNames = { format: "openai-chat", messages: "messages", system: "system", toolChoice: "tool_choice", noTools: "none" };

/** The providers that summarize. */
const PROVIDERS = {
  openai: CHAT,
  anthropic: { ...CHAT, format: "anthropic", noTools: { type: "none" } },
  gemini: {
    format: "gemini",
    messages: "contents",
    system: "systemInstruction",
    toolChoice: "toolConfig",
    noTools: { functionCallingConfig: { mode: "NONE" } },
  },
  // Its messages are nearly those of OpenAI, but the arguments of calls are objects.
  ollama: { messages: "messages", system: "system", toolChoice: "tool_choice", noTools: "none" },
} as const satisfies Record<string, FieldNames>;

/** What the endpoint sets itself, besides the messages. */
const OWN_FIELDS = new Set([
  "model",
  "max_tokens",
  "max_completion_tokens",
  "stream",
  "stream_options",
  "response_format",
  "output_format",
  "generationConfig",
]);

/** A summarizer that asks the endpoint which these options name. `engine` is what reads the state of messages. */
export function endpointFrom(
  source: Source,
  engine: EngineSource,
  provider: keyof typeof PROVIDERS,
  endpointOptions: EndpointSummarizeOptions,
): EndpointSummarize {
  const { request: given = {}, state: withState = true, ...options } = endpointOptionsOf(provider, fieldsOf(endpointOptions, "options"));
  return (request, context = {}) =>
    guarded(async () => {
      const asked = fieldsOf(request, "request");
      const { system, input } = asked;
      textOf(system, "system");
      textOf(input, "input");
      const maxTokens = wholeOf(asked.maxTokens, "maxTokens", 1);
      const { signal, onDelta } = fieldsOf(context, "the second argument");
      // `fetch` takes null too.
      optionalSignal(signal ?? undefined);
      optionalFunction(onDelta, "onDelta");
      const module = await loadEndpoint(source);
      const fields = fieldsOf(typeof given === "function" ? reading("request", given) : given, "request");
      const body = reading("request", () => bodyOf(provider, asked, fields));
      const limit = wholeOf(maxTokens + (body === undefined ? 0 : thinkingTokens(fields)), "maxTokens with thinking.budget_tokens", 1);
      const asksForState = asked.asksForState === true;
      const instructed = options.model !== EXTRACTIVE;
      const stated = withState && instructed ? await stateFor(engine, asked) : undefined;
      const { state, ...sent } = stated ?? { system, input };
      const completion = await module.complete(provider, options, sent.system, sent.input, limit, asksForState, body, signal, onDelta);
      return { ...completion, instructed, ...(state === undefined ? {} : { state }) };
    });
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
  const native: FieldNames = PROVIDERS[provider];
  if (native.format === undefined) {
    throw epitomeError("refused", "this endpoint takes a transcript, and no messages");
  }
  if (format !== native.format) {
    throw epitomeError("refused", `this endpoint takes messages in the format ${native.format}, not ${String(format)}`);
  }
  const { [native.messages]: first = [], [native.system]: system, ...others } = fields;
  const body: Record<string, unknown> = { ...others };
  if (Array.isArray(others["tools"]) && others["tools"].length > 0) {
    body[native.toolChoice] = others[native.toolChoice] ?? native.noTools;
  } else {
    delete body[native.toolChoice];
  }
  // The system prompt is the app's, and says nothing to a summarizer that is asked outside of the conversation.
  const isInside = form === "conversation";
  const all = [...(isInside && Array.isArray(first) ? (first as object[]) : []), ...messages, prompt];
  const { leading, rest } = provider === "anthropic" ? withoutSystem(all) : { leading: [], rest: all };
  body[native.system] = isInside ? systemOf(system, leading) : undefined;
  body[native.messages] = rest;
  const own = Object.entries(body).filter(([name, value]) => value !== undefined && !OWN_FIELDS.has(name));
  return Object.fromEntries(own.map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The system messages that a list begins with, and the rest of it. */
export function withoutSystem<M extends object>(messages: readonly M[]): { leading: M[]; rest: M[] } {
  const first = messages.findIndex((message) => !isSystem(message));
  const end = first < 0 ? messages.length : first;
  return { leading: messages.slice(0, end), rest: messages.slice(end) };
}

/** Anthropic takes system messages in a field of their own. */
export function systemOf(system: unknown, leading: readonly object[]): unknown {
  const blocks = leading.flatMap((message) => blocksOf(Reflect.get(message, "content")));
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
