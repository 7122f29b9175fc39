// Makes compactors whose engines are in workers, new and restored.

import { fieldsOf, messagesOf, optionalSignal } from "../arguments.js";
import { type EpitomeError, epitomeError, guarded } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { FormatOf, MessageOf } from "../host/format-messages.js";
import type { CompactorOptions, RestoreOptions } from "../host/options.js";
import { callsBy, compactorBy, disposed, type WorkerCompactor } from "./compactor.js";
import { Link } from "./link.js";
import { connect, type EngineWorker, notStarted, startWorker, watch, whenFree } from "./thread.js";

/** Where the engine of a compactor is. */
export interface WorkerOptions {
  /** A worker of the app that has called `serveCompactors()`. It may have several compactors, and none of them ends it. Default: a
   * worker of its own, which ends with the compactor. */
  worker?: EngineWorker;
  /** Gives up the start of the worker, the work on a snapshot, or the opening of a conversation. */
  signal?: AbortSignal;
}

/** Options of a compactor in a worker. Functions in them are called in the thread that has given them. */
export interface WorkerCompactorOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends Omit<CompactorOptions<M, F>, "recallIndex">,
    WorkerOptions {}

/** Options of a compactor in a worker that continues from a snapshot. */
export interface WorkerRestoreOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends Omit<RestoreOptions<M, F>, "recallIndex" | "signal">,
    WorkerOptions {}

/**
 * Creates a compactor for a new conversation, with its engine in a worker. The format says what type the messages have, unless the result
 * is assigned to a compactor of the app's own type.
 *
 * Rejects with `not-loaded` if the worker cannot be started. If it ends later, everything rejects with `broken`.
 */
export function createWorkerCompactor<F extends Format, M extends object = MessageOf<F>>(
  options: WorkerCompactorOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<WorkerCompactor<M>>;
/** The same for the app's own type of message, `M`. */
export function createWorkerCompactor<M extends object>(options: WorkerCompactorOptions<M>): Promise<WorkerCompactor<M>>;
export function createWorkerCompactor<M extends object>(options: WorkerCompactorOptions<M, Format>): Promise<WorkerCompactor<M>> {
  return guarded(async () => {
    const { worker, ...others } = fieldsOf(options, "options");
    const { thread } = await begin("create", [others], { worker, signal: others.signal });
    return thread.compactor<M>(others.format);
  });
}

/** Creates a compactor in a worker that continues from a snapshot. The format says what type the messages have. */
export function restoreWorkerCompactor<F extends Format, M extends object = MessageOf<F>>(
  snapshot: string,
  options: WorkerRestoreOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<WorkerCompactor<M>>;
/** The same for the app's own type of message, `M`. */
export function restoreWorkerCompactor<M extends object>(snapshot: string, options: WorkerRestoreOptions<M>): Promise<WorkerCompactor<M>>;
export function restoreWorkerCompactor<M extends object>(
  snapshot: string,
  options: WorkerRestoreOptions<M, Format>,
): Promise<WorkerCompactor<M>> {
  return guarded(async () => {
    const { worker, ...others } = fieldsOf(options, "options");
    const { thread } = await begin("restore", [snapshot, others], { worker, signal: others.signal }, others.originals);
    return thread.compactor<M>(others.format);
  });
}

/** Starts a worker, and makes a compactor in it: by this method of the worker's side, whose answer is returned. */
export async function begin(
  method: "create" | "restore" | "open",
  given: readonly unknown[],
  options: { readonly [K in keyof WorkerOptions]: WorkerOptions[K] | undefined },
  originals: readonly object[] = [],
): Promise<{ readonly thread: Thread; readonly answer: unknown }> {
  const signal = optionalSignal(options.signal);
  const thread = new Thread(options.worker);
  const aborted = (): void => thread.end(epitomeError("aborted", "it was aborted before the compactor was made", signal?.reason));
  signal?.addEventListener("abort", aborted, { once: true });
  if (signal?.aborted === true) {
    aborted();
  }
  try {
    thread.link.give(messagesOf(originals, "originals", "invalid-originals"));
    return { thread, answer: await thread.call(method, undefined, given, true) };
  } catch (error) {
    thread.end(disposed());
    throw error;
  } finally {
    signal?.removeEventListener("abort", aborted);
  }
}

/** A worker as long as one compactor is in it. */
class Thread {
  readonly link: Link;
  readonly call: ReturnType<typeof callsBy>;
  readonly #own: EngineWorker | undefined;
  readonly #unwatch: () => void;
  readonly #ending = new AbortController();
  #isLoaded = false;
  #disposed: Promise<void> | undefined;

  constructor(given: EngineWorker | undefined) {
    const worker = given ?? startWorker();
    this.#own = given === undefined ? worker : undefined;
    const ended = (): void => this.end(this.#failure("it has ended", undefined));
    const unwatch = watch(worker, { ended, failed: (reason, cause) => this.end(this.#failure(reason, cause)) });
    this.#unwatch = unwatch;
    const { port, lock } = connect(worker);
    this.link = new Link(port, {
      // The worker calls it as soon as it runs.
      first: () => {
        this.#isLoaded = true;
        if (given !== undefined) {
          // What else the app's own worker does is not about the compactor. Its end closes the port, or frees the lock.
          unwatch();
        }
        whenFree(lock, ended, this.#ending.signal);
      },
      closed: ended,
    });
    this.call = callsBy(this.link, () => (this.#disposed !== undefined ? disposed() : undefined));
  }

  /** The compactor that was made. */
  compactor<M extends object>(format: Format): WorkerCompactor<M> {
    return compactorBy<M>(this.call, format, () => void this.dispose(), () => this.end(disposed()));
  }

  /** Disposes of the compactor, and ends when that is done. Never rejects. */
  dispose(): Promise<void> {
    if (this.#disposed === undefined) {
      const done = this.call("dispose", undefined, []);
      const end = (): void => this.end(disposed());
      this.#disposed = done.then(end, end);
    }
    return this.#disposed;
  }

  /** Ends at once. */
  end(error: EpitomeError): void {
    this.#unwatch();
    this.#ending.abort();
    this.link.close(error);
    void this.#own?.terminate();
  }

  #failure(reason: string, cause: unknown): EpitomeError {
    if (!this.#isLoaded) {
      return notStarted(reason, cause);
    }
    const message = `the worker of this compactor does not run any more (${reason}); restore the conversation from its last snapshot or commit`;
    return epitomeError("broken", message, cause);
  }
}
