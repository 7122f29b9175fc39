// Workers of pages and of Node: how one is started, how it gets a port, and how one learns that it has ended.

import { type EpitomeError, epitomeError, messageOf } from "../error.js";

/** A `Worker` of a page, or of `node:worker_threads`. */
export interface EngineWorker {
  /** Sends a message with a port. */
  postMessage(message: unknown, transfer: MessagePort[]): void;
  /** Ends it at once. */
  terminate(): unknown;
}

/** What is used of a worker of a page. */
type PageWorker = EngineWorker & Pick<Worker, "addEventListener" | "removeEventListener">;

/** What is used of a worker of Node. */
interface NodeWorker extends EngineWorker {
  on(event: "error" | "exit", listener: (what: unknown) => void): unknown;
  off(event: "error" | "exit", listener: (what: unknown) => void): unknown;
  unref(): void;
}

/** What a worker gets when a compactor in it is wanted. */
export interface Wanted {
  readonly epitome: "compactor";
  readonly port: MessagePort;
  /** A lock of the browser that the worker holds while it lives. */
  readonly lock: string | undefined;
}

/** What is used of `node:worker_threads`. */
interface Threads {
  readonly Worker: new (address: URL) => NodeWorker;
  readonly parentPort: { on(event: "message", listener: (data: unknown) => void): void } | null;
}

/** Starts a worker with an engine. */
export function startWorker(): EngineWorker {
  try {
    return started();
  } catch (error) {
    throw notStarted(messageOf(error, "no reason was given"), error);
  }
}

/** The error for a worker that has never answered. */
export function notStarted(reason: string, cause: unknown): EpitomeError {
  const advice = "check that its script is served, and that the page's policy has worker-src 'self'";
  return epitomeError("not-loaded", `the worker could not be started (${reason}); ${advice}`, cause);
}

function started(): EngineWorker {
  if (typeof Worker === "function") {
    return new Worker(new URL("./engine-worker.js", import.meta.url), { type: "module" });
  }
  const threads = nodeThreads();
  if (threads === undefined) {
    throw new Error("this runtime has no workers; in Node, they need 20.16 or later");
  }
  // Not as one expression: a bundler for pages would take it for a file that is to be copied, or warn.
  const here = import.meta.url;
  const worker = new threads.Worker(new URL("./engine-worker.js", here));
  worker.unref();
  return worker;
}

/** One end of a channel to a worker, and the lock that the worker holds while it lives. */
export function connect(worker: EngineWorker): Omit<Wanted, "epitome"> {
  const { port1, port2 } = new MessageChannel();
  const lock = isOfPage(worker) && locks() !== undefined ? `epitome-worker-${crypto.randomUUID()}` : undefined;
  const wanted: Wanted = { epitome: "compactor", port: port2, lock };
  worker.postMessage(wanted, [port2]);
  return { port: port1, lock };
}

/** Holds the lock of a worker in it. Resolves to what gives it back, as soon as it is held. */
export function hold(lock: string | undefined): Promise<() => void> {
  return new Promise((resolve) => {
    if (lock === undefined) {
      return resolve(() => {});
    }
    void locks()?.request(lock, () => new Promise<void>((release) => resolve(release)));
  });
}

/** Calls a function when a worker has released its lock, which its end does too: a page gets no event for that. */
export function whenFree(lock: string | undefined, ended: () => void, signal: AbortSignal): void {
  if (lock !== undefined) {
    void locks()?.request(lock, { signal }, ended).catch(() => {
      // It has ended here before.
    });
  }
}

/** The locks of the browser, which only secure pages have. */
function locks(): LockManager | undefined {
  return (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
}

/** What is done when a worker reports an error, or has ended. */
export interface WorkerWatch {
  failed(reason: string, cause: unknown): void;
  ended(): void;
}

/** Listens to what happens to a worker. Returns what ends that. */
export function watch(worker: EngineWorker, { failed, ended }: WorkerWatch): () => void {
  const report = (cause: unknown): void => failed(messageOf(cause, "its script could not be loaded"), cause);
  if (isOfPage(worker)) {
    const listener = (event: ErrorEvent): void => report(event.error ?? { message: event.message ?? "" });
    worker.addEventListener("error", listener);
    return () => worker.removeEventListener("error", listener);
  }
  const thread = worker as NodeWorker;
  thread.on("error", report);
  thread.on("exit", ended);
  return () => {
    thread.off("error", report);
    thread.off("exit", ended);
  };
}

function isOfPage(worker: EngineWorker): worker is PageWorker {
  return "addEventListener" in worker;
}

/** Calls a function for each compactor that is wanted in this worker. */
export function onWanted(serve: (wanted: Wanted) => void): void {
  const receive = (data: unknown): void => {
    if (isWanted(data)) {
      serve(data);
    }
  };
  const parentPort = nodeThreads()?.parentPort ?? undefined;
  if (parentPort === undefined) {
    globalThis.addEventListener("message", ({ data }: MessageEvent) => receive(data));
  } else {
    parentPort.on("message", receive);
  }
}

function isWanted(data: unknown): data is Wanted {
  return typeof data === "object" && data !== null && Reflect.get(data, "epitome") === "compactor";
}

/** Not by an import: bundlers for pages would not find it. */
function nodeThreads(): Threads | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } };
  return process?.getBuiltinModule?.("node:worker_threads") as Threads | undefined;
}
