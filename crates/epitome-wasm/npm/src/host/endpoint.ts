// Summaries by a model behind a chat-completions endpoint.

import type { Completion, EndpointOptions, SummaryRequest } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";
import type { SummarizeContext } from "./summarize.js";

/** A summarizer that asks an endpoint. It can also be called directly, without a context. */
export type EndpointSummarize = (
  request: Pick<SummaryRequest, "system" | "input" | "maxTokens">,
  context?: Partial<SummarizeContext>,
) => Promise<Completion>;

/** A summarizer that asks the endpoint of these options. */
export function endpointFrom(source: Source, options: EndpointOptions): EndpointSummarize {
  return async ({ system, input, maxTokens }, { signal, onDelta } = {}) => {
    const engine = await load(source);
    return engine.complete(options, system, input, maxTokens, signal, onDelta);
  };
}
