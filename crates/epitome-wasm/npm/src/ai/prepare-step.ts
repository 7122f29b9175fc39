// The AI SDK's hook before each request of a tool loop.

import { property } from "../error.js";
import { compactorFrom, type GivenCompactor } from "../host/given.js";
import type { AiSdkModelMessage } from "../host/format-messages.js";

/** What the AI SDK passes to its hook. */
export interface PreparedStep<M extends object> {
  /** The messages that this step is about to send. */
  readonly messages: readonly M[];
  /** The steps so far, each with its usage. */
  readonly steps: readonly { readonly usage?: object }[];
  /** The model, or its name. */
  readonly model?: unknown;
}

/** A hook for `prepareStep`. */
export type PrepareStep = <M extends AiSdkModelMessage>(step: PreparedStep<M>) => Promise<{ messages: M[] }>;

/**
 * Keeps the tool loops of `generateText`, `streamText` and agents inside the window: `prepareStep: prepareStep()`.
 *
 * Give it a compactor, one for each chat, or the options of one, which lives as long as the hook. Without a policy that says
 * otherwise, the window is that of the model of the first step.
 */
export function prepareStep(given: GivenCompactor<AiSdkModelMessage> = {}): PrepareStep {
  const compactorOf = compactorFrom(given, "ai-sdk-model");
  return async <M extends AiSdkModelMessage>({ messages, steps, model }: PreparedStep<M>): Promise<{ messages: M[] }> => {
    const compactor = await compactorOf(nameOf(model));
    compactor.sync(messages);
    compactor.reportUsage(steps.at(-1)?.usage);
    await compactor.compactIfNeeded();
    return { messages: compactor.messages() as M[] };
  };
}

/** The name of a model, which may be given as a name or as an object. */
export function nameOf(model: unknown): string | undefined {
  const name = typeof model === "string" ? model : property(model, "modelId");
  return typeof name === "string" ? name : undefined;
}
