// One compactor for the app, whichever compactor is behind it at the time.

import type { Agent, Compactor } from "../host/compactor.js";
import type { AgentOptions } from "../host/options.js";

/** How a method refuses if the conversation may not be changed: one that only reads never does. */
type Refusal = "never" | "throws" | "rejects";

/** Every method. A new one that is left out here does not compile. */
const REFUSALS: Record<Exclude<keyof Compactor, "format" | "dispose" | typeof Symbol.dispose>, Refusal> = {
  append: "throws",
  appendInSlices: "rejects",
  sync: "throws",
  syncInSlices: "rejects",
  insert: "throws",
  remove: "throws",
  truncate: "throws",
  switchTo: "throws",
  edit: "throws",
  completeTask: "throws",
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
  stateText: "never",
  structuredState: "never",
  layers: "never",
  session: "never",
  phase: "never",
  setRequestContext: "never",
  status: "never",
  statusUnder: "never",
  plan: "never",
  check: "never",
  due: "never",
  subscribe: "never",
  getSnapshot: "never",
  messages: "never",
  findings: "never",
  compacted: "never",
  sources: "never",
  metadata: "never",
  message: "never",
  history: "never",
  ids: "never",
  recall: "never",
  recallReturning: "never",
  messagesWithRecall: "never",
  offloaded: "never",
  snapshotInSlices: "never",
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
  /** What is to be called when another compactor is behind it. */
  readonly exchanged: Set<() => void>;
}

/** A compactor whose calls go to the one that is behind it at the time of each call, as do those of its agents. */
export function forwarded<M extends object>(behind: Behind<M>): Compactor<M> {
  const agents = new Map<string, Agent<M>>();
  const own: Partial<Compactor<M>> = {
    subscribe: subscribedTo(() => behind.compactor(), behind.exchanged),
    dispose: () => behind.close(),
    [Symbol.dispose]: () => behind.close(),
    agent: ((name: string, options?: AgentOptions<M>): Agent<M> => {
      // What is wrong with the name or the options is said at once.
      behind.compactor().agent(name, options);
      const known = agents.get(name);
      const current = (): Agent<M> => behind.compactor().agent(name, options);
      const subscribe = subscribedTo(current, behind.exchanged);
      const agent = known ?? forwardedTo<Agent<M>>(current, () => behind.whyReadOnly(), { subscribe });
      agents.set(name, agent);
      return agent;
    }) as Compactor<M>["agent"],
  };
  return forwardedTo(() => behind.compactor(), () => behind.whyReadOnly(), own);
}

/** Listens to the target, and to the one that takes its place. */
function subscribedTo<M extends object>(
  target: () => Pick<Compactor<M>, "subscribe">,
  exchanged: Set<() => void>,
): Compactor<M>["subscribe"] {
  return (listener) => {
    let stop = target().subscribe(listener);
    const follow = (): void => {
      stop();
      stop = target().subscribe(listener);
    };
    exchanged.add(follow);
    return () => {
      exchanged.delete(follow);
      stop();
    };
  };
}

/** An object whose methods are `own`, and otherwise those of the target at the time of each call. */
function forwardedTo<T extends object>(target: () => T, whyReadOnly: () => Error | undefined, own: Partial<T> = {}): T {
  const get = (_: object, name: PropertyKey): unknown => {
    if (Object.hasOwn(own, name)) {
      return Reflect.get(own, name);
    }
    const value: unknown = Reflect.get(target(), name);
    if (typeof value !== "function") {
      return value;
    }
    return (...given: unknown[]): unknown => {
      // The table has no entries for methods that every object has, such as `toString`.
      const refusal = REFUSALS[name as keyof typeof REFUSALS];
      const error = refusal === "throws" || refusal === "rejects" ? whyReadOnly() : undefined;
      if (error !== undefined) {
        return refusal === "rejects" ? Promise.reject(error) : raise(error);
      }
      return Reflect.apply(Reflect.get(target(), name) as () => unknown, target(), given);
    };
  };
  return new Proxy<T>({} as T, { get });
}

function raise(error: Error): never {
  throw error;
}
