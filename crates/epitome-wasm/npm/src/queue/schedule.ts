// When jobs run: a state machine without a clock and without I/O.

/** The numbers of a queue. */
export interface QueueSettings {
  /** How many jobs run at a time. Default: 2. */
  readonly concurrency: number;
  /** How long an attempt may take, in milliseconds; then it has failed. Default: 5 minutes. */
  readonly lockMs: number;
  /** How often a job is tried. Default: 2. */
  readonly attempts: number;
  /** How long the second attempt waits, in milliseconds; each later one waits twice as long. Default: 3 seconds. */
  readonly backoffMs: number;
}

/** The defaults. */
export const QUEUE_SETTINGS: QueueSettings = { concurrency: 2, lockMs: 5 * 60_000, attempts: 2, backoffMs: 3_000 };

/** What became of a job that was added. */
export type Added = "new" | "same" | "next";

/** An attempt that is to begin. */
export interface Attempt {
  readonly key: string;
  /** From 1. */
  readonly attempt: number;
}

interface Entry {
  /** How many attempts were begun. */
  attempt: number;
  /** When the next attempt may begin, or when the lock of the present one ends. */
  until: number;
  isRunning: boolean;
  /** True if another job of this key came while this one was running. */
  hasNext: boolean;
}

/** Jobs by their keys: of each key at most one runs and one waits. Times are milliseconds of the caller's clock. */
export class Schedule {
  readonly #settings: QueueSettings;
  /** In the order in which they came. */
  readonly #entries = new Map<string, Entry>();

  constructor(settings: QueueSettings) {
    this.#settings = settings;
  }

  /** Adds a job. One of the same key that waits is the same job; one that is running is followed by this one. */
  add(key: string, now: number): Added {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { attempt: 0, until: now, isRunning: false, hasNext: false });
      return "new";
    }
    if (!entry.isRunning || entry.hasNext) {
      return "same";
    }
    entry.hasNext = true;
    return "next";
  }

  /** True if a job of this key waits or runs. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The attempts that begin now, the oldest first. */
  begin(now: number): Attempt[] {
    const begun: Attempt[] = [];
    let free = this.#settings.concurrency - this.#running().length;
    for (const [key, entry] of this.#entries) {
      if (free > 0 && !entry.isRunning && entry.until <= now) {
        free -= 1;
        entry.isRunning = true;
        entry.attempt += 1;
        entry.until = now + this.#settings.lockMs;
        begun.push({ key, attempt: entry.attempt });
      }
    }
    return begun;
  }

  /** The attempts whose lock has ended. Each of them has failed. */
  expired(now: number): Attempt[] {
    const late = this.#running().filter(([, { until }]) => until <= now);
    return late.map(([key, { attempt }]) => ({ key, attempt }));
  }

  /** An attempt has succeeded. False if it is not the present one. */
  succeed({ key, attempt }: Attempt, now: number): boolean {
    return this.#isPresent(key, attempt) && this.#end(key, now);
  }

  /** An attempt has failed. Says what follows; undefined if it is not the present one. */
  fail({ key, attempt }: Attempt, now: number): "retry" | "failed" | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isPresent(key, attempt)) {
      return undefined;
    }
    const { attempts, backoffMs } = this.#settings;
    if (attempt >= attempts) {
      this.#end(key, now);
      return "failed";
    }
    entry.isRunning = false;
    entry.until = now + backoffMs * 2 ** (attempt - 1);
    return "retry";
  }

  /** When something is to be done that no call leads to; undefined if nothing is. */
  next(): number | undefined {
    const isFree = this.#running().length < this.#settings.concurrency;
    const times = [...this.#entries.values()].filter(({ isRunning }) => isRunning || isFree).map(({ until }) => until);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #isPresent(key: string, attempt: number): boolean {
    const entry = this.#entries.get(key);
    return entry?.isRunning === true && entry.attempt === attempt;
  }

  #running(): [string, Entry][] {
    return [...this.#entries].filter(([, { isRunning }]) => isRunning);
  }

  /** The job that came meanwhile goes to the end. */
  #end(key: string, now: number): true {
    const hasNext = this.#entries.get(key)?.hasNext === true;
    this.#entries.delete(key);
    if (hasNext) {
      this.add(key, now);
    }
    return true;
  }
}
