// Counts of the provider's own, from the endpoint that it has for that.

import type { CountTokens } from "./count.js";
import { load, type Source } from "./engine.js";
import type { CounterOptions, Format } from "./glue/epitome.js";
import { convertBy } from "./legality.js";

/** Options of a counter for messages of any format. */
export interface ProviderCounterOptions extends CounterOptions {
  /** The format of the messages, where it is not the provider's own: they are converted before they are
   * counted. */
  format?: Format;
}

/** Has a provider count. It can also be called by hand, without a context. */
export type ProviderCounter<M extends object = object> = (
  messages: M[],
  context?: Partial<Parameters<CountTokens<M>>[1]>,
) => Promise<number>;

/** The providers that count, each with the format that it counts in. */
const NATIVE = {
  anthropic: "anthropic",
  openai: "openai-responses",
  gemini: "gemini",
  "llama.cpp": "openai-chat",
} as const satisfies Record<string, Format>;

export function counterFrom<M extends object>(
  source: Source,
  provider: keyof typeof NATIVE,
  { format, ...options }: ProviderCounterOptions,
): ProviderCounter<M> {
  const native = NATIVE[provider];
  return async (messages, { signal } = {}) => {
    const engine = await load(source);
    const foreign = format !== undefined && format !== native;
    const counted = foreign ? (await convertBy(source, messages, format, native)).messages : messages;
    return engine.countByProvider(provider, options, JSON.stringify(counted), signal);
  };
}
