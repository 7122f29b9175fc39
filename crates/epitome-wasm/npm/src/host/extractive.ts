// Summaries without a model.

import type { SummaryRequest } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";
import type { SummarizeContext } from "./summarize.js";

/** A summarizer that quotes the messages. It can also be called directly, without a context. */
export type ExtractiveSummarize = (
  request: Pick<SummaryRequest, "input" | "targetTokens">,
  context?: Partial<SummarizeContext>,
) => Promise<string>;

/** The summarizer that quotes, by the engine's module. */
export function extractiveFrom(source: Source): ExtractiveSummarize {
  return async ({ input, targetTokens }, { signal } = {}) => {
    const engine = await load(source);
    // A long conversation has many chunks. Between two of them the page must be able to paint and to abort.
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    return engine.extractive(input, targetTokens);
  };
}
