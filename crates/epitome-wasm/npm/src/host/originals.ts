// The app's own messages by id, those that are the conversation now, and the view of them that the model gets.

import { epitomeError } from "../error.js";
import type { Compactor as Engine } from "../glue/epitome.js";
import { Classes } from "./langchain.js";

/** A message of the app that the engine knows by its id. */
export interface Original<M> {
  readonly id: string;
  /** Undefined for a message of another branch, of which only a snapshot is there. */
  message: M | undefined;
  /** Its size, in characters. */
  size: number;
}

/** A message of the view. */
export interface Seen<M> {
  readonly message: M;
  /** The app's messages that it stands for; empty for a message of the engine, such as a summary. */
  readonly of: readonly string[];
  /** True for one that the engine has composed, false for the app's own object. */
  readonly isComposed: boolean;
}

/** A view that `messages()` has returned, and the last message that the conversation had then. */
export interface View<M> {
  readonly seen: readonly Seen<M>[];
  readonly last: string | undefined;
}

/** How many earlier views are kept, for an app that goes on from one of them. */
const MOST_VIEWS = 4;

/** The app's messages. The engine knows them only by id. */
export class Originals<M extends object> {
  /** The messages that are the conversation, in order, and their ids. */
  #path: Original<M>[] = [];
  #messages: M[] | undefined = [];
  #ids: string[] | undefined = [];
  /** Where each of them is, once that was asked for. */
  #positions: Map<string, number> | undefined;
  /** Those of all branches. */
  readonly #known = new Map<string, Original<M>>();
  /** The ids of those that are only for some agents. */
  readonly #asides = new Set<string>();
  #size = 0;
  #next: number;
  /** False if messages stay as they are until the first compaction, also if the provider refuses them. */
  readonly #repairs: boolean;
  /** The view of a revision of the engine. */
  #view: { revision: number; seen: Seen<M>[] } | undefined;
  /** The latest views with messages that the engine has composed, the latest first. */
  readonly #views: View<M>[] = [];
  /** Messages that the engine composed for the view, by its numbers. */
  readonly #composed = new Map<number, M>();
  readonly #classes = new Classes();

  /** The ids that the engine knows, the messages of these ids in the same order, and the number of the next id. */
  constructor(ids: readonly string[], messages: readonly M[], sizes: readonly number[], next: number, repairs: boolean) {
    this.#repairs = repairs;
    this.#next = next;
    for (const [index, id] of ids.entries()) {
      const message = messages[index];
      if (message !== undefined) {
        this.add(id, message, sizes[index] ?? 0);
      }
    }
  }

  /** The ids of the next messages. They are given again until `take`. */
  next(count: number): string[] {
    return Array.from({ length: count }, (_, index) => `m${this.#next + index}`);
  }

  /** Says that the engine has messages by the next ids. */
  take(count: number): void {
    this.#next += count;
  }

  /** The number of the next id. */
  get nextNumber(): number {
    return this.#next;
  }

  /** Adds a message at the end. */
  add(id: string, message: M, size: number): void {
    this.#path.push(this.know(id, message, size));
    this.#messages?.push(message);
    this.#ids?.push(id);
  }

  /** Knows a message that is only for some agents. It is not in the conversation of all. */
  addAside(id: string, message: M, size: number): void {
    this.know(id, message, size);
    this.#asides.add(id);
  }

  /** True for an id of such a message. */
  isAside(id: string): boolean {
    return this.#asides.has(id);
  }

  /** The messages that are not such messages, by object. */
  withoutAsides(messages: readonly M[]): readonly M[] {
    if (this.#asides.size === 0) {
      return messages;
    }
    const asides = new Set(Array.from(this.#asides, (id) => this.#known.get(id)?.message));
    return messages.filter((message) => !asides.has(message));
  }

  /** Adds a message at a position. */
  insert(position: number, id: string, message: M, size: number): void {
    const next = this.#path[position]?.id;
    this.#changeViews(({ seen, last }) => {
      const place = seen.findIndex(({ of }) => of[0] === next);
      const inserted: Seen<M> = { message, of: [id], isComposed: false };
      // Next to what the engine has composed, such as a summary, it has no place of its own in a view.
      return seen[place]?.isComposed === false
        ? { seen: [...seen.slice(0, place), inserted, ...seen.slice(place)], last }
        : undefined;
    });
    this.#path.splice(position, 0, this.know(id, message, size));
    this.#changePath();
  }

  /** Forgets a message. */
  remove(id: string): void {
    const original = this.#known.get(id);
    if (original !== undefined) {
      this.#size -= original.size;
      this.#known.delete(id);
      if (this.#asides.delete(id)) {
        return;
      }
      const position = this.#path.indexOf(original);
      const before = this.#path[position - 1]?.id;
      this.#changeViews(({ seen, last }) => {
        const isIn = ({ of }: Seen<M>): boolean => of.includes(id);
        return seen.some((one) => one.isComposed && isIn(one))
          ? undefined
          : { seen: seen.filter((one) => !isIn(one)), last: last === id ? before : last };
      });
      this.#path.splice(position, 1);
      this.#changePath();
    }
  }

  /** Makes messages of another branch follow one of the conversation, or begin it. Returns the ids of those that leave. */
  follow(last: string | undefined, ids: readonly string[]): string[] {
    let stay = this.#path.length;
    while (stay > 0 && this.#path[stay - 1]?.id !== last) {
      stay -= 1;
    }
    const left = this.#path.splice(stay).map(({ id }) => id);
    this.refresh();
    this.#positions = undefined;
    if (this.#ids !== undefined) {
      this.#ids.length = stay;
    }
    if (this.#messages !== undefined) {
      this.#messages.length = stay;
    }
    for (const id of ids) {
      const original = this.#known.get(id) ?? this.know(id, undefined, 0);
      this.#path.push(original);
      this.#ids?.push(id);
      if (original.message === undefined) {
        this.#messages = undefined;
      } else {
        this.#messages?.push(original.message);
      }
    }
    return left;
  }

  /** Replaces a message by another object. */
  replace(id: string, message: M, size: number): void {
    const original = this.#known.get(id);
    if (original !== undefined) {
      this.#size += size - original.size;
      if (this.#messages?.at(-1) === original.message && this.#path.at(-1) === original) {
        this.#messages?.splice(-1, 1, message);
      } else {
        this.#messages = undefined;
      }
      original.message = message;
      original.size = size;
      this.refresh();
    }
  }

  /** The size of a message, in characters; 0 if there is none. */
  sizeOf(id: string): number {
    return this.#known.get(id)?.size ?? 0;
  }

  /** The size of all messages, in characters. */
  get size(): number {
    return this.#size;
  }

  /** The messages that are the conversation, in order. */
  all(): M[] {
    this.#messages ??= this.#path.map(({ id }) => this.message(id));
    return this.#messages.slice();
  }

  /** The ids of the messages that are the conversation, in order. */
  ids(): readonly string[] {
    return (this.#ids ??= this.#path.map(({ id }) => id));
  }

  /** Where a message of the conversation is; -1 if it is not in it. Costs O(messages) if there are new ones, and else nothing. */
  positionOf(id: string): number {
    const ids = this.ids();
    if (this.#positions?.size !== ids.length) {
      this.#positions = new Map(ids.map((each, position) => [each, position]));
    }
    return this.#positions.get(id) ?? -1;
  }

  /** The same with the messages. */
  get path(): readonly Original<M>[] {
    return this.#path;
  }

  /** Knows a message of any branch. */
  know(id: string, message: M | undefined, size: number): Original<M> {
    const original = { id, message, size };
    this.#known.set(id, original);
    this.#classes.clear();
    this.#size += size;
    return original;
  }

  /** The ids of the messages of all branches. */
  allIds(): Iterable<string> {
    return this.#known.keys();
  }

  /** A message of any branch. */
  find(id: string): Original<M> | undefined {
    return this.#known.get(id);
  }

  /** The latest views with messages that the engine has composed, the latest first. */
  get views(): readonly View<M>[] {
    return this.#views;
  }

  /** Makes the list of messages again when it is asked for: the team may have replaced an object. */
  forgetList(): void {
    this.#messages = undefined;
  }

  /** The messages of an agent's view are those of its team, by the ids that the engine has from a position on. */
  followTeam(team: Originals<M>, last: string | undefined, ids: readonly string[]): void {
    // With the strings of the team: a thousand agents have a million ids.
    const originals = ids.map((id) => team.find(id) ?? { id, message: undefined, size: 0 });
    originals.forEach((original) => this.#known.set(original.id, original));
    this.follow(last, originals.map(({ id }) => id));
    this.#ids = undefined;
    this.#positions = undefined;
  }

  /** What the model gets. */
  view(engine: Engine): M[] {
    return this.#isWhole(engine) ? this.all() : this.#composedView(engine).map(({ message }) => message);
  }

  /** The same with what each message stands for. */
  seen(engine: Engine): readonly Seen<M>[] {
    return this.#isWhole(engine)
      ? this.#path.map(({ id }) => ({ message: this.message(id), of: [id], isComposed: false }))
      : this.#composedView(engine);
  }

  /** True if the model gets all messages as they are. */
  #isWhole(engine: Engine): boolean {
    return !engine.isCompacted() && (!this.#repairs || engine.isUntouched());
  }

  #composedView(engine: Engine): readonly Seen<M>[] {
    const revision = engine.revision();
    if (this.#view?.revision !== revision) {
      const seen = this.#messagesOf(engine, engine.view());
      this.#view = { revision, seen };
      this.#views.unshift({ seen, last: this.#path.at(-1)?.id });
      this.#views.length = Math.min(this.#views.length, MOST_VIEWS);
    }
    return this.#view.seen;
  }

  /** The messages of the latest summarizer request; the last one asks for the summary. */
  asked(engine: Engine): Seen<M>[] {
    return this.#messagesOf(engine, engine.asked());
  }

  /** Forgets the composed messages, after the view has changed. */
  refresh(): void {
    this.#view = undefined;
    this.#composed.clear();
    this.#classes.clear();
  }

  clear(): void {
    this.#path = [];
    this.#known.clear();
    this.#views.length = 0;
    this.#size = 0;
    this.#changePath();
  }

  /** A message of the app, on any branch. */
  message(id: string): M {
    const message = this.#known.get(id)?.message;
    if (message === undefined) {
      throw epitomeError(
        "unknown-id",
        `the message ${id} was not given since the conversation was restored; call sync() with the messages of its branch`,
      );
    }
    return message;
  }

  /** Makes the earlier views those of the conversation without or with a message. A view that has no such form is forgotten. */
  #changeViews(change: (view: View<M>) => View<M> | undefined): void {
    this.#views.splice(0, this.#views.length, ...this.#views.flatMap((view) => change(view) ?? []));
  }

  #changePath(): void {
    this.#messages = undefined;
    this.#ids = undefined;
    this.#positions = undefined;
    this.refresh();
  }

  #messagesOf(engine: Engine, entries: ReturnType<Engine["view"]>): Seen<M>[] {
    return entries.map((entry) =>
      typeof entry === "string"
        ? { message: this.message(entry), of: [entry], isComposed: false }
        : { message: this.#compose(engine, entry.composed, entry.of), of: entry.of, isComposed: true },
    );
  }

  #compose(engine: Engine, number: number, of: readonly string[]): M {
    const known = this.#composed.get(number);
    if (known !== undefined) {
      return known;
    }
    const made = engine.compose(number, of.map((id) => this.message(id))) as M;
    const composed = this.#classes.instanceOf(made, () => this.#path.map(({ message }) => message));
    this.#composed.set(number, composed);
    return composed;
  }
}
