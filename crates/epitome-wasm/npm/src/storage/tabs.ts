// A conversation that several tabs have open: one writes, and the others show what it commits.
//
// The lock is the browser's: it is free when its tab has ended, however it ended, without a heartbeat that a busy tab could
// miss. The lock only says whose turn it is. What keeps a conversation from having two histories is the writer's epoch in the
// store, so a tab whose lock was taken from it is refused.

import { epitomeError, guarded, property } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Compactor } from "../host/compactor.js";
import { notify } from "../host/notify.js";
import { NO_CIPHER } from "./cipher.js";
import { forwarded } from "./forwarded.js";
import type { OpenConversation, OpenOptions, Role, TabsOptions } from "./conversation.js";
import { archiveOf } from "./transfer.js";
import { NOTHING, type Read, readVerified } from "./verified.js";
import { conflict } from "./writer.js";

type Options<M extends object> = OpenOptions<M, Format>;

/** Opens a conversation as its writer. */
type Open<M extends object> = (
  options: Options<M>,
  listener: { committed(): void; refused(): void },
) => Promise<OpenConversation<M>>;

/** Makes a compactor that stores nothing. */
type Follow<M extends object> = (read: Read, options: Options<M>) => Promise<Compactor<M>>;

/** What this tab shows: as writer the open conversation, as follower what it has read last. */
type Shown<M extends object> = { readonly compactor: Compactor<M> } & (
  | { readonly opened: OpenConversation<M> }
  | { readonly opened?: never; readonly read: Read }
);

/** Opens a conversation for one of several tabs. Without Web Locks, as in Node, there is one tab. */
export async function inTabs<M extends object>(
  options: Options<M>,
  tabs: TabsOptions,
  open: Open<M>,
  follow: Follow<M>,
): Promise<OpenConversation<M>> {
  const session = new Session<M>(options, tabs, open, follow);
  await session.begin();
  return session;
}

class Session<M extends object> implements OpenConversation<M> {
  readonly compactor: Compactor<M>;
  readonly #options: Options<M>;
  readonly #tabs: TabsOptions;
  readonly #open: Open<M>;
  readonly #follow: Follow<M>;
  readonly #locks: LockManager | undefined;
  readonly #name: string;
  readonly #channel: BroadcastChannel | undefined;
  #shown: Shown<M> | undefined;
  /** What is called when another compactor is shown. */
  readonly #exchanged = new Set<() => void>();
  /** True once the lock was taken away while something was not stored. */
  #isStale = false;
  #isClosed = false;
  /** Gives back the lock; undefined if this tab has none. */
  #release: (() => void) | undefined;
  /** Ends the request for the lock that waits for its turn. */
  #waiting: AbortController | undefined;
  /** The last step that exchanges the compactor: such steps run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  /** True if a look at the store is about to begin, which will see all that was committed until then. */
  #isDue = false;

  constructor(options: Options<M>, tabs: TabsOptions, open: Open<M>, follow: Follow<M>) {
    this.#options = options;
    this.#tabs = tabs;
    this.#open = open;
    this.#follow = follow;
    this.#locks = (property(globalThis, "navigator") as Navigator | undefined)?.locks;
    this.#name = `epitome:${options.store.scope ?? ""}:${options.id}`;
    this.#channel = this.#locks === undefined ? undefined : new BroadcastChannel(this.#name);
    this.compactor = forwarded<M>({
      compactor: () => this.#current.compactor,
      whyReadOnly: () => (this.role() === "follower" ? follows(options.id) : undefined),
      close: () => this.close(),
      exchanged: this.#exchanged,
    });
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

  get damage(): OpenConversation<M>["damage"] {
    const { opened } = this.#current;
    return opened === undefined ? this.#read?.damage : opened.damage;
  }

  sequence(): number {
    return this.#shown?.opened?.sequence() ?? this.#read?.last?.sequence ?? 0;
  }

  role(): Role {
    const role = this.#shown?.opened?.role() ?? "follower";
    return this.#isStale ? "stale" : role;
  }

  takeOver(): Promise<void> {
    return guarded(async () => {
      if (this.role() === "stale") {
        throw conflict(this.#options.id);
      }
      if (this.role() === "follower") {
        this.#waiting?.abort();
        await this.#acquire({ steal: true });
        await this.#inTurn(() => this.#write());
      }
    });
  }

  archive(): Promise<string> {
    return guarded(() => archiveOf(this.compactor.contents()));
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.abort();
    this.#channel?.close();
    this.#shown?.compactor.dispose();
    this.#giveBack();
  }

  get #current(): Shown<M> {
    if (this.#shown === undefined) {
      throw epitomeError("disposed", `the conversation ${JSON.stringify(this.#options.id)} was not opened`);
    }
    return this.#shown;
  }

  get #read(): Read | undefined {
    return this.#shown?.opened === undefined ? this.#shown?.read : undefined;
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
    if (this.#current.compactor.saveState() !== "saved") {
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
      const opened = await this.#open(this.#options, {
        committed: () => (this.#isClosed ? undefined : announce()),
        refused: () => this.#notify(),
      });
      this.#show({ compactor: opened.compactor, opened });
      if (!this.#isClosed && opened.damage !== undefined) {
        announce();
      }
    } catch (error) {
      this.#giveBack();
      throw error;
    }
  }

  /** Shows what the store has. */
  async #look(): Promise<void> {
    const { store, id, cipher = NO_CIPHER } = this.#options;
    const head = await store.head(id);
    const known = this.#read;
    if (known !== undefined && (head === undefined || known.last?.hash === (head.hash || undefined))) {
      // If it was deleted, what this tab shows is all that is left of it.
      return;
    }
    const read = head === undefined ? NOTHING : await readVerified(store, id, head, cipher, known);
    if (read.damage !== undefined && (await store.head(id))?.hash !== head?.hash) {
      // It was deleted, or repaired, while it was read.
      return this.#look();
    }
    this.#show({ compactor: await this.#follow(read, this.#options), read });
  }

  #show(next: Shown<M>): void {
    if (this.#isClosed) {
      next.compactor.dispose();
      return;
    }
    const before = this.#shown;
    this.#shown = next;
    this.#exchanged.forEach((follow) => follow());
    before?.compactor.dispose();
    if (before !== undefined) {
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

function follows(id: string): Error {
  return epitomeError(
    "conflict",
    `another tab writes to the conversation ${JSON.stringify(id)}, and this one follows it; it writes after takeOver(), or when the other is closed`,
  );
}
