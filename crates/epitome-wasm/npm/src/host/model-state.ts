// Summaries by a model that begin with the state of the messages, which is read without one.

import type { SummaryRequest } from "../glue/epitome.js";
import type { EngineSource } from "../wasm/engine.js";
import { loadExtractive } from "./extractive.js";
import { pause } from "./pause.js";
import type { Summarize, SummarizeRequest } from "./summarize.js";

/** What is needed of a request to read the state of its messages. */
export type StatedRequest = Pick<SummaryRequest, "system" | "input"> &
  Partial<Pick<SummarizeRequest, "targetTokens" | "messages" | "asksForState" | "givenState">>;

/** What the summary begins with, and what the model is to get. */
export interface ModelState {
  readonly state: string;
  readonly system: string;
  readonly input: string;
}

/** The state of a request's messages, and the request with it. Undefined if there is none: the request has messages and no
 * transcript, is about the memory, or asks for a very short summary. */
export async function stateFor(
  source: EngineSource,
  { system, input, targetTokens, messages, asksForState, givenState = "none" }: StatedRequest,
): Promise<ModelState | undefined> {
  if (messages !== undefined || targetTokens === undefined || givenState === "none") {
    return undefined;
  }
  const module = await loadExtractive(source);
  // A long conversation has many chunks. Before and after each of them the page must be able to paint and to abort.
  await pause();
  const texts = module.forModel(system, input, targetTokens, givenState === "shown", asksForState === true);
  await pause();
  const [state, amending, shown] = texts;
  return state === undefined || amending === undefined || shown === undefined ? undefined : { state, system: amending, input: shown };
}

/** The same summarizer, whose summaries begin with the state. */
export function withStateFrom<M extends object>(source: EngineSource, summarize: Summarize<M>): Summarize<M> {
  return async (request, context) => {
    const given = await stateFor(source, request);
    if (given === undefined) {
      return summarize(request, context);
    }
    context.signal.throwIfAborted();
    const { state, system, input } = given;
    const answer = await summarize({ ...request, system, input }, context);
    return typeof answer === "string" ? { text: answer, state } : { ...answer, state };
  };
}
