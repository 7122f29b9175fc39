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
  /** Gives up the start of the worker, or the work on a snapshot. */
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
  return guarded(() => begin<M>("create", [], fieldsOf(options, "options")));
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
  return guarded(() => {
    const fields = fieldsOf(options, "options");
    return begin<M>("restore", [snapshot], fields, fields.originals);
  });
}

/** Starts a worker, and makes a compactor in it. */
async function begin<M extends object>(
  method: "create" | "restore",
  given: readonly unknown[],
  options: WorkerOptions & { format: Format },
  originals: readonly M[] = [],
): Promise<WorkerCompactor<M>> {
  const { worker, ...others } = options;
  const signal = optionalSignal(others.signal);
  const thread = new Thread(worker);
  const aborted = (): void => thread.end(epitomeError("aborted", "it was aborted before the compactor was made", signal?.reason));
  signal?.addEventListener("abort", aborted, { once: true });
  if (signal?.aborted === true) {
    aborted();
  }
  try {
    thread.link.give(messagesOf(originals, "originals", "invalid-originals"));
    await thread.call(method, undefined, [...given, others], true);
  } catch (error) {
    thread.end(disposed());
    throw error;
  } finally {
    signal?.removeEventListener("abort", aborted);
  }
  const end = (): void => thread.end(disposed());
  return compactorBy<M>(thread.call, options.format, () => thread.dispose(), end);
}

/** A worker as long as one compactor is in it. */
class Thread {
  readonly link: Link;
  readonly call: ReturnType<typeof callsBy>;
  readonly #own: EngineWorker | undefined;
  readonly #unwatch: () => void;
  readonly #ending = new AbortController();
  #isLoaded = false;
  #isDisposed = false;

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
    this.call = callsBy(this.link, () => (this.#isDisposed ? disposed() : undefined));
  }

  /** Disposes of the compactor, and ends when that is done. */
  dispose(): void {
    if (!this.#isDisposed) {
      const done = this.call("dispose", undefined, []);
      this.#isDisposed = true;
      const end = (): void => this.end(disposed());
      void done.then(end, end);
    }
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
