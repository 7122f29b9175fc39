// Compaction by the provider itself: its answer has an item that only the provider can read, in place of the messages.

import { fieldsOf, messagesOf, optionalSignal, reading } from "../arguments.js";
import { epitomeError, guarded, property } from "../error.js";
import type { EndpointOptions } from "../glue/endpoint.js";
import type { Source } from "../wasm/engine.js";
import { loadEndpoint, systemOf, withoutSystem } from "./endpoint.js";
import { endpointOptionsOf, type RequestFields } from "./endpoint-options.js";

/** Options of a compaction by the provider. */
export interface ProviderCompactionOptions extends Pick<EndpointOptions, "baseURL" | "model" | "apiKey" | "headers" | "timeouts"> {
  /**
   * Other fields of the request, as the provider names them, or a function that returns them: `system`, `tools` and its limit of tokens for
   * Anthropic, `instructions` for OpenAI. For Anthropic give the same `system` and `tools` as your own requests have.
   */
  request?: RequestFields | (() => RequestFields);
}

/** What a provider has made of messages. */
export interface ProviderCompacted<M extends object = object> {
  /** What to send in place of the messages: system prompts, which are the same objects, and what the provider returned. */
  messages: M[];
  /** Tokens, as the provider reports them; `readUsage` reads it. */
  usage?: object;
}

/** Has a provider compact messages in its own format: of OpenAI's Responses API, or of Anthropic's Messages API. */
export type ProviderCompaction<M extends object = object> = (
  messages: readonly M[],
  context?: { signal?: AbortSignal },
) => Promise<ProviderCompacted<M>>;

/** The beta of Anthropic's API in which an app says when to compact. */
const ANTHROPIC_BETA = "compact-2026-09-04";

/** The largest summary of Anthropic's, unless the request has another limit. */
const MAX_TOKENS = 8_192;

/** A provider's request, and what is in its response. */
interface Adapter {
  headers(given: Readonly<Record<string, string>>): Record<string, string>;
  /** The fields of the request's body. */
  body(model: string, messages: readonly object[], fields: RequestFields): RequestFields;
  /** The messages in place of those that were sent; undefined if the response has none. */
  read(response: unknown, messages: readonly object[]): object[] | undefined;
}

const ADAPTERS = {
  openai: {
    headers: (given) => ({ ...given }),
    body: (model, input, fields) => ({ ...fields, model, input }),
    read: (response, sent) => {
      const output = property(response, "output");
      if (!Array.isArray(output) || !output.some((item) => property(item, "type") === "compaction")) {
        return undefined;
      }
      // It returns what the user has said, and no system prompts.
      const hasSystem = output.some((item) => isInstruction(item));
      const end = sent.findIndex((item) => !isInstruction(item));
      return [...(hasSystem ? [] : sent.slice(0, Math.max(end, 0))), ...(output as object[])];
    },
  },
  anthropic: {
    headers: (given) => {
      const [name = "anthropic-beta", betas = ""] = Object.entries(given).find(([header]) => header.toLowerCase() === "anthropic-beta") ?? [];
      const all = new Set([...betas.split(","), ANTHROPIC_BETA].map((beta) => beta.trim()).filter((beta) => beta !== ""));
      return { ...given, [name]: [...all].join(",") };
    },
    body: (model, messages, { system, ...fields }) => {
      const { leading, rest } = withoutSystem(messages);
      const all = systemOf(system, leading);
      const compaction = { type: "summarize" };
      return { max_tokens: MAX_TOKENS, compaction, ...fields, ...(all === undefined ? {} : { system: all }), model, messages: rest };
    },
    read: (response, sent) => {
      const content = property(response, "content");
      const blocks = Array.isArray(content) ? content.filter((block) => property(block, "type") === "compaction") : [];
      // Without a content, the model has failed to write a summary.
      const isWritten = blocks.length === 1 && typeof property(blocks[0], "content") === "string";
      return isWritten ? [...withoutSystem(sent).leading, { role: "assistant", content: blocks }] : undefined;
    },
  },
} as const satisfies Record<string, Adapter>;

/** A compaction by this provider. */
export function compactionFrom<M extends object>(
  source: Source,
  provider: keyof typeof ADAPTERS,
  compactionOptions: ProviderCompactionOptions,
): ProviderCompaction<M> {
  const { request: given = {}, ...options } = endpointOptionsOf(provider, fieldsOf(compactionOptions, "options"));
  const adapter: Adapter = ADAPTERS[provider];
  const headers = adapter.headers(options.headers ?? {});
  return (messages, context = {}) =>
    guarded(async () => {
      // `fetch` takes null too.
      const signal = optionalSignal(fieldsOf(context, "the second argument").signal ?? undefined);
      const list = messagesOf(messages, "messages", "invalid-message");
      const fields = fieldsOf(typeof given === "function" ? reading("request", given) : given, "request");
      const body = reading("messages", () => JSON.stringify(adapter.body(options.model, list, fields)), "invalid-message");
      const module = await loadEndpoint(source);
      const response: unknown = JSON.parse(await module.compactByProvider(provider, { ...options, headers }, body, signal));
      const compacted = adapter.read(response, list);
      if (compacted === undefined) {
        throw epitomeError("bad-answer", "the response has no compaction; the messages stay as they are");
      }
      const usage = property(response, "usage");
      return { messages: compacted as M[], ...(typeof usage === "object" && usage !== null ? { usage } : {}) };
    });
}

/** True for an item with instructions. */
function isInstruction(item: unknown): boolean {
  const role = property(item, "role");
  return role === "system" || role === "developer";
}
