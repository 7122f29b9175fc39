// The app's own messages, and what the model sees of them.

import { epitomeError } from "./error.js";
import type { Compactor as Engine } from "./glue/epitome.js";

export class Originals<M extends object> {
  readonly #messages = new Map<string, M>();
  /** Messages that were made for the view, by the engine's numbers. */
  readonly #made = new Map<number, M>();

  /** The ids that the engine knows, and the messages of these ids in the same order. */
  constructor(ids: readonly string[], messages: readonly M[]) {
    for (const [index, id] of ids.entries()) {
      const message = messages[index];
      if (message !== undefined) {
        this.#messages.set(id, message);
      }
    }
  }

  /** The ids of the next messages. */
  next(count: number): string[] {
    return Array.from({ length: count }, (_, index) => `m${this.#messages.size + index}`);
  }

  set(id: string, message: M): void {
    if (this.#messages.has(id)) {
      this.#made.clear();
    }
    this.#messages.set(id, message);
  }

  all(): M[] {
    return [...this.#messages.values()];
  }

  /** What the model sees. */
  view(engine: Engine): M[] {
    return engine.view().map((entry) =>
      typeof entry === "string" ? this.#message(entry) : this.#make(engine, entry.make, entry.of),
    );
  }

  /** Forgets what was made, where the view is another one now. */
  refresh(): void {
    this.#made.clear();
  }

  clear(): void {
    this.#messages.clear();
    this.#made.clear();
  }

  #make(engine: Engine, number: number, of: readonly string[]): M {
    const known = this.#made.get(number);
    if (known !== undefined) {
      return known;
    }
    const made = engine.make(number, of.map((id) => this.#message(id))) as M;
    this.#made.set(number, made);
    return made;
  }

  #message(id: string): M {
    const message = this.#messages.get(id);
    if (message === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return message;
  }
}
