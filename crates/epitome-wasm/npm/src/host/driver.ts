// Drives a compaction: does what the engine asks for, with one method for each of its outputs.

import type { CompactOptions } from "./compactor.js";
import type { CompactionEvent, OfAgent } from "./events.js";
import { optionalFunction, optionalSignal, optionalText } from "../arguments.js";
import { asEpitomeError, epitomeError, messageOf, property } from "../error.js";
import type {
  BeforeCompaction,
  Compactor as Engine,
  EngineEvent,
  Output,
  Report,
  ReportOutcome,
  Save,
  SummaryRequest,
} from "../glue/epitome.js";
import type { EngineCalls } from "./calls.js";
import { notify } from "./notify.js";
import { declines, type Host } from "./options.js";
import { overflowOf } from "./overflow.js";
import { pause } from "./pause.js";
import type { Chosen } from "./plan.js";
import { type Answer, answerWithin, LONGEST_DELAY_MS, type SummarizeRequest } from "./summarize.js";
import { addParts, type Engine as Module } from "../wasm/instances.js";

/** A compaction in progress. */
interface Run {
  readonly controller: AbortController;
  readonly onEvent: CompactOptions["onEvent"];
  readonly resolve: (report: Report & OfAgent) => void;
  readonly reject: (error: unknown) => void;
  /** The id of the summarizer request that has no answer yet. */
  inFlight?: number;
  timer?: ReturnType<typeof setTimeout>;
  /** The time of the engine at which the timer ends, in milliseconds. */
  until?: number;
  /** True after the app has cancelled the compaction. */
  cancelled?: true;
  /** The outcome, if the app has decided it instead of the engine. */
  override?: Extract<ReportOutcome, { outcome: "failed" | "cancelled" }>;
}

/** The parts of a host that the driver needs, which do not depend on the type of its messages. */
type DriverHost = Pick<Host<object>, "summarize" | "extractive" | "summarizeTimeoutMs" | "beforeCompaction" | "save" | "afterCompaction" | "onEvent">;

export class Driver {
  readonly #module: Module;
  readonly #calls: EngineCalls;
  readonly #host: DriverHost;
  readonly #changed: () => void;
  readonly #completed: (request: SummaryRequest) => SummarizeRequest;
  readonly #commit: (() => Promise<void>) | undefined;
  readonly #of: OfAgent;
  #run: Run | undefined;
  /** The request for a summary that is written in advance, and that has no answer yet. */
  #ahead: { readonly id: number; readonly controller: AbortController } | undefined;
  /** The call of the app's `save` that the next output has to wait for. */
  #saving: Promise<unknown> | undefined;
  /** Calls of listeners that have not been made yet, each with its event. */
  readonly #pendingCalls: (() => void)[] = [];
  /**
   * The time that the engine is given: the sum of all waits of the driver so far, in milliseconds. A clock is not used, because
   * the user can set it at any time.
   */
  #now = 0;
  /** True while listeners are called. */
  #isNotifying = false;
  /** True while the next slice of a long work of the engine is due. */
  #isPaused = false;

  /** `changed` is called when the view has changed; `completed` adds the app's messages to a request; `commit` stores the
   * new records, if there is a store; `of` says whose view it is. */
  constructor(
    module: Module,
    calls: EngineCalls,
    host: DriverHost,
    changed: () => void,
    completed: (request: SummaryRequest) => SummarizeRequest,
    commit: (() => Promise<void>) | undefined,
    of: OfAgent,
  ) {
    this.#module = module;
    this.#calls = calls;
    this.#host = host;
    this.#changed = changed;
    this.#completed = completed;
    this.#commit = commit;
    this.#of = of;
  }

  /** True while a compaction runs. */
  get isCompacting(): boolean {
    return this.#run !== undefined;
  }

  async compact(options: CompactOptions, chosen: Chosen): Promise<Report & OfAgent> {
    const { reason = "session-compaction" } = options;
    const instructions = optionalText(options.instructions, "instructions");
    const signal = optionalSignal(options.signal);
    const onEvent = optionalFunction(options.onEvent, "onEvent");
    if (this.#isNotifying) {
      // This runs in a new task, so that a listener that compacts at the end of each compaction does not keep the page from
      // painting.
      await pause();
    }
    if (this.#run !== undefined) {
      throw epitomeError("busy", "a compaction is running; wait for it or abort its signal");
    }
    const stop = (): void => this.cancel();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      this.#calls.run((engine) => engine.compact(reason, instructions, ...chosen));
      return await new Promise<Report & OfAgent>((resolve, reject) => {
        const run: Run = { controller: new AbortController(), onEvent, resolve, reject };
        this.#run = run;
        // Otherwise a compaction that is aborted before it begins would report `skipped` if there is nothing to do.
        if (signal?.aborted === true) {
          run.override = { outcome: "cancelled" };
          this.#calls.run((engine) => engine.cancel());
        }
        this.drain();
      });
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  /** Cancels the compaction that runs, if any. */
  cancel(): void {
    if (this.#run !== undefined) {
      this.#run.cancelled = true;
      this.#saving = undefined;
      this.#calls.whenFree(() => this.#continue(() => this.#calls.run((engine) => engine.cancel())));
    }
  }

  /** Cancels the compaction that runs and frees the engine. */
  dispose(): void {
    this.cancel();
    this.#ahead?.controller.abort();
    this.#calls.dispose();
  }

  /**
   * Emits an event to the app's listener, and to that of one compaction.
   *
   * Listeners may call the compactor again. Events that this emits wait until all listeners have got the current event. So
   * events arrive in order, and a chain of them does not overflow the stack.
   */
  notify(news: CompactionEvent, onEvent: CompactOptions["onEvent"]): void {
    const event = { ...news, ...this.#of };
    this.#pendingCalls.push(
      () => void notify(this.#host.onEvent, event),
      () => void notify(onEvent, event),
    );
    if (!this.#isNotifying) {
      this.#isNotifying = true;
      for (let call = this.#pendingCalls.shift(); call !== undefined; call = this.#pendingCalls.shift()) {
        call();
      }
      this.#isNotifying = false;
    }
  }

  /** Runs `step`, and then does what the engine asks for until it waits. The app's callbacks may call the compactor again, and
   * may even dispose of it. */
  drain(step?: () => void): void {
    try {
      if (!this.#calls.isDisposed) {
        this.#calls.run((engine) => engine.setTime(performance.now()));
      }
      step?.();
      while (!this.#calls.isDisposed && this.#saving === undefined) {
        const output = this.#calls.run((engine) => engine.poll());
        this.#perform(output);
        if (output.type === "wait" || output.type === "continue") {
          return;
        }
      }
    } catch (thrown) {
      // Only a call of the engine that ended abnormally throws. The promise must settle in this case too.
      const error = asEpitomeError(thrown);
      const run = this.#end();
      if (run === undefined) {
        throw error;
      }
      run.controller.abort();
      run.reject(error);
    }
  }

  /** Runs `drain` when no call of the app waits for the result. */
  #continue(step?: () => void): void {
    try {
      this.drain(step);
    } catch {
      // The compactor is broken and no compaction runs. The app's next call throws the error.
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
      case "save":
        return this.#save(output.save);
      case "changed":
        return this.#changed();
      case "event":
        return this.#event(output.event);
      case "continue":
        return this.#pause();
      case "wait":
        return this.#wait(output.until);
    }
  }

  /** The engine has more to do: the next slice follows in a new task, so that the page can paint and the app can cancel. */
  #pause(): void {
    if (this.#isPaused) {
      return;
    }
    this.#isPaused = true;
    void pause().then(() => {
      this.#isPaused = false;
      if (!this.#calls.isDisposed) {
        this.#continue();
      }
    });
  }

  #before(context: BeforeCompaction): void {
    const run = this.#run;
    const hook = this.#host.beforeCompaction;
    if (run === undefined || hook === undefined) {
      return this.#calls.run((engine) => engine.proceed());
    }
    void Promise.resolve()
      .then(() => hook({ ...context, ...this.#of }))
      .then(declines)
      .catch((error: unknown) => {
        const message = messageOf(error, "it did not say why");
        run.override = { outcome: "failed", message: `beforeCompaction failed: ${message}` };
        return true;
      })
      .then((declined) => {
        if (this.#run === run) {
          this.#continue(() => this.#calls.run((engine) => (declined ? engine.skip() : engine.proceed())));
        }
      });
  }

  /** The next output waits for the app's `save`, unless the compaction was cancelled. */
  #save(occasion: Save): void {
    const run = this.#run;
    const save = this.#host.save;
    if (save === undefined || run === undefined) {
      return;
    }
    const saving = Promise.resolve().then(() => save({ ...occasion, ...this.#of }));
    const failed = saving.then(
      () => undefined,
      (error: unknown) => messageOf(error, "it did not say why"),
    );
    this.#saving = run.cancelled === true ? undefined : saving;
    void failed.then((message) => {
      const unsaved = message === undefined ? undefined : (): void => this.#unsaved(run, occasion, message);
      if (this.#saving === saving) {
        this.#saving = undefined;
        this.#continue(unsaved);
      } else {
        unsaved?.();
      }
    });
  }

  #unsaved(run: Run, occasion: Save, message: string): void {
    if (occasion.when === "after") {
      this.notify({ type: "saveFailed", message }, run.onEvent);
    } else if (this.#run === run && run.cancelled !== true) {
      run.override = { outcome: "failed", message: `save failed: ${message}` };
      this.#calls.run((engine) => engine.cancel());
    }
  }

  #ask(request: SummaryRequest): void {
    const run = request.isAhead ? undefined : this.#run;
    if (run === undefined && !request.isAhead) {
      return;
    }
    const controller = new AbortController();
    const stop = (): void => controller.abort(run?.controller.signal.reason);
    if (run === undefined) {
      this.#ahead = { id: request.id, controller };
    } else {
      run.inFlight = request.id;
      run.controller.signal.addEventListener("abort", stop, { once: true });
    }
    let notes = "";
    const context = {
      signal: controller.signal,
      onNotes: (noted: string): void => {
        notes = typeof noted === "string" ? noted : "";
      },
      onDelta: (text: string): void => {
        if (run !== undefined && this.#run === run && run.inFlight === request.id && typeof text === "string") {
          this.notify({ type: "delta", request: request.id, text }, run.onEvent);
        }
      },
    };
    const completed = { ...this.#completed(request), ...this.#of };
    const { summarize, extractive, summarizeTimeoutMs } = this.#host;
    const asked = request.summarizer.kind === "extractive" ? extractive : summarize;
    const overflow = (error: unknown): ReturnType<typeof overflowOf> => overflowOf(this.#module, error);
    const answered = async (): Promise<unknown> => {
      const [answer] = await Promise.all([asked(completed, context), addParts(this.#module, "summaries")]);
      return answer;
    };
    void answerWithin(summarizeTimeoutMs, controller, answered, overflow).then((answer) => {
      run?.controller.signal.removeEventListener("abort", stop);
      this.#receive(request.id, answer, notes);
    });
  }

  #receive(request: number, answer: Answer, notes: string): void {
    if (this.#calls.isDisposed) {
      return;
    }
    if (this.#run?.inFlight === request) {
      delete this.#run.inFlight;
    }
    if (this.#ahead?.id === request) {
      this.#ahead = undefined;
    }
    this.#continue(() => this.#calls.run((engine) => this.#handle(engine, request, answer, notes)));
  }

  #handle(engine: Engine, request: number, answer: Answer, notes: string): void {
    const now = this.#now;
    switch (answer.kind) {
      case "summary":
        engine.handleSummaryUsage(request, answer.usage);
        engine.handleSummaryNotes(request, notes);
        if (answer.state !== undefined) {
          engine.handleSummaryState(request, answer.state);
        }
        if (answer.instructed) {
          engine.handleInstructed(request);
        }
        return engine.handleSummary(request, answer.text);
      case "too-long": {
        const { requestedTokens, limitTokens } = answer.overflow;
        return engine.handleTooLong(request, answer.message, requestedTokens, limitTokens, now);
      }
      case "truncated":
        return engine.handleTruncated(request, answer.message, now);
      case "transient":
        return engine.handleTransientFailure(request, answer.message, answer.retryAfterMs, now);
      case "permanent":
        return engine.handlePermanentFailure(request, answer.message, now);
      case "unsuitable":
        return engine.handleUnsuitable(request, answer.message, now);
      case "cancelled":
        return engine.handleCancelled(request, now);
    }
  }

  /** A compaction is applied after its record is stored, or if the browser cannot store anything: the conversation goes on in
   * memory then, and the next commit that succeeds has all of it. Without a store, it is confirmed immediately, because the app stores
   * whole snapshots, and the next one contains it. An undo is also confirmed immediately, and stored by the next commit. */
  #persist(): void {
    const run = this.#run;
    const commit = this.#commit;
    if (run?.override !== undefined) {
      this.#calls.run((engine) => engine.handleUnpersisted("it was cancelled"));
    } else if (run === undefined || commit === undefined) {
      this.#calls.run((engine) => engine.handlePersisted());
    } else {
      void commit().then(
        () => this.#persisted((engine) => engine.handlePersisted()),
        (error: unknown) => {
          const message = messageOf(error, "it did not say why");
          if (isOutOfOrder(error)) {
            this.notify({ type: "saveFailed", message }, run.onEvent);
            this.#persisted((engine) => engine.handlePersisted());
          } else {
            this.#persisted((engine) => engine.handleUnpersisted(`it could not be stored: ${message}`));
          }
        },
      );
    }
  }

  #persisted(answer: (engine: Engine) => void): void {
    if (!this.#calls.isDisposed) {
      this.#continue(() => this.#calls.run(answer));
    }
  }

  #event(event: EngineEvent): void {
    if (event.type === "end" || event.type === "reacted") {
      return this.#settle(event);
    }
    if (event.type === "preparationDropped" && event.request !== undefined && event.request === this.#ahead?.id) {
      this.#ahead.controller.abort();
      this.#ahead = undefined;
    }
    this.notify(event, this.#run?.onEvent);
    if (event.type === "after") {
      void notify(this.#host.afterCompaction, { ...event, ...this.#of });
    }
  }

  #settle(event: Extract<EngineEvent, { type: "end" | "reacted" }>): void {
    const run = this.#end();
    const report: Report & OfAgent = { ...event.report, ...run?.override, ...this.#of };
    if (report.outcome === "cancelled") {
      run?.controller.abort();
    }
    this.notify({ ...event, report }, run?.onEvent);
    run?.resolve(report);
  }

  /** Sets the timer. A timer for the same time stays, because the app may call the compactor while it runs. */
  #wait(until: number | undefined): void {
    const run = this.#run;
    if (run === undefined || run.until === until) {
      return;
    }
    clearTimeout(run.timer);
    delete run.until;
    if (until !== undefined) {
      run.until = until;
      this.#sleep(run, until);
    }
  }

  #sleep(run: Run, until: number): void {
    const rest = Math.max(0, until - this.#now);
    const step = Math.min(rest, LONGEST_DELAY_MS);
    run.timer = setTimeout(() => {
      this.#now += step;
      if (step < rest) {
        return this.#sleep(run, until);
      }
      delete run.until;
      this.#continue(() => this.#calls.run((engine) => engine.handleTimeout(until)));
    }, step);
  }

  /** Ends the run and its timer. */
  #end(): Run | undefined {
    const run = this.#run;
    clearTimeout(run?.timer);
    this.#run = undefined;
    return run;
  }
}

/** What a browser rejects with if its disk is full, its database is gone, or a newer version of the page has changed it. */
const OUT_OF_ORDER: readonly unknown[] = ["QuotaExceededError", "UnknownError", "InvalidStateError", "VersionError"];

function isOutOfOrder(error: unknown): boolean {
  return OUT_OF_ORDER.includes(property(error, "name"));
}
