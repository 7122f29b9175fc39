// The model that Chrome has built in, by its Prompt API. It needs no server and no key, and works without a network.

import type { ChatMessage } from "./answer.js";
import { AnswerError } from "./error.js";

/** Stands where a server has its base URL. */
export const CHROME = "built-in:";
/** Stands for the name of the model, of which a browser has one at most. */
export const BUILT_IN = "built-in";

/** What is used of the Prompt API, as Chrome has it from version 138 on. */
interface LanguageModel {
  availability(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: { initialPrompts?: readonly ChatMessage[]; signal?: AbortSignal }): Promise<Session>;
}

interface Session {
  promptStreaming(input: readonly ChatMessage[], options: { signal?: AbortSignal }): ReadableStream<string>;
  destroy(): void;
}

function languageModel(): LanguageModel | undefined {
  return (globalThis as { LanguageModel?: LanguageModel }).LanguageModel;
}

/** Whether this browser has such a model, or can fetch it. A browser may have the API without a model. */
export async function isBuiltIn(): Promise<boolean> {
  const availability = await languageModel()?.availability().catch(() => undefined);
  return availability !== undefined && availability !== "unavailable";
}

/** The built-in model, if it can be used. Chrome fetches it when it is used for the first time, which takes minutes. */
async function usable(): Promise<LanguageModel> {
  const model = languageModel();
  if (model === undefined || !(await isBuiltIn())) {
    throw new AnswerError("This browser has no built-in model. Chrome has one on computers with enough memory and space; choose a server otherwise.");
  }
  return model;
}

/** Resolves if the model can be used. */
export async function checkBuiltIn(): Promise<void> {
  await usable();
}

/** The text of an answer, in pieces as they are written. */
export async function* answerBuiltIn(messages: readonly ChatMessage[], signal: AbortSignal): AsyncGenerator<string> {
  const model = await usable();
  let session: Session | undefined;
  try {
    session = await model.create({ initialPrompts: messages.slice(0, -1), signal });
    const reader = session.promptStreaming(messages.slice(-1), { signal }).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      yield read.value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw tooLong(error) ?? new AnswerError(`Chrome’s model could not answer: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    session?.destroy();
  }
}

/** The error of a request that does not fit the model's window, in words in which that is recognized. */
function tooLong(error: unknown): AnswerError | undefined {
  if (!(error instanceof Error) || error.name !== "QuotaExceededError") {
    return undefined;
  }
  const { requested, quota } = error as Error & { requested?: number; quota?: number };
  const sizes = requested !== undefined && quota !== undefined;
  const words = sizes ? `request (${requested} tokens) exceeds the available context size (${quota} tokens)` : "request exceeds the available context size";
  return new AnswerError(`The ${words} of Chrome’s model.`, { cause: error });
}
