// A compactor that an app gives, in its thread or in a worker, or the options of one that is made when it is first needed.

import { fieldsOf } from "../arguments.js";
import { property } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { WorkerCompactor } from "../worker/compactor.js";
import type { Compactor } from "./compactor.js";
import type { CompactorOptions } from "./options.js";

/** The options of a compactor whose format is known. */
export type OptionsWithoutFormat<M extends object> = Omit<CompactorOptions<M, Format>, "format">;

/** A compactor of this thread, or one whose engine is in a worker. */
export type AnyCompactor<M extends object> = Compactor<M> | WorkerCompactor<M>;

/** A compactor, one that is being made, or the options of one. */
export type GivenCompactor<M extends object> = AnyCompactor<M> | Promise<AnyCompactor<M>> | OptionsWithoutFormat<M>;

/** An interface whose methods may return promises: a compactor in a worker has it too. */
export type Awaitable<T> = {
  readonly [K in keyof T]: T[K] extends (...given: infer G) => infer R ? (...given: G) => R | Promise<Awaited<R>> : T[K];
};

/** What the entries for SDKs call of a compactor. They await all of it. */
export type Followed<M extends object> = Awaitable<
  Pick<Compactor<M>, "sync" | "reportUsage" | "compactIfNeeded" | "messages" | "messagesWithRecall" | "setRequestContext">
>;

/** Whether a compactor is one in a worker. */
export function isInWorker<M extends object>(compactor: AnyCompactor<M>): compactor is WorkerCompactor<M> {
  return typeof property(compactor, "terminate") === "function";
}

/**
 * Gives the compactor. If options were given, the first call makes it, for messages of this format; `model` is the one that its
 * policy names if the options name none. After a failure, the next call tries again.
 */
export function compactorFrom<M extends object>(given: GivenCompactor<M>, format: Format): (model?: string) => Promise<AnyCompactor<M>> {
  if (isCompactor<M>(given)) {
    return async () => given;
  }
  let making: Promise<AnyCompactor<M>> | undefined;
  return (model) => {
    making ??= (async () => {
      if (typeof property(given, "then") === "function") {
        return given as Promise<AnyCompactor<M>>;
      }
      // An app that gives a compactor does not need the code that makes one.
      const { createCompactor } = await import("../api/api.js");
      const options = withModel(fieldsOf(given as OptionsWithoutFormat<M>, "options"), model);
      return createCompactor<M>({ ...options, format } as unknown as CompactorOptions<M>);
    })().catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return making;
  };
}

/** Options whose policy has the window of this model, unless they say otherwise. */
export function withModel<O extends { policy?: OptionsWithoutFormat<object>["policy"] }>(options: O, model: string | undefined): O {
  const isNamed = ["model", "window", "modelWindow"].some((name) => property(options.policy, name) !== undefined);
  return model === undefined || isNamed ? options : { ...options, policy: { ...options.policy, model } };
}

function isCompactor<M extends object>(given: GivenCompactor<M>): given is AnyCompactor<M> {
  return typeof property(given, "sync") === "function" && typeof property(given, "messages") === "function";
}
