// The app's own messages, and what the model sees of them.

import { epitomeError } from "./error.js";
import type { Compactor as Engine } from "./glue/epitome.js";

export class Originals<M extends object> {
  readonly #messages = new Map<string, M>();
  /** Copies of messages that are seen otherwise than they came. */
  readonly #copies = new Map<string, M>();

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
    this.#messages.set(id, message);
    this.#copies.delete(id);
  }

  all(): M[] {
    return [...this.#messages.values()];
  }

  /** What the model sees. */
  view(engine: Engine): M[] {
    return engine.view().map((entry) => {
      if (typeof entry === "string") {
        return this.#message(entry);
      }
      return "insert" in entry ? (entry.insert as M) : this.#copy(engine, entry.replace);
    });
  }

  /** Forgets the copies, where the view is another one now. */
  refresh(): void {
    this.#copies.clear();
  }

  clear(): void {
    this.#messages.clear();
    this.#copies.clear();
  }

  #copy(engine: Engine, id: string): M {
    const known = this.#copies.get(id);
    if (known !== undefined) {
      return known;
    }
    const copy = engine.rewrite(id, this.#message(id)) as M;
    this.#copies.set(id, copy);
    return copy;
  }

  #message(id: string): M {
    const message = this.#messages.get(id);
    if (message === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return message;
  }
}
