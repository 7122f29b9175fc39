// Does what the engine asks for: one function for each of its outputs.

import type { CompactionEvent, CompactOptions } from "./compactor.js";
import { epitomeError, messageOf } from "./error.js";
import type {
  BeforeCompaction,
  Compactor as Engine,
  EngineEvent,
  Output,
  Report,
  SummaryRequest,
} from "./glue/epitome.js";
import { declines, type Host, tell } from "./host.js";
import { type Answer, answerOf, failureOf } from "./summarize.js";

/** A compaction under way. */
interface Run {
  readonly controller: AbortController;
  readonly onEvent: CompactOptions["onEvent"];
  readonly resolve: (report: Report) => void;
  readonly reject: (error: unknown) => void;
  inFlight?: number;
  timer?: ReturnType<typeof setTimeout>;
  /** What the report is to say, where the app and not the engine decides it. */
  verdict?: Partial<Report>;
}

/** What of a host the driver needs, whatever its messages are. */
type DriverHost = Pick<Host<object>, "summarize" | "beforeCompaction" | "afterCompaction" | "onEvent">;

export class Driver {
  readonly #engine: Engine;
  readonly #host: DriverHost;
  readonly #changed: () => void;
  #run: Run | undefined;
  #disposed = false;

  /** `changed` is called when the view is another one. */
  constructor(engine: Engine, host: DriverHost, changed: () => void) {
    this.#engine = engine;
    this.#host = host;
    this.#changed = changed;
  }

  async compact(options: CompactOptions): Promise<Report> {
    const { reason = "manual", instructions, signal, onEvent } = options;
    if (this.#run !== undefined) {
      throw epitomeError("busy", "a compaction is running; wait for it or abort its signal");
    }
    this.#engine.compact(reason, instructions);
    const stop = (): void => this.cancel();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      return await new Promise<Report>((resolve, reject) => {
        const run: Run = { controller: new AbortController(), onEvent, resolve, reject };
        this.#run = run;
        // What is called off before it begins is called off, even where there was nothing to do.
        if (signal?.aborted === true) {
          run.verdict = { outcome: "cancelled" };
          this.#engine.cancel();
        }
        this.drain();
      });
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Calls a compaction off, where one runs. */
  cancel(): void {
    if (this.#run !== undefined) {
      this.#engine.cancel();
      this.drain();
    }
  }

  /** Calls a compaction off and frees the engine. */
  dispose(): void {
    this.cancel();
    this.#disposed = true;
    this.#engine.free();
  }

  /** Tells an event, to whoever listens to everything and to whoever listens to one compaction. */
  notify(event: CompactionEvent, onEvent: CompactOptions["onEvent"]): void {
    void tell(this.#host.onEvent, event);
    void tell(onEvent, event);
  }

  /** Takes a step and does what the engine then asks for, until it waits. Callbacks may call back, and
   * even dispose. */
  drain(step?: () => void): void {
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
      case "before":
        return this.#before(output.context);
      case "summarize":
        return this.#ask(output.request);
      case "persist":
        return this.#persist();
      case "changed":
        return this.#changed();
      case "event":
        return this.#event(output.event);
      case "wait":
        return this.#wait(output.until);
    }
  }

  #before(context: BeforeCompaction): void {
    const run = this.#run;
    const hook = this.#host.beforeCompaction;
    if (run === undefined || hook === undefined) {
      return this.#engine.proceed();
    }
    void Promise.resolve()
      .then(() => hook(context))
      .then(declines, (error: unknown) => {
        const message = messageOf(error, "it did not say why");
        run.verdict = { outcome: "failed", message: `beforeCompaction failed: ${message}` };
        return true;
      })
      .then((declined) => {
        if (this.#run === run) {
          this.drain(() => (declined ? this.#engine.skip() : this.#engine.proceed()));
        }
      });
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
          this.notify({ type: "delta", request: request.id, text }, run.onEvent);
        }
      },
    };
    // Called later, so that a summarizer that throws at once or calls back fails like any other.
    void Promise.resolve()
      .then(() => {
        context.signal.throwIfAborted();
        return this.#host.summarize(request, context);
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
    this.drain(() => this.#hand(request, answer));
  }

  #hand(request: number, answer: Answer): void {
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

  /** The app stores snapshots: a record is in the next one. */
  #persist(): void {
    if (this.#run?.verdict === undefined) {
      this.#engine.handlePersisted();
    } else {
      this.#engine.handleUnpersisted("it was called off");
    }
  }

  #event(event: EngineEvent): void {
    if (event.type === "end" || event.type === "reacted") {
      return this.#settle(event);
    }
    this.notify(event, this.#run?.onEvent);
    if (event.type === "after") {
      void tell(this.#host.afterCompaction, event);
    }
  }

  #settle(event: Extract<EngineEvent, { type: "end" | "reacted" }>): void {
    const run = this.#end();
    const report = { ...event.report, ...run?.verdict };
    if (report.outcome === "cancelled") {
      run?.controller.abort();
    }
    this.notify({ ...event, report }, run?.onEvent);
    run?.resolve(report);
  }

  #wait(until: number | undefined): void {
    const run = this.#run;
    clearTimeout(run?.timer);
    if (run === undefined || until === undefined) {
      return;
    }
    run.timer = setTimeout(() => {
      // The timer knows better than a clock that may have been set back.
      this.drain(() => this.#engine.handleTimeout(Math.max(Date.now(), until)));
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
