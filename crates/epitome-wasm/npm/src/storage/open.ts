// Opens a conversation of a store: a compactor whose commits go there.

import { optionalFunction } from "../arguments.js";
import { guarded } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { CompactionEvent, Compactor } from "../host/compactor.js";
import type { FormatOf, MessageOf } from "../host/format-messages.js";
import type { Changes, CompactorOptions, RestoreOptions } from "../host/options.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import { keptIndex } from "./kept-index.js";
import type { Store } from "./store.js";
import { inTabs, type TabsOptions } from "./tabs.js";
import { TailKeeper } from "./tail.js";
import { archiveOf } from "./transfer.js";
import { type Damage, type Read, readVerified } from "./verified.js";
import { conflict, Writer } from "./writer.js";

/** The functions of `epitome` or of `epitome/slim` that make compactors. */
export interface Compactors {
  createCompactor<M extends object>(options: CompactorOptions<M>): Promise<Compactor<M>>;
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

/**
 * Opens a conversation, or begins one, and takes over as its writer: commits of one who has opened it earlier are refused from
 * now on with the code `conflict`. Its policy is the stored one; `policy` is that of a new conversation.
 *
 * Every commit is checked against the hashes before it. What is behind the first commit that is not whole is cut off and
 * returned as `damage`. Linear in the conversation. If the store fails, it rejects with the error of the store.
 */
export function openConversation<F extends Format, M extends object = MessageOf<F>>(
  options: OpenOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<OpenConversation<M>>;
/** The same for the app's own type of message, `M`. */
export function openConversation<M extends object>(options: OpenOptions<M>): Promise<OpenConversation<M>>;
export async function openConversation<M extends object>(options: OpenOptions<M, Format>): Promise<OpenConversation<M>> {
  const { tabs, ...alone } = options;
  return tabs === undefined ? openAlone<M>(alone) : inTabs<M>(alone, tabs, openAlone, followerOf);
}

/** Opens it as its writer. `committed` is called after each commit, and `refused` once another writer has it. */
async function openAlone<M extends object>(
  options: OpenOptions<M, Format>,
  listener: { committed?(): void; refused?(): void } = {},
): Promise<OpenConversation<M>> {
  const { store, id, cipher = NO_CIPHER } = options;
  optionalFunction(options.onEvent, "onEvent");
  const head = await store.claim(id);
  const read = await readVerified(store, id, head, cipher);
  if (read.damage !== undefined && !(await store.cut(id, read.last, head.epoch))) {
    throw conflict(id);
  }
  const writer = new Writer(store, id, cipher, read, head);
  let opened: Compactor<M> | undefined;
  let tail: TailKeeper<M> | undefined;
  const onEvent = (event: CompactionEvent): void => {
    if (event.type === "end") {
      void tail?.settle(writer.last);
    }
    options.onEvent?.(event);
  };
  const recallIndex = keptIndex(options, () => (opened?.saveState() === "saved" ? writer.last : undefined));
  const compactor = await compactorOf<M>(read, { ...options, onEvent, recallIndex }, async (changes) => {
    const keep = tail?.begin(changes);
    try {
      await writer.commit(changes);
    } finally {
      (writer.isStale ? listener.refused : listener.committed)?.();
    }
    await keep?.(writer.last);
  });
  opened = compactor;
  tail = new TailKeeper(options, compactor);
  // The one before may have ended between a compaction and this.
  void tail.settle(writer.last);
  return {
    compactor,
    damage: read.damage,
    sequence: () => writer.sequence,
    role: () => (writer.isStale ? "stale" : "writer"),
    takeOver: () => guarded(() => (writer.isStale ? Promise.reject(conflict(id)) : undefined)),
    archive: () => guarded(() => archiveOf(compactor.contents())),
    close: () => compactor.dispose(),
  };
}

/** A compactor that shows what was read, and stores nothing. */
function followerOf<M extends object>(read: Read, options: OpenOptions<M, Format>): Promise<Compactor<M>> {
  return compactorOf<M>(read, options, () => Promise.reject(conflict(options.id)));
}

/** A compactor for what was read. */
export async function compactorOf<M extends object>(
  read: Read,
  options: Omit<OpenOptions<M, Format>, "store" | "id"> & Pick<CompactorOptions<M, Format>, "recallIndex">,
  commit: (changes: Changes) => Promise<void>,
): Promise<Compactor<M>> {
  const { cipher: _, compactors = await defaults(), ...rest } = options;
  const host = { ...rest, commit } as unknown as CompactorOptions<M>;
  return read.text === ""
    ? compactors.createCompactor<M>(host)
    : compactors.restoreCompactor<M>(read.text + read.state, host as unknown as RestoreOptions<M>);
}

async function defaults(): Promise<Compactors> {
  return (await import("../api/api.js")) as unknown as Compactors;
}
