// Compactions as jobs in the page: a few at a time, one for each conversation, with retries.

import { epitomeError } from "../error.js";
import { type Attempt, QUEUE_SETTINGS, type QueueSettings, Schedule } from "./schedule.js";

/** A conversation as jobs name it. */
export interface ConversationKey {
  /** What kind of conversation it is, such as `chat`. */
  readonly domain: string;
  /** Which one it is. */
  readonly entityId: string;
}

/** What a job gets. */
export interface JobContext {
  /** Aborts when the time of the attempt is over, or when the queue is closed. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
}

/** The time, and how to wait. A test can give another one. */
export interface Clock {
  /** Milliseconds since any point in time. */
  now(): number;
  /** Calls back after some milliseconds. Returns what cancels that. */
  after(ms: number, callback: () => void): () => void;
}

/** Options of a queue. */
export interface QueueOptions extends Partial<QueueSettings> {
  /**
   * Compacts a conversation: `compact()` of its compactor. If it throws or rejects, the job is tried again. A report that says
   * `failed` is a result: the compactor has repeated its requests itself.
   */
  run(conversation: ConversationKey, context: JobContext): unknown;
  /** Default: the platform's. */
  clock?: Clock;
}

/** A queue of compactions. */
export interface CompactionQueue {
  /**
   * Adds a job, unless one of this conversation waits. Resolves when it has ended, and rejects with the error of its last attempt.
   */
  enqueue(conversation: ConversationKey): Promise<void>;
  /** Resolves when no job of this conversation waits or runs, whatever became of them. A chat request waits for it. */
  settled(conversation: ConversationKey): Promise<void>;
  /** True while a job of this conversation waits or runs. */
  isCompacting(conversation: ConversationKey): boolean;
  /** Aborts what runs, and rejects what waits with `disposed`. */
  close(): void;
}

/** One job that somebody waits for. */
interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const PLATFORM: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The key of a conversation's jobs. */
export function jobKey({ domain, entityId }: ConversationKey): string {
  return `compact:${domain}:${entityId}`;
}

/** A queue of compactions in this page or process. */
export function compactionQueue(options: QueueOptions): CompactionQueue {
  return new Queue(options);
}

class Queue implements CompactionQueue {
  readonly #schedule: Schedule;
  readonly #run: QueueOptions["run"];
  readonly #clock: Clock;
  readonly #conversations = new Map<string, ConversationKey>();
  /** The jobs of each key: the one that waits or runs, and the one behind it. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #controllers = new Map<string, AbortController>();
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor({ run, clock = PLATFORM, ...settings }: QueueOptions) {
    this.#schedule = new Schedule({ ...QUEUE_SETTINGS, ...settings });
    this.#run = run;
    this.#clock = clock;
  }

  enqueue(conversation: ConversationKey): Promise<void> {
    if (this.#isClosed) {
      return Promise.reject(closed());
    }
    const key = jobKey(conversation);
    this.#conversations.set(key, conversation);
    const jobs = this.#waiting.get(key) ?? [];
    if (this.#schedule.add(key, this.#clock.now()) !== "same") {
      jobs.push(waiting());
      this.#waiting.set(key, jobs);
    }
    this.#step();
    return (jobs.at(-1) as Waiting).promise;
  }

  async settled(conversation: ConversationKey): Promise<void> {
    const key = jobKey(conversation);
    for (let jobs = this.#waiting.get(key); jobs !== undefined; jobs = this.#waiting.get(key)) {
      await Promise.allSettled(jobs.map(({ promise }) => promise));
    }
  }

  isCompacting(conversation: ConversationKey): boolean {
    return this.#schedule.has(jobKey(conversation));
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
    this.#controllers.forEach((controller) => controller.abort(closed()));
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    jobs.forEach(({ reject }) => reject(closed()));
  }

  /** Ends what has taken too long, begins what may begin, and waits for what comes next. */
  #step(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.#isClosed) {
      return;
    }
    const now = this.#clock.now();
    for (const attempt of this.#schedule.expired(now)) {
      const error = epitomeError("aborted", "the compaction has taken longer than its lock");
      this.#controllers.get(attempt.key)?.abort(error);
      this.#failed(attempt, error, now);
    }
    this.#schedule.begin(now).forEach((attempt) => this.#begin(attempt));
    const next = this.#schedule.next();
    if (next !== undefined) {
      this.#wake = this.#clock.after(Math.max(0, next - now), () => this.#step());
    }
  }

  #begin(attempt: Attempt): void {
    const controller = new AbortController();
    this.#controllers.set(attempt.key, controller);
    const conversation = this.#conversations.get(attempt.key) as ConversationKey;
    void Promise.resolve()
      .then(() => this.#run(conversation, { signal: controller.signal, attempt: attempt.attempt }))
      .then(
        () => {
          if (this.#schedule.succeed(attempt, this.#clock.now())) {
            this.#ended(attempt.key)?.resolve();
          }
        },
        (error: unknown) => this.#failed(attempt, error, this.#clock.now()),
      )
      .then(() => this.#step());
  }

  #failed(attempt: Attempt, error: unknown, now: number): void {
    if (this.#schedule.fail(attempt, now) === "failed") {
      this.#ended(attempt.key)?.reject(error);
    }
  }

  #ended(key: string): Waiting | undefined {
    const [job, ...rest] = this.#waiting.get(key) ?? [];
    if (rest.length === 0) {
      this.#waiting.delete(key);
    } else {
      this.#waiting.set(key, rest);
    }
    if (!this.#schedule.has(key)) {
      this.#conversations.delete(key);
      this.#controllers.delete(key);
    }
    return job;
  }
}

function waiting(): Waiting {
  let [resolve, reject]: [() => void, (error: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((resolved, rejected) => {
    [resolve, reject] = [resolved, rejected];
  });
  // An app that does not wait for the promise must not get an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

function closed(): Error {
  return epitomeError("disposed", "the queue was closed");
}
