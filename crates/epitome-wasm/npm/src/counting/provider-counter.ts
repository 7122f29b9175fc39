// Token counts of the provider, from its counting endpoint.

import { epitomeError } from "../error.js";
import type { CounterOptions, Format } from "../glue/epitome.js";
import { checkedSignal } from "../host/endpoint.js";
import { convertBy } from "../host/validation.js";
import { load, type Source } from "../wasm/engine.js";
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
  provider: keyof typeof NATIVE,
  counterOptions: ProviderCounterOptions,
): ProviderCounter<M> {
  if (typeof counterOptions !== "object" || counterOptions === null) {
    throw epitomeError("invalid-option", "the options of a counter must be an object with model");
  }
  const { format, ...options } = counterOptions;
  const native = NATIVE[provider];
  return async (messages, context = {}) => {
    if (typeof context !== "object" || context === null) {
      throw epitomeError("invalid-option", "the second argument must be an object with signal");
    }
    if (!Array.isArray(messages)) {
      throw epitomeError("invalid-message", "countTokens: expected an array of messages");
    }
    const signal = checkedSignal(context.signal);
    const engine = await load(source);
    const isForeign = format !== undefined && format !== native;
    const converted = isForeign ? (await convertBy(source, messages, format, native)).messages : messages;
    return engine.countByProvider(provider, options, jsonOf(converted), signal);
  };
}

function jsonOf(messages: readonly object[]): string {
  try {
    return JSON.stringify(messages);
  } catch (error) {
    throw epitomeError("invalid-message", "countTokens: the messages cannot be written as JSON", error);
  }
}
