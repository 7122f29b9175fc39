// Summaries without a model.

import { load, type Source } from "./engine.js";
import type { SummaryRequest } from "./glue/epitome.js";
import type { SummarizeContext } from "./summarize.js";

/** A summarizer that quotes. It can also be called by hand, without a context. */
export type ExtractiveSummarize = (
  request: Pick<SummaryRequest, "input" | "targetTokens">,
  context?: Partial<SummarizeContext>,
) => Promise<string>;

export function extractiveFrom(source: Source): ExtractiveSummarize {
  return async ({ input, targetTokens }, { signal } = {}) => {
    const engine = await load(source);
    // A long conversation has many chunks: between two of them the page gets to paint, and to abort.
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    return engine.extractive(input, targetTokens);
  };
}
