// The AI SDK's hook before each request of a tool loop.

import { fieldsOf } from "../arguments.js";
import { property } from "../error.js";
import { compactorFrom, type Followed, type GivenCompactor } from "../host/given.js";
import type { AiSdkModelMessage } from "../host/format-messages.js";
import { messagesOfRequest, type RequestOptions } from "../host/request.js";

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
 * Give it a compactor, one for each chat, in this thread or in a worker, or the options of one, which lives as long as the hook.
 * Without a policy that says otherwise, the window is that of the model of the first step.
 */
export function prepareStep(given: GivenCompactor<AiSdkModelMessage> = {}, options: RequestOptions = {}): PrepareStep {
  const { recall } = fieldsOf(options, "options");
  const compactorOf = compactorFrom(given, "ai-sdk-model");
  // What was recalled for one step, with what it stood for: the next step begins with what this one has sent.
  const recalled = new WeakMap<object, readonly AiSdkModelMessage[]>();
  return async <M extends AiSdkModelMessage>({ messages, steps, model }: PreparedStep<M>): Promise<{ messages: M[] }> => {
    const compactor: Followed<AiSdkModelMessage> = await compactorOf(nameOf(model));
    await compactor.sync(messages.flatMap((message): readonly AiSdkModelMessage[] => recalled.get(message) ?? [message]));
    await compactor.reportUsage(steps.at(-1)?.usage);
    await compactor.compactIfNeeded();
    const sent = await messagesOfRequest(compactor, recall, (added, leftOut) => added.forEach((message) => recalled.set(message, leftOut)));
    return { messages: sent as M[] };
  };
}

/** The name of a model, which may be given as a name or as an object. */
export function nameOf(model: unknown): string | undefined {
  const name = typeof model === "string" ? model : property(model, "modelId");
  return typeof name === "string" ? name : undefined;
}
