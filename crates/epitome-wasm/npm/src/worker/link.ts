// One end of a channel between two threads, each of which calls functions of the other. Every call settles, whatever happens to
// the other end.

import type { EpitomeError } from "../error.js";
import { type Callable, Crossing, type Packed, sendable, unsendable } from "./crossing.js";
import { errorFrom, type Failure, failureOf } from "./failure.js";

/** What the ends say to each other. */
type Packet =
  | { readonly type: "call"; readonly id: number; readonly target: number; readonly packed: Packed }
  | { readonly type: "answer"; readonly id: number; readonly packed: Packed }
  | { readonly type: "failure"; readonly id: number; readonly failure: Failure }
  | { readonly type: "abort"; readonly signal: number; readonly reason: Failure }
  | { readonly type: "close" };

/** A port. That of Node keeps its process running while it is in use. */
type Port = MessagePort & { ref?(): void; unref?(): void };

/** The number of the first function of each end. */
export const FIRST = 1;

/** The number of the function that says which messages an end has dropped. */
const DROPPED = 2;

interface Waiting {
  readonly settle: () => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What an end does when something happens to the other one. */
export interface LinkHost {
  /** The function that the other end calls by `FIRST`. */
  readonly first: Callable;
  /** Called when the other end has closed the channel, or its thread has ended. */
  closed(): void;
}

/** One end of a channel. */
export class Link {
  readonly #port: Port;
  readonly #host: LinkHost;
  readonly #waiting = new Map<number, Waiting>();
  readonly #crossing: Crossing;
  #calls = 0;
  #closed: EpitomeError | undefined;

  constructor(port: MessagePort, host: LinkHost) {
    this.#port = port;
    this.#host = host;
    this.#crossing = new Crossing({
      call: (target, given) => this.call(target, given),
      abort: (signal, reason) => this.#post({ type: "abort", signal, reason }),
    });
    this.#crossing.keep(host.first);
    this.#crossing.keep(() => this.#crossing.dropped());
    port.addEventListener("message", ({ data }: MessageEvent<Packet>) => this.#receive(data));
    port.addEventListener("messageerror", () => this.#host.closed());
    port.addEventListener("close", () => this.#host.closed());
    port.start();
    this.#port.unref?.();
  }

  /** These objects are messages from now on: see `Crossing.give`. */
  give(messages: readonly unknown[], areKnown = false): void {
    messages.forEach((message) => this.#crossing.give(message, areKnown));
  }

  /** Calls a function of the other end. Functions in `given` can be called until that settles, or as long as the channel is open
   * if they are `lasting`. */
  call(target: number, given: readonly unknown[], lasting = false): Promise<unknown> {
    if (this.#closed !== undefined) {
      return Promise.reject(this.#closed);
    }
    const id = (this.#calls += 1);
    return new Promise((resolve, reject) => {
      const { packed, left } = this.#crossing.pack(given);
      this.#wait(id, { settle: () => this.#crossing.giveUp(lasting ? { ...left, functions: [] } : left), resolve, reject });
      try {
        this.#send({ type: "call", id, target, packed });
      } catch (error) {
        this.#crossing.takeBack(packed);
        this.#settle(id)?.reject(unsendable(error));
      }
      this.#sweep();
    });
  }

  /** Closes the channel: calls that wait reject with this error, and so do all later ones. */
  close(error: EpitomeError): void {
    if (this.#closed === undefined) {
      this.#post({ type: "close" });
      this.#closed = error;
      this.#port.close();
      [...this.#waiting.keys()].forEach((id) => this.#settle(id)?.reject(error));
      this.#crossing.close(error);
    }
  }

  /** Forgets the messages that the other end has dropped, from time to time. */
  #sweep(): void {
    if (this.#crossing.isFull) {
      this.#crossing.beginSweep();
      void this.call(DROPPED, []).then(
        (dropped) => this.#crossing.endSweep(dropped as number[]),
        () => this.#crossing.endSweep([]),
      );
    }
  }

  #receive(packet: Packet): void {
    if (this.#closed !== undefined) {
      return;
    }
    switch (packet.type) {
      case "call":
        return void this.#answer(packet.id, packet.target, packet.packed);
      case "answer":
        // In this order, so that a function in the answer is there before what is sent behind it.
        return this.#settle(packet.id)?.resolve(this.#crossing.unpack(packet.packed).value);
      case "failure":
        return this.#settle(packet.id)?.reject(errorFrom(packet.failure));
      case "abort":
        return this.#crossing.abort(packet.signal, packet.reason);
      case "close":
        return this.#host.closed();
    }
  }

  /** Calls a function of this end. One that is given up, such as that of a call which has ended, is not called. */
  async #answer(id: number, target: number, given: Packed): Promise<void> {
    const { value, forget } = this.#crossing.unpack(given);
    try {
      const result = await this.#crossing.function(target)?.(...(value as unknown[]));
      this.#send({ type: "answer", id, packed: this.#crossing.pack(result).packed });
    } catch (error) {
      this.#post({ type: "failure", id, failure: failureOf(error) });
    } finally {
      forget();
    }
  }

  /** Sends what an app has given, or a copy of it if it cannot be sent as it is. */
  #send(packet: Extract<Packet, { packed: Packed }>): void {
    try {
      this.#post(packet);
    } catch {
      this.#post({ ...packet, packed: sendable(packet.packed) });
    }
  }

  #post(packet: Packet): void {
    if (this.#closed === undefined) {
      this.#port.postMessage(packet);
    }
  }

  #wait(id: number, waiting: Waiting): void {
    this.#waiting.set(id, waiting);
    this.#port.ref?.();
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.settle();
    if (this.#waiting.size === 0) {
      // An idle compactor does not keep a process running.
      this.#port.unref?.();
    }
    return waiting;
  }
}
