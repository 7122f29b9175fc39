// Summaries without a model.

import { fieldsOf, optionalSignal, textOf, wholeOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { SummaryRequest } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";
import type { SummarizeContext, SummarizeRequest } from "./summarize.js";

/** A summarizer that quotes the messages. It can also be called directly, without a context. */
export type ExtractiveSummarize = (
  request: ExtractiveRequest,
  context?: Partial<SummarizeContext>,
) => Promise<string>;

/** What the summarizer that quotes needs of a request. */
export type ExtractiveRequest = Pick<SummaryRequest, "input" | "targetTokens"> & Partial<Pick<SummarizeRequest, "messages">>;

/** The summarizer that quotes, by the engine's module. */
export function extractiveFrom(source: Source): ExtractiveSummarize {
  return async (request, context = {}) => {
    const { input, targetTokens, messages } = fieldsOf(request, "request");
    const signal = optionalSignal(fieldsOf(context, "context").signal);
    const text = textOf(input, "input");
    const target = wholeOf(targetTokens, "targetTokens");
    // The transcript of a request with messages is not divided into chunks, and a long one would block the page.
    if (messages !== undefined) {
      throw epitomeError("refused", "the extractive summarizer reads only transcripts");
    }
    const engine = await load(source);
    // A long conversation has many chunks. Between two of them the page must be able to paint and to abort.
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    return engine.extractive(text, target);
  };
}
