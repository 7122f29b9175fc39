// A compactor that an app gives, or the options of one that is made when it is first needed.

import { fieldsOf } from "../arguments.js";
import { property } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Compactor } from "./compactor.js";
import type { CompactorOptions } from "./options.js";

/** The options of a compactor whose format is known. */
export type OptionsWithoutFormat<M extends object> = Omit<CompactorOptions<M, Format>, "format">;

/** A compactor, one that is being made, or the options of one. */
export type GivenCompactor<M extends object> = Compactor<M> | Promise<Compactor<M>> | OptionsWithoutFormat<M>;

/**
 * Gives the compactor. If options were given, the first call makes it, for messages of this format; `model` is the one that its
 * policy names if the options name none. After a failure, the next call tries again.
 */
export function compactorFrom<M extends object>(given: GivenCompactor<M>, format: Format): (model?: string) => Promise<Compactor<M>> {
  if (isCompactor<M>(given)) {
    return async () => given;
  }
  let making: Promise<Compactor<M>> | undefined;
  return (model) => {
    making ??= (async () => {
      if (typeof property(given, "then") === "function") {
        return given as Promise<Compactor<M>>;
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

function isCompactor<M extends object>(given: GivenCompactor<M>): given is Compactor<M> {
  return typeof property(given, "sync") === "function" && typeof property(given, "messages") === "function";
}
