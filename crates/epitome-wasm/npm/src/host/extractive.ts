// Summaries without a model.

import { fieldsOf, optionalFunction, optionalSignal, optionalText, textOf, wholeOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { SummaryRequest } from "../glue/epitome.js";
import type { Source } from "../wasm/engine.js";
import { loaderOf } from "../wasm/glued.js";
import { pause } from "./pause.js";
import type { SummarizeContext, SummarizeRequest } from "./summarize.js";

/** Loads the module that summarizes without a model. */
export const loadExtractive = loaderOf(() => import("../glue/extractive-factory.js"));

/** A summarizer that quotes the messages. It can also be called directly, without a context. */
export type ExtractiveSummarize = (
  request: ExtractiveRequest,
  context?: Partial<SummarizeContext>,
) => Promise<string>;

/** What the summarizer that quotes needs of a request. */
export type ExtractiveRequest = Pick<SummaryRequest, "input" | "targetTokens"> &
  Partial<Pick<SummarizeRequest, "messages" | "notes" | "asksForState">>;

/** The summarizer that quotes, by its module. */
export function extractiveFrom(source: Source): ExtractiveSummarize {
  return async (request, context = {}) => {
    const { input, targetTokens, messages, notes: earlier, asksForState } = fieldsOf(request, "request");
    const { signal: given, onNotes: noter } = fieldsOf(context, "context");
    const signal = optionalSignal(given);
    const notes = optionalText(earlier, "notes") ?? "";
    const onNotes = optionalFunction(noter, "onNotes");
    const text = textOf(input, "input");
    const target = wholeOf(targetTokens, "targetTokens");
    // The transcript of a request with messages is not divided into chunks, and a long one would block the page.
    if (messages !== undefined) {
      throw epitomeError("refused", "the extractive summarizer reads only transcripts");
    }
    const module = await loadExtractive(source);
    // A long conversation has many chunks. Before and after each of them the page must be able to paint and to abort.
    await pause();
    signal?.throwIfAborted();
    const [summary = "", noted = ""] = module.extractive(text, notes, target, asksForState === true);
    onNotes?.(noted);
    await pause();
    return summary;
  };
}
