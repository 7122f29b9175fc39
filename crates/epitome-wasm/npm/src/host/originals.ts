// The app's own messages, and what the model sees of them.

import { epitomeError } from "./error.js";
import type { Compactor as Engine } from "./glue/epitome.js";

export class Originals<M extends object> {
  readonly #ids: string[] = [];
  readonly #messages: M[] = [];
  /** Where those messages stand whose ids do not tell, because another host has given them. */
  readonly #elsewhere = new Map<string, number>();
  /** Messages that were made for the view, by the engine's numbers. */
  readonly #made = new Map<number, M>();

  /** The ids that the engine knows, and the messages of these ids in the same order. */
  constructor(ids: readonly string[], messages: readonly M[]) {
    for (const [index, id] of ids.entries()) {
      const message = messages[index];
      if (message !== undefined) {
        if (id !== named(this.count)) {
          this.#elsewhere.set(id, this.count);
        }
        this.add(id, message);
      }
    }
  }

  /** The ids of the next messages. */
  next(count: number): string[] {
    const ids = new Array<string>(count);
    for (let at = 0; at < count; at += 1) {
      ids[at] = named(this.#ids.length + at);
    }
    return ids;
  }

  /** Adds a message under the next id. */
  add(id: string, message: M): void {
    this.#ids.push(id);
    this.#messages.push(message);
  }

  /** Gives a message another wording. */
  reword(id: string, message: M): void {
    const place = this.#place(id);
    if (place !== undefined) {
      this.#made.clear();
      this.#messages[place] = message;
    }
  }

  all(): M[] {
    return this.#messages.slice();
  }

  /** How many messages there are. */
  get count(): number {
    return this.#ids.length;
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
    this.#elsewhere.clear();
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
    const place = this.#place(id);
    const message = place === undefined ? undefined : this.#messages[place];
    if (message === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return message;
  }

  #place(id: string): number | undefined {
    const place = Number(id.slice(1));
    return this.#ids[place] === id ? place : this.#elsewhere.get(id);
  }
}

/** The id of the message at a place. */
function named(place: number): string {
  return `m${place}`;
}
