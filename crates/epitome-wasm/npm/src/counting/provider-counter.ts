// Token counts of the provider, from its counting endpoint.

import { fieldsOf, messagesOf, optionalSignal, reading } from "../arguments.js";
import { guarded } from "../error.js";
import type { CounterOptions } from "../glue/endpoint.js";
import type { Format } from "../glue/epitome.js";
import { loadEndpoint } from "../host/endpoint.js";
import { convertBy } from "../host/validation.js";
import type { Source } from "../wasm/engine.js";
import type { CountTokens } from "./count.js";

/** Options of a counter for messages of any format. */
export interface ProviderCounterOptions extends CounterOptions {
  /** The format of the messages, if it is not the provider's own. They are converted before they are counted. */
  format?: Format;
}

/** Asks a provider to count. It can also be called directly, without a context. */
export type ProviderCounter<M extends object = object> = (
  messages: M[],
  context?: Partial<Parameters<CountTokens<M>>[1]>,
) => Promise<number>;

/** The providers that count, each with the format that its endpoint takes. */
const NATIVE = {
  anthropic: "anthropic",
  openai: "openai-responses",
  gemini: "gemini",
  "llama.cpp": "openai-chat",
} as const satisfies Record<string, Format>;

/** A counter that asks this provider. */
export function counterFrom<M extends object>(
  source: Source,
  validation: Source,
  provider: keyof typeof NATIVE,
  counterOptions: ProviderCounterOptions,
): ProviderCounter<M> {
  const { format, ...options } = fieldsOf(counterOptions, "options");
  const native = NATIVE[provider];
  return (messages, context = {}) =>
    guarded(async () => {
      // `fetch` takes null too.
      const signal = optionalSignal(fieldsOf(context, "the second argument").signal ?? undefined);
      const list = messagesOf(messages, "messages", "invalid-message");
      const module = await loadEndpoint(source);
      const isForeign = format !== undefined && format !== native;
      const converted = isForeign ? (await convertBy(validation, list, format, native)).messages : list;
      const json = reading("messages", () => JSON.stringify(converted), "invalid-message");
      return module.countByProvider(provider, options, json, signal);
    });
}
