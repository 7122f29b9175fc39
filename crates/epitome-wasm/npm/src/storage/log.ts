// A conversation of a store as text, in one of several tabs, for a page that has an engine of its own.

import { guarded } from "../error.js";
import type { Changes } from "../host/options.js";
import { claim, committed } from "./claim.js";
import { NO_CIPHER } from "./cipher.js";
import type { Role, TabsOptions } from "./conversation.js";
import type { Store } from "./store.js";
import { Turns } from "./turns.js";
import type { Damage, Read } from "./verified.js";
import { conflict } from "./writer.js";

/** Which conversation is opened, and how tabs share it. */
export interface LogOptions extends TabsOptions {
  readonly store: Store;
  readonly id: string;
  /** False while the page has something that it has not committed. */
  isSaved(): boolean;
}

/** The records of a conversation. */
export interface Log {
  /** What could not be read of it. */
  readonly damage: Damage | undefined;
  /** The number of its last commit. */
  sequence(): number;
  /** What this tab may do with it. */
  role(): Role;
  /** What this tab has read last: all records, and the compactor's own state. */
  text(): string;
  /** Stores what is new. Rejects with `conflict` if this tab does not write, or not any more. */
  commit(changes: Changes): Promise<void>;
  /** Makes a follower the writer. */
  takeOver(): Promise<void>;
  /** Lets another tab write. */
  close(): void;
}

/** What a tab shows: what it has read, and as writer what it commits to. */
interface Shown {
  readonly read: Read;
  commit?(changes: Changes): Promise<void>;
}

/** Opens a conversation, or begins one. */
export async function openLog({ store, id, isSaved, ...tabs }: LogOptions): Promise<Log> {
  const turns = new Turns<Shown>(
    {
      store,
      id,
      write: async (listener) => {
        const { read, writer } = await claim(store, id, NO_CIPHER);
        const writing = {
          damage: read.damage,
          sequence: () => writer.sequence,
          role: (): Role => (writer.isStale ? "stale" : "writer"),
        };
        return { shown: { read, commit: (changes: Changes) => committed(writer, changes, listener) }, writing };
      },
      follow: (read) => ({ read }),
      isSaved,
      dispose: () => undefined,
    },
    tabs,
  );
  await turns.begin();
  return {
    get damage() {
      return turns.damage;
    },
    sequence: () => turns.sequence(),
    role: () => turns.role(),
    text: () => turns.shown.read.text + turns.shown.read.state,
    commit: (changes) => guarded(() => turns.shown.commit?.(changes) ?? Promise.reject(conflict(id))),
    takeOver: () => turns.takeOver(),
    close: () => turns.close(),
  };
}
