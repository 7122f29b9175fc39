// Summaries without a model.

import { fieldsOf, optionalFunction, optionalSignal, optionalText, textOf, wholeOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { SummaryRequest } from "../glue/epitome.js";
import { type EngineSource, load } from "../wasm/engine.js";
import { type Engine, retire } from "../wasm/instances.js";
import { pause } from "./pause.js";
import type { SummarizeContext, SummarizeRequest } from "./summarize.js";

/** Loads the engine with what summarizes without a model. */
export function loadExtractive(source: EngineSource): Promise<Engine> {
  return load(source, "extractive");
}

/** The functions that summarize without a model. */
const quoting = new WeakSet<object>();

/** True for a function that summarizes without a model: it reads a transcript in slices, and costs no requests. */
export function quotes(summarize: object): boolean {
  return quoting.has(summarize);
}

/** Takes note of a function that summarizes without a model. */
export function noteQuoting<S extends object>(summarize: S): S {
  quoting.add(summarize);
  return summarize;
}

/** A summarizer that quotes the messages. It can also be called directly, without a context. */
export type ExtractiveSummarize = (
  request: ExtractiveRequest,
  context?: Partial<SummarizeContext>,
) => Promise<string>;

/** What the summarizer that quotes needs of a request. */
export type ExtractiveRequest = Pick<SummaryRequest, "input" | "targetTokens"> &
  Partial<Pick<SummarizeRequest, "messages" | "notes" | "asksForState">>;

/** The summarizer that quotes, by the engine. */
export function extractiveFrom(source: EngineSource): ExtractiveSummarize {
  return noteQuoting(async (request, context = {}) => {
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
    const engine = await loadExtractive(source);
    // A transcript may be long. Before and after each slice of it the page must be able to paint and to abort.
    await pause();
    signal?.throwIfAborted();
    const extract = sound(engine, () => new engine.Extractive(text, notes, target, asksForState === true));
    try {
      for (;;) {
        const [summary, noted = ""] = sound(engine, () => extract.advance());
        await pause();
        signal?.throwIfAborted();
        if (summary !== undefined) {
          onNotes?.(noted);
          return summary;
        }
      }
    } finally {
      extract.free();
    }
  });
}

/** What a call returns. After one that ended abnormally, such as at the end of the stack, nothing new uses this engine. */
function sound<T>(engine: Engine, call: () => T): T {
  try {
    return call();
  } catch (error) {
    retire(engine);
    throw error;
  }
}
