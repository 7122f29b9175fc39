// The app's own messages, and what the model sees of them.

import { epitomeError } from "./error.js";
import type { Compactor as Engine } from "./glue/epitome.js";

export class Originals<M extends object> {
  readonly #ids: string[] = [];
  readonly #messages: M[] = [];
  readonly #places = new Map<string, number>();
  /** Messages that were made for the view, by the engine's numbers. */
  readonly #made = new Map<number, M>();

  /** The ids that the engine knows, and the messages of these ids in the same order. */
  constructor(ids: readonly string[], messages: readonly M[]) {
    for (const [index, id] of ids.entries()) {
      const message = messages[index];
      if (message !== undefined) {
        this.set(id, message);
      }
    }
  }

  /** The ids of the next messages. */
  next(count: number): string[] {
    return Array.from({ length: count }, (_, index) => `m${this.#ids.length + index}`);
  }

  set(id: string, message: M): void {
    const place = this.#places.get(id);
    if (place === undefined) {
      this.#places.set(id, this.#ids.length);
      this.#ids.push(id);
      this.#messages.push(message);
    } else {
      this.#made.clear();
      this.#messages[place] = message;
    }
  }

  all(): M[] {
    return this.#messages.slice();
  }

  /** The ids of all messages, in order. */
  ids(): readonly string[] {
    return this.#ids;
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
    this.#ids.length = 0;
    this.#messages.length = 0;
    this.#places.clear();
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
    const place = this.#places.get(id);
    const message = place === undefined ? undefined : this.#messages[place];
    if (message === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return message;
  }
}
