// Does what the engine asks for: one function for each of its outputs.

import type { CompactionEvent, CompactOptions, Compactor } from "./compactor.js";
import { epitomeError } from "./error.js";
import type {
  Compactor as EngineCompactor,
  EngineEvent,
  Output,
  Plan,
  PolicySpec,
  Reason,
  Report,
  Status,
  SummaryRequest,
  Usage,
} from "./glue/epitome.js";
import { type Answer, answerOf, failureOf, type Summarize } from "./summarize.js";

/** A compaction under way. */
interface Run {
  readonly controller: AbortController;
  readonly onEvent: ((event: CompactionEvent) => void) | undefined;
  readonly resolve: (report: Report) => void;
  readonly reject: (error: unknown) => void;
  inFlight?: number;
  timer?: ReturnType<typeof setTimeout>;
}

export class Driver<M extends object> implements Compactor<M> {
  readonly #engine: EngineCompactor;
  readonly #summarize: Summarize;
  readonly #originals = new Map<string, M>();
  #run: Run | undefined;
  #disposed = false;

  /** `originals` are the messages that the engine knows, in order. */
  constructor(engine: EngineCompactor, summarize: Summarize, originals: readonly M[] = []) {
    this.#engine = engine;
    this.#summarize = summarize;
    for (const [index, id] of engine.ids().entries()) {
      const original = originals[index];
      if (original !== undefined) {
        this.#originals.set(id, original);
      }
    }
  }

  append(messages: M | readonly M[]): string[] {
    const batch: M[] = Array.isArray(messages) ? Array.from(messages) : [messages];
    const ids = batch.map((_, index) => `m${this.#originals.size + index}`);
    this.#live().append(ids, batch);
    for (const message of batch) {
      this.#originals.set(`m${this.#originals.size}`, message);
    }
    return ids;
  }

  edit(id: string, message: M): void {
    this.#live().edit(id, message);
    this.#originals.set(id, message);
    this.#drain();
  }

  status(): Status {
    return this.#live().status();
  }

  plan({ reason = "manual" }: { reason?: Reason } = {}): Plan {
    return this.#live().plan(reason);
  }

  async compact(options: CompactOptions = {}): Promise<Report> {
    const { reason = "manual", instructions, signal, onEvent } = options;
    const engine = this.#live();
    if (this.#run !== undefined) {
      throw epitomeError("busy", "a compaction is running; wait for it or abort its signal");
    }
    engine.compact(reason, instructions);
    const unwanted = signal?.aborted === true;
    if (unwanted) {
      engine.cancel();
    }
    const stop = (): void => this.#cancel();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const report = await new Promise<Report>((resolve, reject) => {
        this.#run = { controller: new AbortController(), onEvent, resolve, reject };
        this.#drain();
      });
      // What is called off before it begins is called off, even where there was nothing to do.
      return unwanted ? { ...report, outcome: "cancelled" } : report;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  messages(): M[] {
    return this.#live()
      .view()
      .map((entry) => (typeof entry === "string" ? this.#original(entry) : (entry as M)));
  }

  history(): M[] {
    this.#live();
    return [...this.#originals.values()];
  }

  undo(): void {
    this.#live().undo();
    this.#drain();
  }

  usage(usage: Usage): void {
    this.#live().handleUsage(usage);
  }

  setPolicy(policy: PolicySpec): void {
    this.#live().setPolicy(policy);
  }

  snapshot(): string {
    return this.#live().snapshot();
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#cancel();
    this.#disposed = true;
    this.#originals.clear();
    this.#engine.free();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #live(): EngineCompactor {
    if (this.#disposed) {
      throw epitomeError("disposed", "the compactor was disposed of; make another one");
    }
    return this.#engine;
  }

  #original(id: string): M {
    const original = this.#originals.get(id);
    if (original === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return original;
  }

  #cancel(): void {
    if (this.#run !== undefined) {
      this.#engine.cancel();
      this.#drain();
    }
  }

  /** Takes a step and does what the engine then asks for, until it waits. Callbacks may call back, and
   * even dispose. */
  #drain(step?: () => void): void {
    try {
      step?.();
      while (!this.#disposed) {
        const output = this.#engine.poll();
        this.#perform(output);
        if (output.type === "wait") {
          return;
        }
      }
    } catch (error) {
      // Only a mistake in the engine leads here. The promise has to settle all the same.
      const run = this.#end();
      if (run === undefined) {
        throw error;
      }
      run.controller.abort();
      run.reject(error);
    }
  }

  #perform(output: Output): void {
    switch (output.type) {
      case "summarize":
        return this.#ask(output.request);
      case "persist":
        return this.#engine.handlePersisted();
      case "changed":
        return;
      case "event":
        return this.#event(output.event);
      case "wait":
        return this.#wait(output.until);
    }
  }

  #ask(request: SummaryRequest): void {
    const run = this.#run;
    if (run === undefined) {
      return;
    }
    run.inFlight = request.id;
    const context = {
      signal: run.controller.signal,
      onDelta: (text: string): void => {
        if (this.#run === run && run.inFlight === request.id) {
          notify(run, { type: "delta", request: request.id, text });
        }
      },
    };
    // Called later, so that a summarizer that throws at once or calls back fails like any other.
    void Promise.resolve()
      .then(() => {
        context.signal.throwIfAborted();
        return this.#summarize(request, context);
      })
      .then(answerOf, failureOf)
      .then((answer) => this.#answer(request.id, answer));
  }

  #answer(request: number, answer: Answer): void {
    if (this.#disposed) {
      return;
    }
    if (this.#run?.inFlight === request) {
      delete this.#run.inFlight;
    }
    this.#drain(() => this.#tell(request, answer));
  }

  #tell(request: number, answer: Answer): void {
    const engine = this.#engine;
    const now = Date.now();
    switch (answer.kind) {
      case "summary":
        return engine.handleSummary(request, answer.text);
      case "transient":
        return engine.handleTransientFailure(request, answer.message, answer.retryAfterMs, now);
      case "permanent":
        return engine.handlePermanentFailure(request, answer.message, now);
      case "cancelled":
        return engine.handleCancelled(request, now);
    }
  }

  #event(event: EngineEvent): void {
    if (event.type !== "end") {
      notify(this.#run, event);
      return;
    }
    const run = this.#end();
    if (event.report.outcome === "cancelled") {
      run?.controller.abort();
    }
    notify(run, event);
    run?.resolve(event.report);
  }

  #wait(until: number | undefined): void {
    const run = this.#run;
    clearTimeout(run?.timer);
    if (run === undefined || until === undefined) {
      return;
    }
    run.timer = setTimeout(() => {
      // The timer knows better than a clock that may have been set back.
      this.#drain(() => this.#engine.handleTimeout(Math.max(Date.now(), until)));
    }, Math.max(0, until - Date.now()));
  }

  /** Forgets the run and its timer. */
  #end(): Run | undefined {
    const run = this.#run;
    clearTimeout(run?.timer);
    this.#run = undefined;
    return run;
  }
}

/** Tells an event. A mistake of who listens does not stop a compaction. */
function notify(run: Run | undefined, event: CompactionEvent): void {
  try {
    run?.onEvent?.(event);
  } catch (error) {
    console.error(error);
  }
}
