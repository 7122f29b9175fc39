// The engine's compactor behind a guard: one call at a time, and none after a call that ended abnormally.

import { type EpitomeError, epitomeError, isEpitomeError, messageOf } from "../error.js";
import type { Compactor as Engine } from "../glue/epitome.js";

/** Calls one compactor of the engine, for the view of the team or of one agent. */
export interface EngineCalls {
  readonly isDisposed: boolean;
  run<T>(call: (engine: Engine) => T): T;
  /** The same for a call that only reads: it is not observed. */
  read<T>(call: (engine: Engine) => T): T;
  /** Calls a function after each call that may have changed something. Returns what ends that. */
  observe(observer: () => void): () => void;
  whenFree(step: () => void): void;
  check(): void;
  dispose(): void;
}

/** Calls about the view of one agent. The engine is that of its team. */
export class AgentCalls implements EngineCalls {
  readonly #team: Calls;
  readonly #name: string;
  readonly #onEnter: (engine: Engine) => void;
  #isDisposed = false;

  /** `onEnter` is called before each call. */
  constructor(team: Calls, name: string, onEnter: (engine: Engine) => void) {
    this.#team = team;
    this.#name = name;
    this.#onEnter = onEnter;
  }

  get isDisposed(): boolean {
    return this.#isDisposed || this.#team.isDisposed;
  }

  run<T>(call: (engine: Engine) => T): T {
    this.check();
    return this.#team.run((engine) => this.#within(engine, call));
  }

  read<T>(call: (engine: Engine) => T): T {
    this.check();
    return this.#team.read((engine) => this.#within(engine, call));
  }

  observe(observer: () => void): () => void {
    return this.#team.observe(observer);
  }

  whenFree(step: () => void): void {
    this.#team.whenFree(step);
  }

  check(): void {
    if (this.#isDisposed) {
      throw epitomeError("disposed", "the agent was disposed of with its compactor; make another one");
    }
    this.#team.check();
  }

  dispose(): void {
    this.#isDisposed = true;
  }

  #within<T>(engine: Engine, call: (engine: Engine) => T): T {
    engine.enter(this.#name);
    try {
      this.#onEnter(engine);
      return call(engine);
    } finally {
      engine.leave();
    }
  }
}

/** Calls one compactor of the engine. */
export class Calls implements EngineCalls {
  readonly #engine: Engine;
  readonly #onBreak: () => void;
  #isRunning = false;
  #isDisposed = false;
  /** Steps to take at the end of the call that runs. */
  readonly #waiting: (() => void)[] = [];
  readonly #observers = new Set<() => void>();
  /** Why the compactor cannot be used any more. */
  #broken: EpitomeError | undefined;

  /** `onBreak` is called once a call has ended abnormally. */
  constructor(engine: Engine, onBreak: () => void) {
    this.#engine = engine;
    this.#onBreak = onBreak;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /**
   * Calls the engine.
   *
   * The engine reads the app's objects while it works, and a getter or a proxy may call the compactor again. That is refused,
   * because the engine's state is in between. An error that is not the engine's own has left the engine in the middle of
   * its work, such as the end of the stack: the compactor is not used again after that.
   */
  run<T>(call: (engine: Engine) => T): T {
    try {
      return this.read(call);
    } finally {
      this.#observers.forEach((observer) => observer());
    }
  }

  observe(observer: () => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  read<T>(call: (engine: Engine) => T): T {
    this.check();
    this.#isRunning = true;
    try {
      return call(this.#engine);
    } catch (thrown) {
      throw isEpitomeError(thrown) ? thrown : this.#break(thrown);
    } finally {
      this.#isRunning = false;
      if (this.#waiting.length > 0) {
        this.#waiting.splice(0).forEach((step) => step());
      }
    }
  }

  /** Takes a step that must not fail, at once or at the end of the call that runs. */
  whenFree(step: () => void): void {
    if (this.#isRunning) {
      this.#waiting.push(step);
    } else {
      step();
    }
  }

  /** Throws if the engine cannot be called now. */
  check(): void {
    if (this.#isDisposed) {
      throw epitomeError("disposed", "the compactor was disposed of; make another one");
    }
    if (this.#broken !== undefined) {
      throw this.#broken;
    }
    if (this.#isRunning) {
      throw epitomeError("busy", "the compactor is reading an object of the app, whose getter or proxy has called it; call it afterwards");
    }
  }

  /** Frees the engine. */
  dispose(): void {
    this.#isDisposed = true;
    try {
      this.#engine.free();
    } catch {
      // A call that ended abnormally still holds the engine: its memory is lost to the module.
    }
  }

  #break(thrown: unknown): EpitomeError {
    const reason = messageOf(thrown, "no reason was given");
    const message =
      `a call of this compactor ended abnormally (${reason}), and it cannot be used any more; its messages are in history(): ` +
      "restore it from its last snapshot, or append them to a new one";
    this.#broken = epitomeError("broken", message, thrown);
    this.#onBreak();
    return this.#broken;
  }
}
