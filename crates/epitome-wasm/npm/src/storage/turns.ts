// Whose turn it is to write to a conversation that several tabs have open, and what the others show of it.
//
// The lock is the browser's: it is free when its tab has ended, however it ended, without a heartbeat that a busy tab could
// miss. The lock only says whose turn it is. What keeps a conversation from having two histories is the writer's epoch in the
// store, so a tab whose lock was taken from it is refused.

import { epitomeError, guarded, property } from "../error.js";
import { notify } from "../host/notify.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import type { Role, TabsOptions } from "./conversation.js";
import type { Store } from "./store.js";
import { type Damage, NOTHING, type Read, readVerified } from "./verified.js";
import { conflict } from "./writer.js";

/** What a writer tells the other tabs. */
export interface WriterListener {
  /** Called after each commit. */
  committed(): void;
  /** Called once another writer has the conversation. */
  refused(): void;
}

/** A conversation that this tab writes to. */
export interface Writing {
  readonly damage: Damage | undefined;
  sequence(): number;
  role(): Role;
}

/** A conversation that tabs share, and how this tab shows it: as `S`, which is exchanged at each change. */
export interface Shared<S> {
  readonly store: Store;
  readonly id: string;
  readonly cipher?: Cipher;
  /** Opens it as its writer. */
  write(listener: WriterListener): Promise<{ shown: S; writing: Writing }>;
  /** Shows what was read, and stores nothing. */
  follow(read: Read): S | Promise<S>;
  /** False if something of it is in no store. */
  isSaved(shown: S): boolean;
  dispose(shown: S): void;
}

/** What this tab shows: as writer with what it writes to, as follower with what it has read last. */
type Shown<S> = { readonly shown: S } & (
  | { readonly writing: Writing; readonly read?: never }
  | { readonly writing?: never; readonly read: Read }
);

/** The part of one tab. Without Web Locks, as in Node, there is one tab. */
export class Turns<S> {
  /** What is called when something else is shown. */
  readonly exchanged = new Set<() => void>();
  readonly #shared: Shared<S>;
  readonly #tabs: TabsOptions;
  readonly #locks: LockManager | undefined;
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;
  #current: Shown<S> | undefined;
  /** True once the lock was taken away while something was not stored. */
  #isStale = false;
  #isClosed = false;
  /** Gives back the lock; undefined if this tab has none. */
  #release: (() => void) | undefined;
  /** Ends the request for the lock that waits for its turn. */
  #waiting: AbortController | undefined;
  /** The last step that exchanges what is shown: such steps run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** True if a look at the store is about to begin, which will see all that was committed until then. */
  #isDue = false;

  constructor(shared: Shared<S>, tabs: TabsOptions) {
    this.#shared = shared;
    this.#tabs = tabs;
    this.#locks = (property(globalThis, "navigator") as Navigator | undefined)?.locks;
    this.#name = `epitome:${shared.store.scope ?? ""}:${shared.id}`;
    this.#channel = this.#locks === undefined ? undefined : new BroadcastChannel(this.#name);
  }

  /** Becomes the writer if no tab is, and a follower otherwise. */
  async begin(): Promise<void> {
    this.#channel?.addEventListener("message", () => this.#changed());
    try {
      if (await this.#acquire({ ifAvailable: true })) {
        await this.#inTurn(() => this.#write());
      } else {
        await this.#inTurn(() => this.#look());
        this.#wait();
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get shown(): S {
    return this.#opened.shown;
  }

  get damage(): Damage | undefined {
    const { writing, read } = this.#opened;
    return writing === undefined ? read.damage : writing.damage;
  }

  sequence(): number {
    return this.#current?.writing?.sequence() ?? this.#current?.read?.last?.sequence ?? 0;
  }

  role(): Role {
    const role = this.#current?.writing?.role() ?? "follower";
    return this.#isStale ? "stale" : role;
  }

  takeOver(): Promise<void> {
    return guarded(async () => {
      if (this.role() === "stale") {
        throw conflict(this.#shared.id);
      }
      if (this.role() === "follower") {
        this.#waiting?.abort();
        await this.#acquire({ steal: true });
        await this.#inTurn(() => this.#write());
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.abort();
    this.#channel?.close();
    if (this.#current !== undefined) {
      this.#shared.dispose(this.#current.shown);
    }
    this.#giveBack();
  }

  get #opened(): Shown<S> {
    if (this.#current === undefined) {
      throw epitomeError("disposed", `the conversation ${JSON.stringify(this.#shared.id)} was not opened`);
    }
    return this.#current;
  }

  /** Resolves to true once this tab has the lock, and to false if it does not get it. */
  #acquire(options: LockOptions): Promise<boolean> {
    const locks = this.#locks;
    if (locks === undefined) {
      return Promise.resolve(true);
    }
    return new Promise((resolve, reject) => {
      let held: (() => void) | undefined;
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        if (lock === null || this.#isClosed) {
          return void resolve(false);
        }
        const ended = new Promise<void>((release) => {
          held = release;
        });
        this.#release = held;
        resolve(true);
        return ended;
      };
      locks.request(this.#name, options, hold).catch((error: unknown) => {
        if (held === undefined && options.signal?.aborted !== true) {
          return reject(error);
        }
        resolve(false);
        if (held !== undefined && this.#release === held) {
          this.#release = undefined;
          this.#lost();
        }
      });
    });
  }

  #giveBack(): void {
    this.#release?.();
    this.#release = undefined;
  }

  /** Waits for its turn to write. */
  #wait(): void {
    const waiting = new AbortController();
    this.#waiting = waiting;
    void this.#acquire({ signal: waiting.signal })
      .then((isGranted) => (isGranted ? this.#inTurn(() => this.#write()) : undefined))
      .catch((error: unknown) => this.#failed(error));
  }

  /** Another tab has taken the lock. What is stored, this tab can follow; what is not is kept in memory. */
  #lost(): void {
    if (this.#isClosed) {
      return;
    }
    if (!this.#shared.isSaved(this.#opened.shown)) {
      this.#isStale = true;
      return this.#notify();
    }
    void this.#inTurn(async () => {
      await this.#look();
      this.#wait();
    }).catch((error: unknown) => this.#failed(error));
  }

  /** A commit was announced. */
  #changed(): void {
    if (this.#isDue || this.role() !== "follower") {
      return;
    }
    this.#isDue = true;
    void this.#inTurn(() => {
      this.#isDue = false;
      return this.role() === "follower" ? this.#look() : undefined;
    }).catch((error: unknown) => this.#failed(error));
  }

  /** Becomes the writer, and has the lock already. */
  async #write(): Promise<void> {
    try {
      const announce = (): void => this.#channel?.postMessage("committed");
      const opened = await this.#shared.write({
        committed: () => (this.#isClosed ? undefined : announce()),
        refused: () => this.#notify(),
      });
      this.#show(opened);
      if (!this.#isClosed && opened.writing.damage !== undefined) {
        announce();
      }
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  /** Shows what the store has. */
  async #look(): Promise<void> {
    const { store, id, cipher = NO_CIPHER } = this.#shared;
    const head = await store.head(id);
    const known = this.#current?.read;
    if (known !== undefined && (head === undefined || known.last?.hash === (head.hash || undefined))) {
      // If it was deleted, what this tab shows is all that is left of it.
      return;
    }
    const read = head === undefined ? NOTHING : await readVerified(store, id, head, cipher, known);
    if (read.damage !== undefined && (await store.head(id))?.hash !== head?.hash) {
      // It was deleted, or repaired, while it was read.
      return this.#look();
    }
    this.#show({ shown: await this.#shared.follow(read), read });
  }

  #show(next: Shown<S>): void {
    if (this.#isClosed) {
      this.#shared.dispose(next.shown);
      return;
    }
    const before = this.#current;
    this.#current = next;
    this.exchanged.forEach((follow) => follow());
    if (before !== undefined) {
      this.#shared.dispose(before.shown);
      this.#notify();
    }
  }

  #inTurn(work: () => Promise<void> | undefined): Promise<void> {
    const done = this.#last.then(() => (this.#isClosed ? this.#giveBack() : work()));
    this.#last = done.catch(() => undefined);
    return done;
  }

  #notify(): void {
    void notify(this.#tabs.onChange, undefined);
  }

  #failed(error: unknown): void {
    if (!this.#isClosed) {
      void notify(this.#tabs.onError ?? ((thrown: unknown) => console.error(thrown)), error);
    }
  }
}
