// A compactor whose engine is in a worker: the same methods, each of which returns a promise.

import { epitomeError, type EpitomeError } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Agent, Compactor } from "../host/compactor.js";
import type { MessageOf } from "../host/format-messages.js";
import type { AgentFormatOptions, AgentOptions } from "../host/options.js";
import type { TurnOptions, TurnResponse, TurnResult } from "../host/turn.js";
import { FIRST, type Link } from "./link.js";

/** What is not the same method in a worker. */
type Own = "format" | "name" | "agent" | "dispose" | typeof Symbol.dispose;

/** An interface each of whose methods returns a promise. */
export type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...given: infer G) => infer R ? (...given: G) => Promise<Awaited<R>> : T[K];
};

/** One agent of a team whose engine is in a worker: see `Agent`. */
export interface WorkerAgent<M extends object = object, S extends object = M> extends Promised<Omit<Agent<M, S>, Own>> {
  readonly format: Format;
  readonly name: string;
  /** What `runTurn` of `epitome` does. */
  runTurn<R extends TurnResponse<S>>(options: TurnOptions<S, R>): Promise<TurnResult<R>>;
}

/**
 * A compactor whose engine is in a worker: the methods of `Compactor`, each of which returns a promise, also for an error. They take effect
 * in the order of the calls.
 *
 * Messages that the app has given come back as the same objects; those that the engine has composed, such as a summary, are new
 * objects in each result. A listener of `subscribe` gets such states too.
 */
export interface WorkerCompactor<M extends object = object> extends Promised<Omit<Compactor<M>, Own>> {
  readonly format: Format;
  /** See `Compactor.agent`. What an agent in another format needs is loaded in the worker. */
  agent(name: string, options?: AgentOptions<M>): Promise<WorkerAgent<M>>;
  /** The same for an agent that is asked in another format. */
  agent<F extends Format>(name: string, options: AgentFormatOptions<MessageOf<F>, F>): Promise<WorkerAgent<M, MessageOf<F>>>;
  /** The same for the app's own type of message, `S`. */
  agent<S extends object>(name: string, options: AgentFormatOptions<S>): Promise<WorkerAgent<M, S>>;
  /** What `runTurn` of `epitome` does. The functions in the options are called here. */
  runTurn<R extends TurnResponse<M>>(options: TurnOptions<M, R>): Promise<TurnResult<R>>;
  /** Cancels a compaction that runs, frees the memory as soon as all calls have settled, and ends the worker unless the app has given it. */
  dispose(): void;
  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void;
  /** The same at once, without waiting for the worker: calls that have not settled reject with the code `disposed`. */
  terminate(): void;
}

/** The methods that a worker has, and `runTurn`. */
type Method = Exclude<keyof Compactor, Own> | "runTurn";

const NONE = undefined;

/** Every method, and which of its arguments are messages that come back as the same objects. A new one that is left out here
 * does not compile. */
const METHODS: Record<Method, number | undefined> = {
  append: 0,
  appendInSlices: 0,
  sync: 0,
  syncInSlices: 0,
  insert: 0,
  edit: 1,
  remove: NONE,
  truncate: NONE,
  branches: NONE,
  switchTo: NONE,
  agents: NONE,
  completeTask: NONE,
  setTodo: NONE,
  memory: NONE,
  memoryText: NONE,
  remember: NONE,
  setMemory: NONE,
  structuredState: NONE,
  stateText: NONE,
  setStructuredState: NONE,
  layers: NONE,
  session: NONE,
  phase: NONE,
  setRequestContext: NONE,
  status: NONE,
  statusUnder: NONE,
  subscribe: NONE,
  getSnapshot: NONE,
  plan: NONE,
  check: NONE,
  due: NONE,
  compactIfNeeded: NONE,
  compact: NONE,
  messages: NONE,
  findings: NONE,
  compacted: NONE,
  sources: NONE,
  metadata: NONE,
  message: NONE,
  history: NONE,
  ids: NONE,
  recall: NONE,
  recallReturning: NONE,
  messagesWithRecall: NONE,
  offloaded: NONE,
  undo: NONE,
  reportUsage: NONE,
  setPolicy: NONE,
  snapshot: NONE,
  snapshotInSlices: NONE,
  commit: NONE,
  saveState: NONE,
  contents: NONE,
  notes: NONE,
  unknownRecords: NONE,
  runTurn: NONE,
};

/** Methods whose functions are called after they have returned. */
const LASTING: ReadonlySet<string> = new Set(["subscribe"]);

/** Calls a method of a compactor in a worker, or of one of its agents. */
export type CallMethod = (method: string, agent: string | undefined, given: readonly unknown[], lasting?: boolean) => Promise<unknown>;

/** Calls by a link, until `whyEnded` says that there are none any more. */
export function callsBy(link: Link, whyEnded: () => EpitomeError | undefined): CallMethod {
  return (method, agent, given, lasting = LASTING.has(method)) => {
    const ended = whyEnded();
    if (ended !== undefined) {
      return Promise.reject(ended);
    }
    giveMessages(link, method, given);
    return link.call(FIRST, [method, agent, ...given], lasting);
  };
}

/** The compactor of the app. `end` disposes of the one in the worker, and `terminate` does not wait for it. */
export function compactorBy<M extends object>(call: CallMethod, format: Format, end: () => void, terminate: () => void): WorkerCompactor<M> {
  const agent = async (name: string, options?: { format?: Format }): Promise<object> => {
    const given = await call("agent", undefined, options === undefined ? [name] : [name, options], true);
    return { ...methodsBy(call, name), name, format: given };
  };
  const own = { format, agent, terminate, dispose: end, [Symbol.dispose]: end };
  return { ...methodsBy(call, undefined), ...own } as unknown as WorkerCompactor<M>;
}

/** The error after the end. */
export function disposed(): EpitomeError {
  return epitomeError("disposed", "the compactor was disposed of; make another one");
}

function methodsBy(call: CallMethod, agent: string | undefined): object {
  return Object.fromEntries(Object.keys(METHODS).map((method) => [method, (...given: unknown[]) => call(method, agent, given)]));
}

/** Says which arguments are messages. `sync` reads those that it knows from an earlier call no more, but for the last one, which an app that
 * streams changes in place. */
function giveMessages(link: Link, method: string, given: readonly unknown[]): void {
  const at = METHODS[method as Method];
  const messages = at === undefined ? [] : given[at];
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  const isSynced = method === "sync" || method === "syncInSlices";
  link.give(list, isSynced);
  link.give(list.slice(-1));
}
