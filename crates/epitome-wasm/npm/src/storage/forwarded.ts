// One compactor for the app, whichever compactor is behind it at the time.

import type { Compactor } from "../host/compactor.js";

/** The methods that change a conversation, or what is known of its requests. */
const WRITES: ReadonlySet<PropertyKey> = new Set<keyof Compactor>([
  "append",
  "sync",
  "insert",
  "remove",
  "truncate",
  "switchTo",
  "edit",
  "setTodo",
  "setStructuredState",
  "undo",
  "setPolicy",
  "reportUsage",
  "compact",
  "compactIfNeeded",
  "commit",
]);

/** Those of them that reject instead of throwing. */
const ASYNC: ReadonlySet<PropertyKey> = new Set<keyof Compactor>(["compact", "compactIfNeeded", "commit"]);

/** What is behind a compactor now. */
export interface Behind<M extends object> {
  compactor(): Compactor<M>;
  /** Why the conversation may not be changed; undefined if it may be. */
  whyReadOnly(): Error | undefined;
  /** Ends it, in place of `dispose`. */
  close(): void;
}

/** A compactor whose calls go to the one that is behind it at the time of each call. */
export function forwarded<M extends object>(behind: Behind<M>): Compactor<M> {
  const get = (_: object, name: PropertyKey): unknown => {
    if (name === "dispose" || name === Symbol.dispose) {
      return () => behind.close();
    }
    const value: unknown = Reflect.get(behind.compactor(), name);
    if (typeof value !== "function") {
      return value;
    }
    return (...given: unknown[]): unknown => {
      const error = WRITES.has(name) ? behind.whyReadOnly() : undefined;
      if (error !== undefined) {
        return ASYNC.has(name) ? Promise.reject(error) : raise(error);
      }
      const { compactor } = behind;
      return Reflect.apply(Reflect.get(compactor(), name) as () => unknown, compactor(), given);
    };
  };
  return new Proxy<Compactor<M>>({} as Compactor<M>, { get });
}

function raise(error: Error): never {
  throw error;
}
