// A conversation of a store: how it is opened, and what an app can do with it.

import type { Format } from "../glue/epitome.js";
import type { Compactor } from "../host/compactor.js";
import type { FormatOf } from "../host/format-messages.js";
import type { CompactorOptions, RestoreOptions } from "../host/options.js";
import type { Cipher } from "./cipher.js";
import type { Store } from "./store.js";
import type { Damage } from "./verified.js";

/** The functions of `epitome` or of `epitome/slim` that make compactors. */
export interface Compactors {
  /** Makes the compactor of a new conversation. */
  createCompactor<M extends object>(options: CompactorOptions<M>): Promise<Compactor<M>>;
  /** Makes the compactor of one that the store has. */
  restoreCompactor<M extends object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;
}

/** How a conversation is opened. */
export interface OpenOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends Omit<CompactorOptions<M, F>, "commit" | "recallIndex"> {
  /** Where it is kept. */
  store: Store;
  /** Its id in the store. */
  id: string;
  /** Encrypts what the store gets. */
  cipher?: Cipher;
  /** Those of `epitome/slim`, for an app that uses it. Default: those of `epitome`, which are loaded when they are needed. */
  compactors?: Compactors;
  /**
   * Has the tabs of a page share the conversation: the first one writes, and the others follow what it commits, until it is
   * their turn. Without it, each opening takes the conversation over.
   */
  tabs?: TabsOptions;
}

/**
 * What this page may do with a conversation. A `writer` changes and stores it. A `follower` shows what the writer commits, and
 * changes nothing. One that is `stale` has lost it to another writer with changes that it had not stored: they are only in
 * its memory, and no commit of it succeeds any more.
 */
export type Role = "writer" | "follower" | "stale";

/** A conversation of a store. */
export interface OpenConversation<M extends object = object> {
  /** Its compactor. `commit()` stores what is new; a compaction is stored before it is applied. */
  readonly compactor: Compactor<M>;
  /** What could not be read, if the store has lost something. The conversation goes on from the last whole commit. */
  readonly damage: Damage | undefined;
  /** The number of its last commit. */
  sequence(): number;
  /** What this page may do with it. Without `tabs`, it begins as `writer`. */
  role(): Role;
  /**
   * Makes a follower the writer, in place of the one that is. Nothing happens if it is the writer already. Rejects with
   * `conflict` if it is stale; then import `archive()`, which keeps its messages as a branch, and open it again.
   */
  takeOver(): Promise<void>;
  /** The conversation as it is in memory, stored or not, as JSON Lines for `importConversation` and `restoreCompactor`. */
  archive(): Promise<string>;
  /** Disposes of the compactor. What was not committed is lost. */
  close(): void;
}

/** How the tabs of a page share a conversation. */
export interface TabsOptions {
  /** Called when a follower shows something new, and when the role of this tab has changed. */
  onChange?: () => void;
  /** Called with what kept a tab from following, or from becoming the writer. It goes on with what it has. Default: the
   * console gets it. */
  onError?: (error: unknown) => void;
}
