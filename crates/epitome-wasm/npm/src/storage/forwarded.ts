// One compactor for the app, whichever compactor is behind it at the time.

import type { Compactor } from "../host/compactor.js";

/** How a method refuses if the conversation may not be changed: one that only reads never does. */
type Refusal = "never" | "throws" | "rejects";

/** Every method. A new one that is left out here does not compile. */
const REFUSALS: Record<Exclude<keyof Compactor, "format" | "dispose" | typeof Symbol.dispose>, Refusal> = {
  append: "throws",
  sync: "throws",
  insert: "throws",
  remove: "throws",
  truncate: "throws",
  switchTo: "throws",
  edit: "throws",
  setTodo: "throws",
  remember: "throws",
  setMemory: "throws",
  setStructuredState: "throws",
  undo: "throws",
  setPolicy: "throws",
  reportUsage: "throws",
  compact: "rejects",
  compactIfNeeded: "rejects",
  commit: "rejects",
  branches: "never",
  agent: "never",
  agents: "never",
  memory: "never",
  memoryText: "never",
  structuredState: "never",
  session: "never",
  phase: "never",
  setRequestContext: "never",
  status: "never",
  statusUnder: "never",
  plan: "never",
  check: "never",
  due: "never",
  messages: "never",
  findings: "never",
  compacted: "never",
  metadata: "never",
  history: "never",
  recall: "never",
  recallReturning: "never",
  messagesWithRecall: "never",
  offloaded: "never",
  snapshot: "never",
  saveState: "never",
  contents: "never",
  notes: "never",
  unknownRecords: "never",
};

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
      // Of what every object has, such as `toString`, the table says nothing.
      const refusal = REFUSALS[name as keyof typeof REFUSALS];
      const error = refusal === "throws" || refusal === "rejects" ? behind.whyReadOnly() : undefined;
      if (error !== undefined) {
        return refusal === "rejects" ? Promise.reject(error) : raise(error);
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
