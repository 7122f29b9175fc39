// How values cross to another thread. Functions, abort signals and streams stay where they are and are called through the link;
// messages of the app are sent once, and come back as the same objects.

import { epitomeError, messageOf, type EpitomeError } from "../error.js";
import { errorFrom, type Failure, failureOf } from "./failure.js";
import { isPlain, plain } from "./plain.js";
import { elementsOf, isStream, type Pages, pagesOf } from "./streams.js";

/** A value as it is sent, with what stands at some places of it. */
export interface Packed {
  readonly value: unknown;
  readonly places: readonly Place[];
}

type Path = readonly (string | number)[];

/** What stands at a place of a value. The numbers are those of the sender. A message that is `sent` is there as a value. */
type Place = { readonly path: Path } & (
  | { readonly kind: "function" | "stream"; readonly number: number }
  | { readonly kind: "signal"; readonly number: number; readonly aborted: Failure | undefined }
  | { readonly kind: "message"; readonly number: number; readonly sent: boolean }
);

/** What a packed value has left behind, to be given up when it is not needed any more. */
export interface Left {
  readonly functions: number[];
  readonly signals: (() => void)[];
}

/** What is called when the other side needs something of this one. */
export interface CrossingHost {
  /** Calls a function of the other side. */
  call(target: number, given: readonly unknown[]): Promise<unknown>;
  /** Says that a signal of this side has aborted. */
  abort(signal: number, reason: Failure): void;
}

/** A function that the other side calls. */
export type Callable = (...given: unknown[]) => unknown;

/** The levels of a value in which functions, signals and messages are looked for: `middleware[0].before` of the options of a turn. */
const DEPTH = 5;

/** How many messages there are before it is asked which of them are dropped. */
const LEAST_SWEPT = 500;

/** One side of what crosses. */
export class Crossing {
  readonly #host: CrossingHost;
  readonly #functions = new Map<number, Callable>();
  readonly #controllers = new Map<number, AbortController>();
  /** Messages of this side. They stay as long as the other side may name them. */
  readonly #given = new Map<number, object>();
  /** Messages of the other side. One that the engine has dropped is gone. */
  readonly #received = new Map<number, WeakRef<object>>();
  readonly #numbers = new WeakMap<object, number>();
  /** Messages whose content the other side does not have yet. */
  readonly #unsent = new Set<object>();
  /** While the other side is asked what it has dropped: the messages whose content it gets again meanwhile. */
  #resent: Set<number> | undefined;
  #mostGiven = LEAST_SWEPT;
  #last = 0;

  constructor(host: CrossingHost) {
    this.#host = host;
  }

  /** The function that the other side means by a number; undefined if it is given up. */
  function(number: number): Callable | undefined {
    return this.#functions.get(number);
  }

  /** Keeps a function that the other side may call. */
  keep(callable: Callable): number {
    this.#last += 1;
    this.#functions.set(this.#last, callable);
    return this.#last;
  }

  /** From now on, this object is a message. Its content is sent when it is packed next, unless `isKnown` says that it may be an
   * earlier one without a change. */
  give(message: unknown, isKnown = false): void {
    if (typeof message !== "object" || message === null || (isKnown && this.#numbers.has(message))) {
      return;
    }
    const number = this.#numbers.get(message) ?? (this.#last += 1);
    this.#numbers.set(message, number);
    this.#given.set(number, message);
    this.#unsent.add(message);
  }

  /** True if it is time to ask which messages the other side has dropped, such as the earlier versions of one that was streamed. */
  get isFull(): boolean {
    return this.#given.size >= this.#mostGiven && this.#resent === undefined;
  }

  /** Begins to ask. Until the answer is there, no message is only named, since it may be gone already. */
  beginSweep(): void {
    this.#resent = new Set();
  }

  /** Forgets what the other side has dropped. */
  endSweep(dropped: readonly number[]): void {
    for (const number of dropped.filter((one) => this.#resent?.has(one) !== true)) {
      const message = this.#given.get(number);
      this.#given.delete(number);
      if (message !== undefined) {
        this.#numbers.delete(message);
      }
    }
    this.#resent = undefined;
    this.#mostGiven = Math.max(LEAST_SWEPT, 2 * this.#given.size);
  }

  /** The numbers of the messages of the other side that are gone. */
  dropped(): number[] {
    const numbers = [...this.#received].filter(([, message]) => message.deref() === undefined).map(([number]) => number);
    numbers.forEach((number) => this.#received.delete(number));
    return numbers;
  }

  /** A value as it can be sent. */
  pack(value: unknown): { readonly packed: Packed; readonly left: Left } {
    const places: Place[] = [];
    const left: Left = { functions: [], signals: [] };
    return { packed: { value: this.#packed(value, [], places, left), places }, left };
  }

  /** Takes back that a packed value was sent. */
  takeBack({ places }: Packed): void {
    for (const place of places) {
      const message = place.kind === "message" && place.sent ? this.#given.get(place.number) : undefined;
      if (message !== undefined) {
        this.#unsent.add(message);
      }
    }
  }

  /** Gives up what a packed value has left behind. */
  giveUp({ functions, signals }: Left): void {
    functions.forEach((number) => this.#functions.delete(number));
    signals.forEach((end) => end());
  }

  /** The value that the other side has packed. `forget` drops the signals that are in it. */
  unpack({ value, places }: Packed): { readonly value: unknown; readonly forget: () => void } {
    const root = { value };
    const signals: number[] = [];
    for (const place of places) {
      const holder = place.path.slice(0, -1).reduce<object>((inner, name) => Reflect.get(inner, name) as object, root);
      const name = place.path.at(-1) ?? "";
      const isSent = place.kind === "message" && place.sent;
      Reflect.set(holder, name, isSent ? this.#take(place.number, Reflect.get(holder, name) as object) : this.#at(place));
      if (place.kind === "signal") {
        signals.push(place.number);
      }
    }
    return { value: root.value, forget: () => signals.forEach((number) => this.#controllers.delete(number)) };
  }

  /** Aborts the signal that the other side has sent. */
  abort(number: number, reason: Failure): void {
    this.#controllers.get(number)?.abort(errorFrom(reason));
  }

  /** Aborts all signals of the other side, and forgets everything. */
  close(reason: unknown): void {
    this.#controllers.forEach((controller) => controller.abort(reason));
    [this.#functions, this.#controllers, this.#given, this.#received, this.#unsent].forEach((all) => all.clear());
  }

  #packed(value: unknown, inner: Path, places: Place[], left: Left): unknown {
    const path = ["value", ...inner];
    if (typeof value === "function") {
      const number = this.keep(value as Callable);
      left.functions.push(number);
      places.push({ path, kind: "function", number });
      return undefined;
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    const message = this.#numbers.get(value);
    if (message !== undefined) {
      const sent = this.#unsent.delete(value) || (this.#resent !== undefined && this.#given.has(message));
      this.#resent?.add(message);
      places.push({ path, kind: "message", number: message, sent });
      return sent ? contentOf(value) : undefined;
    }
    if (value instanceof AbortSignal) {
      places.push({ path, kind: "signal", ...this.#watch(value, left) });
      return undefined;
    }
    if (inner.length === 0 && isStream(value)) {
      // What a function has returned. It is kept until it is read to its end, or left.
      const number: number = this.keep(pagesOf(value, () => this.#functions.delete(number)) as Callable);
      places.push({ path, kind: "stream", number });
      return undefined;
    }
    if (inner.length >= DEPTH) {
      return value;
    }
    if (Array.isArray(value)) {
      return value.map((element, index) => this.#packed(element, [...inner, index], places, left));
    }
    return isPlain(value)
      ? Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#packed(field, [...inner, name], places, left)]))
      : value;
  }

  #watch(signal: AbortSignal, { signals }: Left): { number: number; aborted: Failure | undefined } {
    const number = (this.#last += 1);
    if (signal.aborted) {
      return { number, aborted: failureOf(signal.reason) };
    }
    const tell = (): void => this.#host.abort(number, failureOf(signal.reason));
    signal.addEventListener("abort", tell, { once: true });
    signals.push(() => signal.removeEventListener("abort", tell));
    return { number, aborted: undefined };
  }

  #at(place: Place): unknown {
    switch (place.kind) {
      case "function":
        return (...given: unknown[]) => this.#host.call(place.number, given);
      case "stream":
        return elementsOf(((...given) => this.#host.call(place.number, given)) as Pages);
      case "message":
        return this.#given.get(place.number) ?? this.#received.get(place.number)?.deref();
      case "signal": {
        const controller = new AbortController();
        if (place.aborted === undefined) {
          this.#controllers.set(place.number, controller);
        } else {
          controller.abort(errorFrom(place.aborted));
        }
        return controller.signal;
      }
    }
  }

  /** The object of this side for a message: the same one, with the new content, if the other side has sent the message before. */
  #take(number: number, content: object): object {
    const known = this.#received.get(number)?.deref();
    if (known === undefined) {
      this.#received.set(number, new WeakRef(content));
      this.#numbers.set(content, number);
      return content;
    }
    Object.keys(known).forEach((name) => Reflect.deleteProperty(known, name));
    return Object.assign(known, content);
  }
}

/** What a message says: that of an SDK's class is what it writes as JSON. */
function contentOf(message: object): unknown {
  return typeof Reflect.get(message, "toJSON") === "function" ? JSON.parse(JSON.stringify(message)) : message;
}

/** The same value without what cannot be sent. The messages in it stay at their places. */
export function sendable({ value, places }: Packed): Packed {
  return { value: plain(value), places };
}

/** The error for a value that cannot be sent at all. */
export function unsendable(reason: unknown): EpitomeError {
  return epitomeError("invalid-message", `what was given cannot be sent to a worker: ${messageOf(reason, "no reason was given")}`, reason);
}
