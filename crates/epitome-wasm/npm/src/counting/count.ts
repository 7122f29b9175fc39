// What the app's provider counts after a compaction.

import { kindOf } from "../arguments.js";
import { messageOf } from "../error.js";
import type { OfAgent } from "../host/events.js";

/** Counts the tokens of messages, mostly by a request to the provider. */
export type CountTokens<M extends object> = (
  messages: M[],
  context: { readonly signal: AbortSignal } & OfAgent,
) => Promise<number> | number;

/** The messages were counted after a compaction, or could not be counted: then the engine's estimate stays. */
export type Counted = { type: "counted"; tokens: number } | { type: "countFailed"; message: string };

const LARGEST_U32 = 0xffff_ffff;

/** What the app counts. Settles when one of the signals aborts, whether the app's function settles or not. */
export async function counted<M extends object>(
  count: CountTokens<M>,
  messages: M[],
  signals: readonly (AbortSignal | undefined)[],
  of: OfAgent,
): Promise<Counted> {
  const controller = new AbortController();
  const settled = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => {
      controller.abort();
      reject(new Error("the count was cancelled"));
    };
    for (const signal of signals) {
      signal?.addEventListener("abort", stop, { signal: settled.signal });
      if (signal?.aborted === true) {
        stop();
      }
    }
  });
  const asked = Promise.resolve().then(() => {
    controller.signal.throwIfAborted();
    return count(messages, { signal: controller.signal, ...of });
  });
  try {
    const tokens: unknown = await Promise.race([stopped, asked]);
    if (typeof tokens !== "number" || !Number.isInteger(tokens) || tokens < 0 || tokens > LARGEST_U32) {
      const given = typeof tokens === "number" || typeof tokens === "string" ? String(tokens) : kindOf(tokens);
      throw new Error(`countTokens answered with ${given}; give a whole number`);
    }
    return { type: "counted", tokens };
  } catch (error) {
    return { type: "countFailed", message: messageOf(error, "countTokens failed and did not say why") };
  } finally {
    settled.abort();
  }
}
