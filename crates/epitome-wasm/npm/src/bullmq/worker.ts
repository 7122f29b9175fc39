// Compactions as jobs of BullMQ: a worker that carries them out.

import { type ConnectionOptions, type Job, UnrecoverableError, Worker } from "bullmq";
import type { Format, PolicySpec, Report } from "../glue/epitome.js";
import type { CompactionEvent } from "../host/events.js";
import type { Summarize } from "../host/summarize.js";
import { QUEUE_SETTINGS } from "../queue/schedule.js";
import { type Cipher, NO_CIPHER } from "../storage/cipher.js";
import type { Store } from "../storage/store.js";
import { readVerified } from "../storage/verified.js";
import { storeEffect } from "./effect.js";
import { EngineThreads } from "./engine-thread.js";
import { type CompactionJob, conversationId, QUEUE } from "./jobs.js";

/** What a job has done. */
export interface CompactionResult {
  /** `done-before` if an earlier run of this job had stored its effect. */
  readonly outcome: Report["outcome"] | "done-before" | "missing";
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
  /** Why nothing was compacted. */
  readonly message?: string;
}

/** Counts of a worker since it began. */
export interface CompactionMetrics {
  /** Compactions that are stored. */
  readonly applied: number;
  /** Jobs that had nothing to do. */
  readonly skipped: number;
  /** Compactions that failed, such as by their summarizer, and runs that ended with an error, whether or not they are repeated. */
  readonly failed: number;
  /** Jobs that run now. */
  readonly running: number;
  /** Requests to the summarizer. */
  readonly requests: number;
}

/** Options of a worker. */
export interface CompactionWorkerOptions {
  /** Redis, as for every worker of BullMQ. */
  connection: ConnectionOptions;
  /** Where the conversations are. */
  store: Store;
  /** Writes the summaries. It runs on the main thread; the engine does not. */
  summarize: Summarize<object>;
  /** The format of the messages, or that of each conversation. */
  format: Format | ((job: CompactionJob) => Format);
  /** A policy in place of the stored one. */
  policy?: PolicySpec;
  /** The agent that the conversations belong to. */
  agent?: string;
  cipher?: Cipher;
  summarizeTimeoutMs?: number;
  /** Default: `context-compaction`. */
  queueName?: string;
  /** BullMQ's prefix of the keys in Redis. */
  prefix?: string;
  /** Default: 2. */
  concurrency?: number;
  /** How long a worker that has died keeps its jobs, in milliseconds. Default: 5 minutes. A worker that lives renews its lock. */
  lockDuration?: number;
  /** How often it looks for jobs of workers that have died, in milliseconds. Default: 30 seconds. */
  stalledInterval?: number;
  /** Called for each event. The same events are the job's progress, as `QueueEvents` reports it to other processes. */
  onEvent?: (job: CompactionJob, event: CompactionEvent) => void;
  /** Called for errors that belong to no job, such as a connection that is lost. Default: they are ignored; BullMQ connects again. */
  onError?: (error: Error) => void;
}

/** A worker that runs. */
export interface CompactionWorker {
  /** What it has done since it began. */
  metrics(): CompactionMetrics;
  /** Takes no more jobs and resolves when those that run have ended. After `graceMs` they are cancelled, and run again elsewhere. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/** Begins to carry out the compactions of a queue. */
export function createCompactionWorker(options: CompactionWorkerOptions): CompactionWorker {
  return new Compactions(options);
}

class Compactions implements CompactionWorker {
  readonly #options: CompactionWorkerOptions;
  readonly #threads = new EngineThreads();
  readonly #stopping = new AbortController();
  readonly #worker: Worker<CompactionJob, CompactionResult>;
  readonly #counts = { applied: 0, skipped: 0, failed: 0, running: 0, requests: 0 };

  constructor(options: CompactionWorkerOptions) {
    this.#options = options;
    const { connection, queueName = QUEUE, prefix, stalledInterval, onError } = options;
    this.#worker = new Worker(queueName, (job) => this.#process(job), {
      connection,
      concurrency: options.concurrency ?? QUEUE_SETTINGS.concurrency,
      lockDuration: options.lockDuration ?? QUEUE_SETTINGS.lockMs,
      // A second run is harmless, so that a job survives several workers.
      maxStalledCount: 5,
      ...(prefix === undefined ? {} : { prefix }),
      ...(stalledInterval === undefined ? {} : { stalledInterval }),
    });
    this.#worker.on("error", (error) => onError?.(error));
  }

  metrics(): CompactionMetrics {
    return { ...this.#counts };
  }

  async close({ graceMs = Infinity }: { graceMs?: number } = {}): Promise<void> {
    const stop = (): void => this.#stopping.abort();
    const timer = graceMs < Infinity ? setTimeout(stop, graceMs) : undefined;
    try {
      await this.#worker.close();
    } finally {
      clearTimeout(timer);
      await this.#threads.close();
    }
  }

  async #process(job: Job<CompactionJob, CompactionResult>): Promise<CompactionResult> {
    this.#counts.running += 1;
    try {
      const result = await this.#compact(job);
      const { outcome } = result;
      this.#counts[outcome === "applied" || outcome === "failed" ? outcome : "skipped"] += 1;
      return result;
    } catch (error) {
      this.#counts.failed += 1;
      throw error;
    } finally {
      this.#counts.running -= 1;
    }
  }

  async #compact(job: Job<CompactionJob, CompactionResult>): Promise<CompactionResult> {
    const { store, cipher = NO_CIPHER, format, agent, policy, summarize, summarizeTimeoutMs, onEvent } = this.#options;
    const { data } = job;
    const [id, name] = [conversationId(data), job.id ?? ""];
    const head = await store.head(id);
    if (head === undefined || head.sequence === 0) {
      return { outcome: "missing" };
    }
    if (head.jobs.includes(name)) {
      return { outcome: "done-before" };
    }
    const read = await readVerified(store, id, head, cipher);
    if (read.damage !== undefined) {
      throw new UnrecoverableError(`the conversation ${JSON.stringify(id)} is damaged behind commit ${read.damage.whole}; open it to repair it`);
    }
    let failure: unknown;
    const report = await this.#threads.run({
      text: read.text + read.state,
      policy,
      reason: data.reason ?? "session-compaction",
      ...(data.instructions !== undefined && { instructions: data.instructions }),
      signal: this.#stopping.signal,
      onEvent: (event) => {
        onEvent?.(data, event);
        // Deltas are too many for Redis; everything else is rare.
        if (event.type !== "delta") {
          void job.updateProgress(event).catch(() => undefined);
        }
      },
      options: {
        format: typeof format === "function" ? format(data) : format,
        ...(agent !== undefined && { agent }),
        ...(summarizeTimeoutMs !== undefined && { summarizeTimeoutMs }),
        summarize: (request, context) => {
          this.#counts.requests += 1;
          return summarize(request, context);
        },
        commit: async (changes) => {
          try {
            await storeEffect(store, id, name, read, head, cipher, changes);
          } catch (error) {
            failure = error;
            throw error;
          }
        },
      },
    });
    if (failure !== undefined) {
      throw failure;
    }
    if (report.outcome === "cancelled") {
      throw new Error("the compaction was cancelled: its worker was closed, or its summarizer gave up");
    }
    const { outcome, tokensBefore, tokensAfter } = report;
    const message = "message" in report ? { message: report.message } : {};
    return { outcome, tokensBefore, tokensAfter, ...message };
  }
}
