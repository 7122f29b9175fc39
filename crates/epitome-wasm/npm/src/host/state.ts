// What a page shows of a compactor, as stores of React, Svelte and Vue take it: the same object until something has changed.

import { optionalFunction } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Status } from "../glue/epitome.js";
import { notify } from "./notify.js";

/** What a page shows of a compactor. */
export interface CompactorState<M extends object = object> {
  readonly status: Status;
  /** What `messages()` returns. */
  readonly messages: readonly M[];
  /** True while a compaction runs. */
  readonly isCompacting: boolean;
}

/** What listens to the state of a compactor. */
type Listener<M extends object> = (state: CompactorState<M>) => void;

/** The latest state of a compactor, and who wants to know of the next one. */
export class States<M extends object> {
  readonly #read: () => CompactorState<M>;
  readonly #observe: (changed: () => void) => () => void;
  readonly #listeners = new Set<{ readonly call: Listener<M>; seen: CompactorState<M> }>();
  #latest: CompactorState<M> | undefined;
  #stop: (() => void) | undefined;
  #isScheduled = false;

  /** `read` reads the state, and throws if it cannot be read any more; `observe` calls a function after everything that may have
   * changed the state. */
  constructor(read: () => CompactorState<M>, observe: (changed: () => void) => () => void) {
    this.#read = read;
    this.#observe = observe;
  }

  /** The state: the same object until it is another one. */
  get(): CompactorState<M> {
    const next = this.#read();
    const { status, messages, isCompacting } = this.#latest ?? {};
    if (this.#latest === undefined || next.status !== status || next.messages !== messages || next.isCompacting !== isCompacting) {
      this.#latest = next;
    }
    return this.#latest as CompactorState<M>;
  }

  /** The state that was read last, for a page that is drawn once more after the end. */
  get latest(): CompactorState<M> | undefined {
    return this.#latest;
  }

  /** Calls a listener now, and whenever the state is another one. Returns what ends that. */
  subscribe(listener: Listener<M>): () => void {
    if (optionalFunction(listener, "listener") === undefined) {
      throw epitomeError("invalid-option", "listener: expected a function");
    }
    const entry = { call: listener, seen: this.get() };
    this.#listeners.add(entry);
    this.#stop ??= this.#observe(() => this.#schedule());
    void notify(listener, entry.seen);
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) {
        this.#stop?.();
        this.#stop = undefined;
      }
    };
  }

  /** In a microtask: many changes in a row are one to a page, and a listener finds no call in progress. */
  #schedule(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      queueMicrotask(() => {
        this.#isScheduled = false;
        this.#publish();
      });
    }
  }

  #publish(): void {
    let state: CompactorState<M>;
    try {
      state = this.get();
    } catch {
      // It was disposed of or is broken: the next call of the app says so.
      return;
    }
    // What each has seen, and not what was read last: a page reads the state at any time.
    for (const entry of [...this.#listeners].filter(({ seen }) => seen !== state)) {
      entry.seen = state;
      void notify(entry.call, state);
    }
  }
}
