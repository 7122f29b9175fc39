// The app's own messages by id, and the view of them that the model gets.

import { epitomeError } from "../error.js";
import type { Compactor as Engine } from "../glue/epitome.js";

/** The app's messages, in order. The engine knows them only by id. */
export class Originals<M extends object> {
  readonly #ids: string[] = [];
  readonly #messages: M[] = [];
  /** The size of each message, in characters. */
  readonly #sizes: number[] = [];
  #size = 0;
  /** Indices of the messages whose ids do not contain the index, because the snapshot of another host named them. */
  readonly #foreign = new Map<string, number>();
  /** False if messages stay as they are until the first compaction, also if the provider refuses them. */
  readonly #repairs: boolean;
  /** The view of a revision of the engine. */
  #view: { revision: number; messages: M[] } | undefined;
  /** Messages that the engine composed for the view, by its numbers. */
  readonly #composed = new Map<number, M>();

  /** The ids that the engine knows, and the messages of these ids in the same order. */
  constructor(ids: readonly string[], messages: readonly M[], repairs: boolean, sizes: readonly number[]) {
    this.#repairs = repairs;
    for (const [index, id] of ids.entries()) {
      const message = messages[index];
      if (message !== undefined) {
        if (id !== idAt(this.count)) {
          this.#foreign.set(id, this.count);
        }
        this.add(id, message, sizes[index] ?? 0);
      }
    }
  }

  /** The ids of the next messages. */
  next(count: number): string[] {
    const ids = new Array<string>(count);
    for (let index = 0; index < count; index += 1) {
      ids[index] = idAt(this.#ids.length + index);
    }
    return ids;
  }

  /** Adds a message under the next id. */
  add(id: string, message: M, size: number): void {
    this.#ids.push(id);
    this.#messages.push(message);
    this.#sizes.push(size);
    this.#size += size;
  }

  /** Replaces a message. */
  replace(id: string, message: M, size: number): void {
    const index = this.#indexOf(id);
    if (index !== undefined) {
      this.refresh();
      this.#size += size - this.sizeOf(id);
      this.#messages[index] = message;
      this.#sizes[index] = size;
    }
  }

  /** The size of a message, in characters; 0 if there is none. */
  sizeOf(id: string): number {
    return this.#sizes[this.#indexOf(id) ?? -1] ?? 0;
  }

  /** The size of all messages, in characters. */
  get size(): number {
    return this.#size;
  }

  all(): M[] {
    return this.#messages.slice();
  }

  get count(): number {
    return this.#ids.length;
  }

  /** The ids of all messages, in order. */
  ids(): readonly string[] {
    return this.#ids;
  }

  /** What the model gets. */
  view(engine: Engine): M[] {
    if (!engine.isCompacted() && (!this.#repairs || engine.isUntouched())) {
      return this.all();
    }
    const revision = engine.revision();
    if (this.#view?.revision !== revision) {
      this.#view = { revision, messages: this.#messagesOf(engine, engine.view()) };
    }
    return this.#view.messages.slice();
  }

  /** The messages of the latest summarizer request; the last one asks for the summary. */
  asked(engine: Engine): M[] {
    return this.#messagesOf(engine, engine.asked());
  }

  /** Forgets the composed messages, after the view has changed. */
  refresh(): void {
    this.#view = undefined;
    this.#composed.clear();
  }

  clear(): void {
    this.#ids.length = 0;
    this.#messages.length = 0;
    this.#sizes.length = 0;
    this.#size = 0;
    this.#foreign.clear();
    this.refresh();
  }

  #messagesOf(engine: Engine, entries: ReturnType<Engine["view"]>): M[] {
    return entries.map((entry) =>
      typeof entry === "string" ? this.#message(entry) : this.#compose(engine, entry.composed, entry.of),
    );
  }

  #compose(engine: Engine, number: number, of: readonly string[]): M {
    const known = this.#composed.get(number);
    if (known !== undefined) {
      return known;
    }
    const composed = engine.compose(number, of.map((id) => this.#message(id))) as M;
    this.#composed.set(number, composed);
    return composed;
  }

  #message(id: string): M {
    const index = this.#indexOf(id);
    const message = index === undefined ? undefined : this.#messages[index];
    if (message === undefined) {
      throw epitomeError("internal", `the message ${id} is not there`);
    }
    return message;
  }

  #indexOf(id: string): number | undefined {
    const index = Number(id.slice(1));
    return this.#ids[index] === id ? index : this.#foreign.get(id);
  }
}

/** The id of the message at an index. */
function idAt(index: number): string {
  return `m${index}`;
}
