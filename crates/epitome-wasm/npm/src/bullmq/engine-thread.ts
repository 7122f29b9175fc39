// Threads with engines, so that the event loop of the worker stays free to renew its lock: each compacts one conversation at a time, and is
// used again.

import type { PolicySpec, Reason, Report } from "../glue/epitome.js";
import type { CompactOptions } from "../host/compactor.js";
import { restoreWorkerCompactor, type WorkerRestoreOptions } from "../worker/create.js";
import { type EngineWorker, startWorker } from "../worker/thread.js";

/** A compaction for a thread. */
export interface Task extends Pick<CompactOptions, "instructions" | "signal" | "onEvent"> {
  /** The records and the state of the conversation. */
  readonly text: string;
  readonly options: WorkerRestoreOptions;
  /** A policy in place of the stored one. */
  readonly policy: PolicySpec | undefined;
  readonly reason: Reason;
}

/** Threads that are not in use. */
export class EngineThreads {
  readonly #free: EngineWorker[] = [];
  readonly #all = new Set<EngineWorker>();

  /** Compacts a conversation. Rejects if the thread ends, or if the compaction cannot begin. */
  async run(task: Task): Promise<Report> {
    const thread = this.#free.pop() ?? this.#start();
    let isReusable = false;
    try {
      const report = await compactIn(thread, task);
      isReusable = true;
      return report;
    } finally {
      if (isReusable && this.#all.has(thread)) {
        this.#free.push(thread);
      } else {
        this.#all.delete(thread);
        void thread.terminate();
      }
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    const threads = [...this.#all];
    this.#all.clear();
    await Promise.all(threads.map((thread) => thread.terminate()));
  }

  #start(): EngineWorker {
    const thread = startWorker();
    this.#all.add(thread);
    return thread;
  }
}

async function compactIn(worker: EngineWorker, { text, options, policy, ...compaction }: Task): Promise<Report> {
  const compactor = await restoreWorkerCompactor<object>(text, { ...options, worker });
  try {
    if (policy !== undefined) {
      await compactor.setPolicy(policy);
    }
    return await compactor.compact(compaction);
  } finally {
    compactor.dispose();
  }
}
